// Bytes of a batch, with a look at their first line: an object that goes over several lines would be one bad item
// per line, so it is refused as a whole, with what to do. Arrays may have any lines, and bad items elsewhere stay items.

import { HawserError, limits } from "@hawser/wire";

const byteOrderMark = /^\u00ef\u00bb\u00bf/;
const hint = "an object that goes over several lines becomes one by: jq -c . <file>";

/** Passes the bytes on; throws `usage` before the first item where items go over several lines. */
export async function* requireOneLineItems(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
  let head = "";
  let isLooking = true;
  for await (const chunk of source) {
    if (isLooking) {
      // One character per byte: what is looked for is ASCII, wherever a chunk ends.
      head = (head + chunk.toString("latin1")).replace(byteOrderMark, "").trimStart();
      const end = head.indexOf("\n");
      if (end !== -1 && goesOn(head.slice(0, end).trimEnd())) {
        throw new HawserError("usage", "the batch needs one JSON object per line", { facts: { hint } });
      }
      isLooking = end === -1 && head.length <= limits.batchFirstLineBytes;
    }
    yield chunk;
  }
}

/** Whether an object begins here that this line does not end. */
const goesOn = (line: string): boolean => line.startsWith("{") && /[{[,:]$/.test(line);
