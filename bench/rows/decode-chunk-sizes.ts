// One message of 9 MiB that arrives in small chunks must cost about what it costs in large ones:
// a decoder that joins its buffer again for every chunk would take a hundred times as long.

import { lengthPrefix, ndjson, type Codec } from "@hawser/wire/node";
import { timeOf, type Contestant } from "../measure.ts";
import { sizeOf, textMessage, toChunks } from "../payloads.ts";
import type { Case, Row } from "../row.ts";

const messageBytes = 9 * 1_048_576;
const small = "1 KiB chunks";
const large = "64 KiB chunks";
const decodesPerRound = 3;

export const decodeChunkSizes: Row = {
  name: "Decode in small chunks",
  prepare() {
    const message: unknown = JSON.parse(textMessage(messageBytes));
    return Promise.resolve([ndjson, lengthPrefix].map((codec) => toCase(codec, message)));
  },
};

function toCase(codec: Codec, message: unknown): Case {
  const bytes = codec.encode(message);
  const decodeIn = (name: string, chunkBytes: number): Contestant => {
    const chunks = toChunks(bytes, chunkBytes);
    return {
      name,
      async round() {
        const samples: number[] = [];
        for (let count = 0; count < decodesPerRound; count++) samples.push(await timeOf(() => decode(codec, chunks, sizeOf(message))));
        return samples;
      },
    };
  };
  return {
    name: `Decode one 9 MiB message, ${codec.name}`,
    work: `${decodesPerRound} times`,
    unit: "ms",
    ours: small,
    contestants: [decodeIn(small, 1_024), decodeIn(large, 65_536)],
    targets: [{ peer: large, atMost: 1.5 }],
  };
}

function decode(codec: Codec, chunks: readonly Buffer[], size: number): void {
  const decoder = codec.createDecoder();
  const items = chunks.flatMap((chunk) => decoder.push(chunk));
  const [item] = items;
  if (items.length !== 1 || item?.kind !== "message" || sizeOf(item.value) !== size)
    throw new Error(`${codec.name} did not deliver the message`);
}
