// Lines on stderr. A reader that never reads must neither stop the process nor fill its memory:
// what does not fit is dropped and counted, and the next line that fits says how much, once.

import { limits } from "./limits.ts";

let droppedBytes = 0;

export const isStderrFull = (): boolean => process.stderr.writableLength > limits.maxStderrBytes;

export function countDropped(bytes: number): void {
  droppedBytes += bytes;
}

/** The line about what was dropped since it was last taken; empty when that is nothing. */
export function takeDropNotice(): string {
  const notice = droppedBytes > 0 ? `[hawser] ${droppedBytes} bytes dropped: stderr is not being read\n` : "";
  droppedBytes = 0;
  return notice;
}

/** Writes one line to stderr, or counts it as dropped when nobody reads there. */
export function logLine(line: string): void {
  if (isStderrFull()) countDropped(Buffer.byteLength(line) + 1);
  else process.stderr.write(`${takeDropNotice()}${line}\n`);
}
