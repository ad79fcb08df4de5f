// Lines on stderr. A reader that never reads, or goes away, must neither stop the process nor fill its memory: what does not fit is dropped, and
// the next line that fits, or a line of its own once stderr has been read, says how much. On a terminal whatever a line hides
// is revealed, since parts of it were written by others.

import { wireLimits } from "./limits.ts";
import { revealProse } from "@hawser/protocol/internal";

let droppedBytes = 0;
let isToldOnDrain = false;
let isWatched = false;

export const isStderrFull = (): boolean => process.stderr.writableLength > wireLimits.maxStderrBytes;

export function countDropped(bytes: number): void {
  droppedBytes += bytes;
  // Without a write that waits there is no 'drain' to come; then the next line tells.
  if (isToldOnDrain || !process.stderr.writableNeedDrain) return;
  isToldOnDrain = true;
  process.stderr.once("drain", () => {
    isToldOnDrain = false;
    const notice = takeDropNotice();
    if (notice !== "") process.stderr.write(notice);
  });
}

/** The line about what was dropped since it was last taken; empty when that is nothing. */
export function takeDropNotice(): string {
  const notice = droppedBytes > 0 ? `[hawser] ${droppedBytes} bytes dropped: stderr is not being read\n` : "";
  droppedBytes = 0;
  return notice;
}

/** Writes one line to stderr, or counts it as dropped when stderr isn't read. */
export function logLine(line: string): void {
  watchStderr();
  if (isStderrFull()) countDropped(Buffer.byteLength(line) + 1);
  else process.stderr.write(`${takeDropNotice()}${process.stderr.isTTY ? revealProse(line) : line}\n`);
}

/** Without a listener, a line that finds no reader is an uncaught exception: it ends the process, or is logged, which is the next one. */
function watchStderr(): void {
  if (isWatched) return;
  isWatched = true;
  process.stderr.on("error", () => {});
}
