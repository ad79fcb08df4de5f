// Lines on stderr. A reader that never reads must neither stop the process nor fill its memory:
// what does not fit is dropped, and the next line that fits says how much.

import { limits } from "./limits.ts";

let dropped = 0;

/** Writes one line to stderr, or counts it as dropped when nobody reads there. */
export function logLine(line: string): void {
  if (process.stderr.writableLength > limits.maxStderrBytes) {
    dropped++;
    return;
  }
  const notice = dropped > 0 ? `[hawser] ${dropped} log lines dropped: stderr is not being read\n` : "";
  dropped = 0;
  process.stderr.write(`${notice}${line}\n`);
}
