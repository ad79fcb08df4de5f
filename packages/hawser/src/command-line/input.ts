// What a command reads whole, from stdin or a file, up to a limit.

import { createReadStream } from "node:fs";
import { HawserError } from "@hawser/protocol";
import { hawserLimits } from "../limits.ts";
import { describeSystemError } from "./failure.ts";

export const readStdin = (): Promise<Buffer> => readAll(process.stdin, "stdin", hawserLimits.maxCommandInputBytes);

export async function readInputFile(path: string, what: string, maxBytes: number = hawserLimits.maxCommandInputBytes): Promise<Buffer> {
  try {
    // Not the whole file: a path may lead to a device that never ends.
    return await readAll(createReadStream(path, { end: maxBytes }), path, maxBytes);
  } catch (cause) {
    if (HawserError.isInstance(cause)) throw cause;
    throw new HawserError("usage", `can't read ${what} ${path}: ${describeSystemError(cause)}`, { cause });
  }
}

async function readAll(stream: AsyncIterable<Buffer>, source: string, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new HawserError("usage", `${source} holds more than ${maxBytes} bytes, which is the limit`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
