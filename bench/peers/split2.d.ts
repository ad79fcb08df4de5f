// The package brings no types of its own.
// Only what the bench calls is declared.

declare module "split2" {
  import type { Transform } from "node:stream";
  export default function split2(mapper: (line: string) => unknown): Transform;
}
