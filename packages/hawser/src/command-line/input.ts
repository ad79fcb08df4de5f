// What a command reads whole, from stdin or a file, up to a limit.

import { closeSync, openSync, readSync } from "node:fs";
import { HawserError } from "@hawser/protocol";
import { hawserLimits } from "../limits.ts";
import { describeSystemError } from "./failure.ts";

/** Everything on stdin, up to the limit. */
export async function readStdin(): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > hawserLimits.maxCommandInputBytes) throw tooMuch("stdin", hawserLimits.maxCommandInputBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

export function readInputFile(path: string, what: string, maxBytes: number = hawserLimits.maxCommandInputBytes): Buffer {
  let content: Buffer;
  try {
    content = readAtMost(path, maxBytes + 1);
  } catch (cause) {
    throw new HawserError("usage", `can't read ${what} ${path}: ${describeSystemError(cause)}`, { cause });
  }
  if (content.length > maxBytes) throw tooMuch(path, maxBytes);
  return content;
}

// Not the whole file: a path may lead to a device that never ends.
function readAtMost(path: string, maxBytes: number): Buffer {
  const file = openSync(path, "r");
  const chunks: Buffer[] = [];
  try {
    for (let bytes = 0; bytes < maxBytes;) {
      const chunk = Buffer.allocUnsafe(Math.min(1_048_576, maxBytes - bytes));
      const count = readSync(file, chunk);
      if (count === 0) break;
      chunks.push(chunk.subarray(0, count));
      bytes += count;
    }
    return Buffer.concat(chunks);
  } finally {
    closeSync(file);
  }
}

const tooMuch = (source: string, maxBytes: number): HawserError =>
  new HawserError("usage", `${source} holds more than ${maxBytes} bytes, which is the limit`);
