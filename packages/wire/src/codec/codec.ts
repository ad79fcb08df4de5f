// What a framing is: bytes to messages and back, synchronous and without input or output of its own.

import type { Incoming } from "../transport.ts";

export interface CodecOptions {
  readonly maxMessageBytes?: number;
  /** For a peer that streams text in pieces of JSON: half of a surrogate pair, spelled as an escape, is not refused. */
  readonly passesHalfPairs?: boolean;
}

export interface Decoder {
  /** Feeds bytes; returns what they completed, in order. */
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
