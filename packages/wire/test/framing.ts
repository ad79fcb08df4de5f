// What the tests of both framings share: raw frames around any bytes (also around bytes that no
// encoder would write), cutting a stream into chunks, and a decoder run to its end.

import type { Codec, CodecOptions } from "../src/codec/codec.ts";
import { lengthPrefix } from "../src/codec/length-prefix.ts";
import { ndjson } from "../src/codec/ndjson.ts";
import type { Incoming, Received, Refused } from "../src/transport/transport.ts";

export const framings: readonly Codec[] = [ndjson, lengthPrefix];

/** The bytes of a payload as the framing carries them, without looking at the payload. */
export function rawFrame(codec: Codec, payload: string | Buffer): Buffer {
  const body = Buffer.from(payload as string);
  if (codec === ndjson) return Buffer.concat([body, Buffer.from("\n")]);
  return Buffer.concat([lengthHeader(body.length), body]);
}

export function lengthHeader(bytes: number): Buffer {
  const header = Buffer.alloc(4);
  header.writeUInt32BE(bytes);
  return header;
}

/** Everything that the chunks and then the end of the stream amount to. */
export function decodeAll(codec: Codec, chunks: Iterable<Buffer>, options?: CodecOptions): Incoming[] {
  const decoder = codec.createDecoder(options);
  const items: Incoming[] = [];
  for (const chunk of chunks) items.push(...decoder.push(chunk));
  return [...items, ...decoder.end()];
}

/** Cuts the bytes into chunks whose sizes come from `sizes`, the last chunk taking the rest. */
export function cut(bytes: Buffer, sizes: Iterable<number>): Buffer[] {
  const chunks: Buffer[] = [];
  let at = 0;
  for (const size of sizes) {
    if (at >= bytes.length) break;
    chunks.push(bytes.subarray(at, at + size));
    at += size;
  }
  if (at < bytes.length) chunks.push(bytes.subarray(at));
  return chunks;
}

export const oneByteEach = (bytes: Buffer): Buffer[] => cut(bytes, Array<number>(bytes.length).fill(1));

/** The values of the messages; fails the test when there is a refusal among them. */
export function valuesOf(items: readonly Incoming[]): unknown[] {
  return items.map((item) => asReceived(item).value);
}

/** `message` or the code of the refusal, for each item. */
export const outcomes = (items: readonly Incoming[]): string[] =>
  items.map((item) => (item.kind === "message" ? "message" : item.error.code));

export function asReceived(item: Incoming | undefined): Received {
  if (item?.kind !== "message") throw new Error(`expected a message, got ${item ? item.error.message : "nothing"}`);
  return item;
}

export function asRefused(item: Incoming | undefined): Refused {
  if (item?.kind !== "refused") throw new Error(`expected a refusal, got ${item ? item.text.slice(0, 80) : "nothing"}`);
  return item;
}
