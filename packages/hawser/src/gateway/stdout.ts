// Bytes to stdout at the pace of who reads them.

import { HawserError } from "@hawser/wire";
import { printTo } from "../terminal.ts";

const lineFeed = 0x0a;
let lastByte: number | undefined;

/** Resolves when stdout has taken the bytes; rejects when nobody reads them any more. */
export function writeOut(chunk: Buffer): Promise<void> {
  lastByte = chunk.at(-1) ?? lastByte;
  // The callback tells it too, but an event that nobody listens to would end the process.
  if (process.stdout.listenerCount("error") === 0) process.stdout.on("error", () => {});
  return new Promise((resolve, reject) => {
    process.stdout.write(chunk, (error) => {
      if (error) reject(new HawserError("closed", "nobody reads the output", { cause: error }));
      // A pipe takes bytes at once, and a body that is resumed in the same turn would starve its socket.
      else setImmediate(resolve);
    });
  });
}

/** On a terminal what follows would stand behind the body, or wipe it out as npx does. Elsewhere bytes stay as they came. */
export function endLine(): void {
  if (process.stdout.isTTY && lastByte !== undefined && lastByte !== lineFeed) printTo(process.stdout, "\n");
}
