// The items of a batch from its bytes, a JSON array or one JSON value per line, with one item and one chunk in memory. An
// entry that is not an item is reported in its place, with its position, and reading goes on behind it.

import { isUtf8 } from "node:buffer";
import { HawserError, toHawserError } from "@hawser/protocol";
import { type Incoming, parseJsonText, wireLimits } from "@hawser/wire/internal";
import { ndjson } from "@hawser/wire/node";
import { gatewayLimits } from "../limits.ts";
import { withExactNumbers } from "../request/call-item.ts";
import { createArraySplitter } from "./array-splitter.ts";

/** `text` is the item's source; `error` says why there is no value. */
export interface BatchEntry {
  /** The line, or the place in the array; 1 for the first. */
  readonly position: number;
  readonly text: string;
  readonly value?: unknown;
  readonly error?: HawserError | undefined;
}

const openingBracket = 0x5b;
const byteOrderMark = [0xef, 0xbb, 0xbf];
const blank = new Set([0x20, 0x09, 0x0a, 0x0d]);

/** Throws `usage` for an input without a single item, and before the first one where items go over several lines. */
export async function* readBatch(source: AsyncIterable<Buffer>): AsyncGenerator<BatchEntry, void, undefined> {
  let parse: BatchParser | undefined;
  let lead: Buffer[] = [];
  let leadBytes = 0;
  let count = 0;
  for await (const chunk of requireOneLineItems(source)) {
    lead.push(chunk);
    parse ??= parserFor(chunk, leadBytes);
    leadBytes += chunk.length;
    if (!parse) continue;
    const entries = parse.push(lead.length === 1 ? chunk : Buffer.concat(lead));
    count += entries.length;
    yield* entries;
    lead = [];
  }
  const last = parse?.end() ?? [];
  count += last.length;
  yield* last;
  if (count === 0) throw new HawserError("usage", "the batch is empty; give a JSON array of calls, or one call per line");
}

interface BatchParser {
  push(chunk: Buffer): BatchEntry[];
  end(): BatchEntry[];
}

/** Undefined while nothing but blanks was seen; they count as lines, so nothing is dropped. */
function parserFor(chunk: Buffer, bytesBefore: number): BatchParser | undefined {
  // Blanks alone are not collected for ever: a line is allowed to be that long, and no longer.
  const first = chunk.find((byte, at) => !blank.has(byte) && byte !== byteOrderMark[bytesBefore + at]);
  if (first === undefined && bytesBefore + chunk.length <= wireLimits.maxMessageBytes) return undefined;
  if (first === openingBracket) return arrayParser();
  const lines = ndjson.createDecoder();
  return { push: (chunk) => lines.push(chunk).map(toEntry), end: () => lines.end().map(toEntry) };
}

function toEntry(item: Incoming): BatchEntry {
  const { position } = item;
  if (item.kind === "message") return { position, text: item.text, value: withExactNumbers(item.value, item.text) };
  return { position, text: item.head, error: item.error };
}

function arrayParser(): BatchParser {
  const splitter = createArraySplitter();
  let position = 0;
  function read(part: Buffer | HawserError): BatchEntry {
    position++;
    if (HawserError.isInstance(part)) return { position, text: "", error: part };
    const text = part.toString("utf8");
    try {
      if (!isUtf8(part)) throw new HawserError("invalid_utf8", "not valid UTF-8");
      return { position, text, value: withExactNumbers(parseJsonText(text), text) };
    } catch (error) {
      return { position, text: text.slice(0, wireLimits.refusedHeadBytes), error: toHawserError(error) };
    }
  }
  return { push: (chunk) => splitter.push(chunk).map(read), end: () => splitter.end().map(read) };
}

const leadingMark = /^\u00ef\u00bb\u00bf/;
const hint = "an object that goes over several lines becomes one by: jq -c . <file>";

/** Passes the bytes on; throws `usage` before the first item where items go over several lines. */
async function* requireOneLineItems(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
  let head = "";
  let isLooking = true;
  for await (const chunk of source) {
    if (isLooking) {
      // One character per byte: what is looked for is ASCII, wherever a chunk ends.
      head = (head + chunk.toString("latin1")).replace(leadingMark, "").trimStart();
      const end = head.indexOf("\n");
      if (end !== -1 && goesOn(head.slice(0, end).trimEnd())) {
        throw new HawserError("usage", "the batch needs one JSON object per line", { facts: { hint } });
      }
      isLooking = end === -1 && head.length <= gatewayLimits.batchFirstLineBytes;
    }
    yield chunk;
  }
}

/** Whether an object begins here that this line does not end. */
const goesOn = (line: string): boolean => line.startsWith("{") && /[{[,:]$/.test(line);
