// Lines from an MCP client. Many clients write the id of a request behind its params, so the end of a line that is too long is kept
// as well: the request is refused by its id, and the client doesn't wait for a timeout.

import { type Incoming, memberSource, type Refused, wireLimits } from "@hawser/wire/internal";
import { ndjson, type Codec, type CodecOptions, type Decoder } from "@hawser/wire/node";

export const clientLines: Codec = { ...ndjson, createDecoder: createClientLinesDecoder };

const lineFeed = 0x0a;
const noBytes = Buffer.alloc(0);

function createClientLinesDecoder(options?: CodecOptions): Decoder {
  const inner = ndjson.createDecoder(options);
  /** The last bytes of the line that is being read. */
  let lineEnd: Buffer = noBytes;
  /** A refused line whose end has not come yet. */
  let unfinished: Refused | undefined;

  function push(chunk: Buffer): Incoming[] {
    const at = chunk.indexOf(lineFeed);
    const before = lineEnd;
    lineEnd = at === -1 ? lastBytes(before, chunk) : lastBytes(noBytes, chunk.subarray(chunk.lastIndexOf(lineFeed) + 1));
    // A line that is too long is longer than a chunk, so in each chunk it can only be the first.
    const items = inner.push(chunk);
    const [first] = items;
    if (isTooLong(first)) {
      unfinished = first;
      items.shift();
    }
    if (!unfinished || at === -1) return items;
    const refused = withIdFrom(unfinished, lastBytes(before, chunk.subarray(0, at)));
    unfinished = undefined;
    return [refused, ...items];
  }

  return {
    push,
    end: () => [...(unfinished ? [withIdFrom(unfinished, lineEnd)] : []), ...inner.end()],
    get unfinishedBytes() {
      return inner.unfinishedBytes ?? 0;
    },
    get isMidMessage() {
      return inner.isMidMessage;
    },
  };
}

const isTooLong = (item: Incoming | undefined): item is Refused => item?.kind === "refused" && item.error.code === "too_large";

/** Copied, so that the chunks can be freed. */
function lastBytes(before: Buffer, chunk: Buffer): Buffer {
  const max = wireLimits.refusedHeadBytes;
  if (chunk.length === 0) return before;
  return Buffer.concat([chunk.length >= max ? noBytes : before, chunk.subarray(-max)]).subarray(-max);
}

// The last member of the outermost object, or the one before `jsonrpc`: an inner object can't end the line.
const idAtEnd = /[,{]\s*"id"\s*:\s*("(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*)\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/;

function withIdFrom(item: Refused, end: Buffer): Refused {
  if (memberSource(item.head, "id") !== undefined) return item;
  const source = idAtEnd.exec(end.toString("utf8"))?.[1];
  return source === undefined ? item : { ...item, head: item.head.replace("{", () => `{"id":${source},`) };
}
