// Frames of a 4-byte big-endian length and that many bytes of UTF-8 JSON. A frame that is too long is refused at its header and
// skipped; an absurd length means that the framing is lost, and ends the stream. Nothing is allocated from a length.

import { isUtf8 } from "node:buffer";
import { HawserError, toHawserError, tooLarge } from "@hawser/protocol/internal";
import { wireLimits } from "../limits.ts";
import type { Incoming } from "../transport/transport.ts";
import { createAccumulator, type Codec, type CodecOptions, type Decoder } from "./codec.ts";
import { readMessage, toJsonText } from "./json-text.ts";

export const LENGTH_PREFIX_SIZE = 4;

export const lengthPrefix: Codec = {
  name: "length-prefix",
  createDecoder: createLengthPrefixDecoder,
  encode(message, options = {}) {
    const text = toJsonText(message);
    const bytes = Buffer.byteLength(text);
    const max = options.maxMessageBytes ?? wireLimits.maxMessageBytes;
    if (bytes > max) throw tooLarge("frame", bytes, max);
    const frame = Buffer.allocUnsafe(LENGTH_PREFIX_SIZE + bytes);
    frame.writeUInt32BE(bytes, 0);
    frame.write(text, LENGTH_PREFIX_SIZE);
    return frame;
  },
};

function createLengthPrefixDecoder(options: CodecOptions = {}): Decoder {
  const maxBytes = options.maxMessageBytes ?? wireLimits.maxMessageBytes;
  const unfinished = createAccumulator();
  let bodyBytes: number | undefined;
  let skipBytes = 0;
  let position = 0;
  let isOver = false;

  function refuse(error: HawserError, head: Buffer, fatal = false): Incoming {
    isOver = fatal;
    return { kind: "refused", error, head: head.toString("utf8", 0, wireLimits.refusedHeadBytes), position, fatal };
  }

  function readBody(body: Buffer): Incoming {
    position++;
    if (body.length === 0) return refuse(new HawserError("invalid_json", "empty frame; a frame holds one JSON value"), body);
    if (!isUtf8(body)) return refuse(new HawserError("invalid_utf8", "not valid UTF-8; encode each frame as UTF-8"), body);
    const text = body.toString("utf8");
    try {
      return readMessage(text, position);
    } catch (error) {
      return refuse(toHawserError(error), body);
    }
  }

  // Refused at the header, before its bytes are in: they may never come.
  function readHeader(length: number, into: Incoming[]): void {
    if (length <= maxBytes) {
      bodyBytes = length;
      return;
    }
    position++;
    into.push(refuse(tooLarge("frame", length, maxBytes), Buffer.alloc(0), length > wireLimits.maxDiscardBytes));
    skipBytes = length;
  }

  // `rest` is what is left of the chunk; `needed` bytes make the next step, from what was kept before and it.
  function takeBytes(rest: Buffer, needed: number): Buffer | undefined {
    if (unfinished.length + rest.length < needed) {
      if (rest.length > 0) unfinished.add(rest);
      return undefined;
    }
    if (unfinished.length === 0) return rest.subarray(0, needed);
    unfinished.add(rest.subarray(0, needed - unfinished.length));
    return unfinished.borrow();
  }

  function readChunk(chunk: Buffer): Incoming[] {
    const into: Incoming[] = [];
    let rest = chunk;
    while (!isOver) {
      if (skipBytes > 0) {
        const passed = Math.min(skipBytes, rest.length);
        skipBytes -= passed;
        rest = rest.subarray(passed);
        if (skipBytes > 0) return into;
      }
      const needed = bodyBytes ?? LENGTH_PREFIX_SIZE;
      const held = unfinished.length;
      const bytes = takeBytes(rest, needed);
      if (!bytes) return into;
      rest = rest.subarray(needed - held);
      if (bodyBytes === undefined) {
        readHeader(bytes.readUInt32BE(0), into);
      } else {
        bodyBytes = undefined;
        into.push(readBody(bytes));
      }
    }
    return into;
  }

  const isMidMessage = (): boolean => !isOver && (skipBytes > 0 || bodyBytes !== undefined || unfinished.length > 0);

  // Plain members: an object with a getter stays until a full collection (decision 0031).
  const decoder = {
    unfinishedBytes: 0,
    isMidMessage: false,
    push(chunk: Buffer): Incoming[] {
      const items = readChunk(chunk);
      decoder.unfinishedBytes = unfinished.length;
      decoder.isMidMessage = isMidMessage();
      return items;
    },
    end(): Incoming[] {
      // A frame that was refused at its header is not refused again for being cut short.
      if (!isMidMessage() || skipBytes > 0) return [];
      position++;
      const error = new HawserError("connection_lost", "the stream ended inside a frame");
      return [refuse(error, unfinished.take(), true)];
    },
  };
  return decoder;
}
