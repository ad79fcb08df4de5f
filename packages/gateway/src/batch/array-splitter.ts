// Cuts the text of a JSON array into its elements without parsing it: every comma of the outermost level ends one. An
// element that is longer than a message may be is passed over and reported.

import { HawserError } from "@hawser/protocol";
import { wireLimits } from "@hawser/wire";

export interface ArraySplitter {
  /** Feeds bytes; returns the elements they completed, or the error in its place. */
  push(chunk: Buffer): (Buffer | HawserError)[];
  end(): (Buffer | HawserError)[];
}

const [quote, backslash, comma] = [0x22, 0x5c, 0x2c];
const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d];
const isBlank = (byte: number): boolean => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);

export function createArraySplitter(maxBytes: number = wireLimits.maxMessageBytes): ArraySplitter {
  let depth = 0;
  let isInString = false;
  let isEscaped = false;
  let isOver = false;
  let hasJunk = false;
  let hasComma = false;
  let isEmpty = true;
  let kept: Buffer[] = [];
  let keptBytes = 0;

  // `depth` is 0 before the array, 1 between its elements' own brackets.
  function push(chunk: Buffer): (Buffer | HawserError)[] {
    const elements: (Buffer | HawserError)[] = [];
    let from = depth === 0 ? chunk.length : 0;
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at] as number;
      if (isInString) {
        if (isEscaped) isEscaped = false;
        else if (byte === backslash) isEscaped = true;
        else if (byte === quote) isInString = false;
      } else if (isOver) {
        hasJunk ||= !isBlank(byte);
      } else if (depth === 0) {
        if (byte === openBracket) [depth, from] = [1, at + 1];
      } else if (byte === quote) {
        [isInString, isEmpty] = [true, false];
      } else if (byte === openBrace || byte === openBracket) {
        depth++;
        isEmpty = false;
      } else if (depth === 1 && (byte === comma || byte === closeBracket || byte === closeBrace)) {
        keep(chunk.subarray(from, at));
        hasJunk ||= byte === closeBrace;
        finish(byte === comma, elements);
        from = at + 1;
      } else if (byte === closeBrace || byte === closeBracket) {
        depth--;
      } else if (!isBlank(byte)) {
        isEmpty = false;
      }
    }
    if (!isOver) keep(chunk.subarray(from));
    return elements;
  }

  function keep(part: Buffer): void {
    keptBytes += part.length;
    // Its bytes are counted on, for the report, but not kept.
    if (keptBytes > maxBytes) kept = [];
    else if (part.length > 0) kept.push(part);
  }

  function finish(isFollowed: boolean, elements: (Buffer | HawserError)[]): void {
    // Nothing at all between the brackets is an empty array; nothing beside a comma is a mistake.
    if (!isEmpty || isFollowed || hasComma) elements.push(taken());
    [kept, keptBytes, isEmpty, hasComma, isOver] = [[], 0, true, isFollowed, !isFollowed];
  }

  function taken(): Buffer | HawserError {
    if (isEmpty) return new HawserError("invalid_json", "there is no value beside the comma");
    if (keptBytes <= maxBytes) return Buffer.concat(kept);
    return new HawserError("too_large", `an item of ${keptBytes} bytes; the limit is ${maxBytes}`, {
      facts: { bytes: keptBytes, maxBytes },
    });
  }

  return {
    push,
    end() {
      if (!isOver) return [new HawserError("invalid_json", "the array does not end; its last item may be incomplete and was not called")];
      return hasJunk
        ? [new HawserError("invalid_json", "the array does not end as it should; there is something in the place of its end or behind it")]
        : [];
    },
  };
}
