// Newline-delimited JSON. Lines end at byte 0x0A and nowhere else (a JSON string may hold U+2028 or a lone CR). A line that is
// too long, too deep, not UTF-8 or not JSON is refused once, and reading goes on. Size is checked before bytes are kept.

import { isAscii, isUtf8 } from "node:buffer";
import { HawserError, toHawserError, tooLarge } from "@hawser/protocol/internal";
import { wireLimits } from "../limits.ts";
import type { Incoming } from "../transport/transport.ts";
import { createAccumulator, type Codec, type CodecOptions, type Decoder } from "./codec.ts";
import { JsonText, readMessage, toJsonText } from "./json-text.ts";

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

export const ndjson: Codec = {
  name: "ndjson",
  createDecoder: createNdjsonDecoder,
  encode(message, options = {}) {
    const whole = toJsonText(message);
    // Text that is sent as it is may have line feeds between its tokens; only there they can be.
    const text = message instanceof JsonText ? whole.replaceAll("\n", " ") : whole;
    const bytes = Buffer.byteLength(text);
    const max = options.maxMessageBytes ?? wireLimits.maxMessageBytes;
    if (bytes > max) throw tooLarge("line", bytes, max);
    return Buffer.from(`${text}\n`);
  },
};

function createNdjsonDecoder(options: CodecOptions = {}): Decoder {
  const { maxMessageBytes: maxBytes = wireLimits.maxMessageBytes, passesHalfPairs = false } = options;
  const unfinished = createAccumulator();
  let position = 0;
  let isDiscarding = false;
  let isAtStart = true;

  const refused = (error: HawserError, head: Buffer): Incoming => ({
    kind: "refused",
    error,
    head: head.toString("utf8", 0, wireLimits.refusedHeadBytes),
    position,
    fatal: false,
  });

  const mayHoldHalfPairs = (text: string): boolean => !passesHalfPairs && text.includes("\\u");

  function readText(text: string, into: Incoming[], mayHoldEscapes: boolean): void {
    position++;
    // Most lines are known not to be blank by their first character.
    if (!(text.charCodeAt(0) > 0x20) && isBlank(text)) return;
    try {
      into.push(readMessage(text, position, mayHoldEscapes));
    } catch (error) {
      into.push(refused(toHawserError(error), Buffer.from(text.slice(0, wireLimits.refusedHeadBytes))));
    }
  }

  function readLine(line: Buffer, into: Incoming[]): void {
    const bytes = line.at(-1) === carriageReturn ? line.subarray(0, -1) : line;
    if (bytes.length > maxBytes) {
      position++;
      into.push(refused(tooLarge("line", bytes.length, maxBytes), bytes));
      return;
    }
    const text = toText(bytes);
    if (text !== undefined) return readText(text, into, mayHoldHalfPairs(text));
    position++;
    into.push(refused(new HawserError("invalid_utf8", "not valid UTF-8; encode each line as UTF-8"), bytes));
  }

  // Whole lines of one chunk. One decoding for all of them is what makes short lines cheap; a
  // region that is not valid as a whole is taken line by line, so that only bad lines suffer.
  function readLines(region: Buffer, into: Incoming[]): void {
    const text = region.length <= maxBytes ? toText(region) : undefined;
    if (text !== undefined) {
      const mayHoldEscapes = mayHoldHalfPairs(text);
      let start = 0;
      for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", start)) {
        readText(text.slice(start, at), into, mayHoldEscapes);
        start = at + 1;
      }
      readText(text.slice(start), into, mayHoldEscapes);
      return;
    }
    let start = 0;
    for (let at = region.indexOf(lineFeed); at !== -1; at = region.indexOf(lineFeed, start)) {
      readLine(region.subarray(start, at), into);
      start = at + 1;
    }
    readLine(region.subarray(start), into);
  }

  function keep(rest: Buffer, into: Incoming[]): void {
    if (rest.length === 0 || isDiscarding) return;
    // One byte more than the limit, since the last one may be the CR that does not count.
    if (unfinished.length + rest.length <= maxBytes + 1) {
      unfinished.add(rest);
      return;
    }
    // Refused as soon as it is known to be too long: the line may never end.
    position++;
    const declared = unfinished.length + rest.length;
    const head = Buffer.concat([unfinished.take().subarray(0, wireLimits.refusedHeadBytes), rest.subarray(0, wireLimits.refusedHeadBytes)]);
    into.push(refused(tooLarge("line", declared, maxBytes), head));
    isDiscarding = true;
  }

  function readChunk(chunk: Buffer): Incoming[] {
    const into: Incoming[] = [];
    if (isAtStart) {
      const start = withoutMark(chunk);
      if (start === undefined) return into;
      chunk = start;
    }
    const last = chunk.lastIndexOf(lineFeed);
    if (last === -1) {
      keep(chunk, into);
      return into;
    }
    let begin = 0;
    if (isDiscarding || unfinished.length > 0) {
      const first = chunk.indexOf(lineFeed);
      keep(chunk.subarray(0, first), into);
      if (!isDiscarding) readLine(unfinished.borrow(), into);
      isDiscarding = false;
      begin = first + 1;
    }
    if (begin <= last) readLines(chunk.subarray(begin, last), into);
    keep(chunk.subarray(last + 1), into);
    return into;
  }

  // The mark may arrive byte by byte; until it is whole or ruled out, its bytes wait in `unfinished`.
  function withoutMark(chunk: Buffer): Buffer | undefined {
    const seen = unfinished.length > 0 ? Buffer.concat([unfinished.take(), chunk]) : chunk;
    const compared = Math.min(seen.length, byteOrderMark.length);
    if (seen.compare(byteOrderMark, 0, compared, 0, compared) !== 0) {
      isAtStart = false;
      return seen;
    }
    if (seen.length < byteOrderMark.length) {
      if (seen.length > 0) unfinished.add(seen);
      return undefined;
    }
    isAtStart = false;
    return seen.subarray(byteOrderMark.length);
  }

  // Plain members: an object with a getter stays until a full collection (decision 0031).
  const decoder = {
    unfinishedBytes: 0,
    isMidMessage: false,
    push(chunk: Buffer): Incoming[] {
      const items = readChunk(chunk);
      decoder.unfinishedBytes = unfinished.length;
      decoder.isMidMessage = isDiscarding || unfinished.length > 0;
      return items;
    },
    end(): Incoming[] {
      const into: Incoming[] = [];
      if (unfinished.length > 0) readLine(unfinished.borrow(), into);
      decoder.unfinishedBytes = 0;
      decoder.isMidMessage = isDiscarding;
      return into;
    },
  };
  return decoder;
}

/** Undefined for what is not UTF-8. Most lines are ASCII, which needs no decoding. */
const toText = (bytes: Buffer): string | undefined =>
  isAscii(bytes) ? bytes.toString("latin1") : isUtf8(bytes) ? bytes.toString("utf8") : undefined;

const isBlank = (text: string): boolean => {
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit !== 0x20 && unit !== 0x09 && unit !== 0x0d) return false;
  }
  return true;
};
