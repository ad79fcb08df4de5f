// A picture that moves, made of screenshots of one size: their compressed lines go as they are into one file (APNG), each with the time
// for which it is shown. It plays for ever; what can't play it shows the first frame.

import { crc32 } from "node:zlib";

export interface Frame {
  readonly png: Buffer;
  readonly showMs: number;
}

interface Chunk {
  readonly type: string;
  readonly data: Buffer;
}

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

export function toAnimatedPng(frames: readonly Frame[]): Buffer {
  const [first] = frames;
  if (!first) throw new Error("a picture needs a frame");
  const head = dataOf(first.png, "IHDR");
  let count = 0;
  const chunks: Chunk[] = [
    { type: "IHDR", data: head },
    { type: "acTL", data: numbers(frames.length, 0) },
  ];
  for (const [at, { png, showMs }] of frames.entries()) {
    if (!dataOf(png, "IHDR").equals(head)) throw new Error(`frame ${at} has another size or kind of colour`);
    const lines = dataOf(png, "IDAT");
    chunks.push({ type: "fcTL", data: control(count++, head, showMs) });
    if (at === 0) chunks.push({ type: "IDAT", data: lines });
    else chunks.push({ type: "fdAT", data: Buffer.concat([numbers(count++), lines]) });
  }
  chunks.push({ type: "IEND", data: Buffer.alloc(0) });
  return Buffer.concat([signature, ...chunks.map(encode)]);
}

/** All of it, where it comes in pieces. */
const dataOf = (png: Buffer, type: string): Buffer =>
  Buffer.concat([...readChunks(png)].flatMap((chunk) => (chunk.type === type ? [chunk.data] : [])));

function* readChunks(png: Buffer): Generator<Chunk> {
  for (let at = signature.length; at < png.length;) {
    const length = png.readUInt32BE(at);
    yield { type: png.toString("latin1", at + 4, at + 8), data: png.subarray(at + 8, at + 8 + length) };
    at += 12 + length;
  }
}

function numbers(...values: readonly number[]): Buffer {
  const buffer = Buffer.alloc(4 * values.length);
  for (const [at, value] of values.entries()) buffer.writeUInt32BE(value, 4 * at);
  return buffer;
}

/** The whole picture, in place of the one before it. */
function control(number: number, head: Buffer, showMs: number): Buffer {
  const time = Buffer.alloc(6);
  time.writeUInt16BE(showMs, 0);
  time.writeUInt16BE(1_000, 2);
  return Buffer.concat([numbers(number, head.readUInt32BE(0), head.readUInt32BE(4), 0, 0), time]);
}

function encode({ type, data }: Chunk): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  return Buffer.concat([numbers(data.length), body, numbers(crc32(body))]);
}
