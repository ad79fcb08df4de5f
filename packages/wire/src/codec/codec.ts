// What a framing is: bytes to messages and back, synchronous and without input or output of its own.

import type { Incoming } from "../transport/transport.ts";

export interface CodecOptions {
  readonly maxMessageBytes?: number;
  /** For a peer that streams text in pieces of JSON: half of a surrogate pair, spelled as an escape, is not refused. */
  readonly passesHalfPairs?: boolean;
}

export interface Decoder {
  /** Feeds bytes; returns what they completed, in order. After what is `fatal` nothing more is returned. */
  push(chunk: Buffer): Incoming[];
  /** Tells that no more bytes come; returns what the rest amounts to. */
  end(): Incoming[];
  /** Bytes that are kept of a message that is not complete, for a budget; left out where none are. */
  readonly unfinishedBytes?: number;
  /** Whether a message has begun and is not complete. */
  readonly isMidMessage: boolean;
}

export interface Codec {
  readonly name: string;
  createDecoder(options?: CodecOptions): Decoder;
  /** The bytes of one message; throws when it is too large, too deep or not JSON. */
  encode(message: unknown, options?: CodecOptions): Buffer;
}

// Keeps the bytes of one unfinished message. Small chunks are copied into blocks, so that a peer that sends single bytes costs
// their sum and not a buffer object each; large chunks are kept as they are.

const blockBytes = 65_536;
const keepFromBytes = 16_384;
// One for all: a new buffer for each message that came in parts would cost more than reading it as text.
const borrowed = Buffer.allocUnsafeSlow(262_144);

export function createAccumulator() {
  let parts: Buffer[] = [];
  let block: Buffer | undefined;
  let used = 0;

  function closeBlock(): void {
    if (block && used > 0) parts.push(block.subarray(0, used));
    block = undefined;
    used = 0;
  }

  // A plain member: an object with a getter stays until a full collection (decision 0031).
  const accumulator = {
    length: 0,
    add(chunk: Buffer) {
      accumulator.length += chunk.length;
      if (chunk.length >= keepFromBytes) {
        closeBlock();
        parts.push(chunk);
        return;
      }
      if (block && used + chunk.length > block.length) closeBlock();
      // Most unfinished messages are the cut-off tail of a chunk and end with the next one.
      block ??= Buffer.allocUnsafeSlow(parts.length === 0 ? Math.max(chunk.length * 2, 1_024) : blockBytes);
      used += chunk.copy(block, used);
    },
    /** As `take`, for one who reads the bytes at once: they are good until anyone borrows again. */
    borrow(): Buffer {
      closeBlock();
      if (parts.length < 2 || accumulator.length > borrowed.length) return accumulator.take();
      let end = 0;
      for (const part of parts) end += part.copy(borrowed, end);
      parts = [];
      accumulator.length = 0;
      return borrowed.subarray(0, end);
    },
    /** Everything added so far as one buffer; the accumulator is empty afterwards. */
    take(): Buffer {
      closeBlock();
      const [first] = parts;
      const whole = parts.length === 1 && first ? first : Buffer.concat(parts, accumulator.length);
      parts = [];
      accumulator.length = 0;
      return whole;
    },
  };
  return accumulator;
}
