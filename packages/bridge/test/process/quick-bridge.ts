// A configuration that starts the bridge from its sources with other limits than it is shipped with.

import { join } from "node:path";
import type { wireLimits } from "@hawser/wire";
import type { bridgeLimits } from "../../src/limits.ts";
import type { BridgeOptions } from "./raw-bridge.ts";

const fixture = join(import.meta.dirname, "../fixtures/process-quick-bridge.ts");

export function quickBridge(
  { command, args }: { command: string; args: readonly string[] },
  limits: Partial<typeof wireLimits & typeof bridgeLimits>,
): [{ command: string; args: readonly string[] }, BridgeOptions] {
  return [
    { command, args: ["--conditions=hawser-source", fixture, ...args.slice(-2)] },
    // Official clients give their servers nothing that they are not told to.
    { env: { HAWSER_TEST_LIMITS: JSON.stringify(limits), NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] } },
  ];
}
