// How many megabytes of JSON lines a reader takes per second. "JSON.parse alone" gets lines that are
// already cut and decoded: no reader that delivers values can be faster, whatever the target says.

import { timeOf, type Contestant } from "../measure.ts";
import {
  denseMessages,
  longTextMessages,
  shortMessages,
  sizeOf,
  toChunks,
  toContentLengthFrames,
  toLines,
  type Payload,
} from "../payloads.ts";
import {
  createDecoderReader,
  readWithAcpSdk,
  readWithJsonRpc,
  readWithMcpSdk,
  readWithReadlineEvents,
  readWithReadlineLoop,
  readWithSplit2,
  readWithTransport,
  type ReadAll,
} from "../peers/ndjson-readers.ts";
import type { Case, Row } from "../row.ts";

const chunkBytes = 65_536;
// Judged is what does the same work as the peers: from a stream to messages one by one.
const ours = "hawser transport";
const readline = "readline 'line' + JSON.parse";

export const decodeNdjson: Row = {
  name: "NDJSON decode",
  prepare: () =>
    Promise.resolve([toCase(shortMessages(2_000_000), 1), toCase(longTextMessages(4_000_000), 0.9), toCase(denseMessages(4_000_000), 0.9)]),
};

function toCase(payload: Payload, atLeast: number): Case {
  const lines = toChunks(toLines(payload.texts), chunkBytes);
  const frames = toChunks(toContentLengthFrames(payload.texts), chunkBytes);
  const parseAlone: ReadAll = (_chunks, onMessage) => payload.texts.forEach((text) => onMessage(JSON.parse(text)));
  const contestants = [
    contestant(payload, ours, readWithTransport, lines),
    contestant(payload, "hawser decoder, without a stream", createDecoderReader(), lines),
    contestant(payload, readline, readWithReadlineEvents, lines),
    contestant(payload, "readline for await + JSON.parse", readWithReadlineLoop, lines),
    contestant(payload, "split2 + JSON.parse", readWithSplit2, lines),
    contestant(payload, "ACP SDK ndJsonStream", readWithAcpSdk, lines),
    contestant(payload, "MCP SDK ReadBuffer", readWithMcpSdk, lines),
    contestant(payload, "vscode-jsonrpc reader", readWithJsonRpc(payload.texts.length), frames),
    contestant(payload, "JSON.parse alone (bound)", parseAlone, []),
  ];
  return {
    name: `NDJSON decode, ${payload.name}`,
    work: `${(payload.bytes / 1e6).toFixed(0)} MB in 64 KiB chunks`,
    unit: "MB/s",
    ours,
    contestants,
    targets: [{ peer: readline, atLeast }],
  };
}

function contestant(payload: Payload, name: string, read: ReadAll, chunks: readonly Buffer[]): Contestant {
  return {
    name,
    async round() {
      let sizeSum = 0;
      const ms = await timeOf(() => read(chunks, (message) => void (sizeSum += sizeOf(message))));
      if (sizeSum !== payload.sizeSum) throw new Error(`${name} did not deliver what was sent`);
      return [payload.bytes / 1e3 / ms];
    },
  };
}
