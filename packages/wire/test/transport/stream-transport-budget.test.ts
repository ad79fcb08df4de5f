// Connections that share a budget and come to the ends of heavy messages in the same turn: a message counts from the
// moment in which it is parsed, although its reader comes to see it only when the turn is over.

import { PassThrough } from "node:stream";
import { expect, it } from "vitest";
import { lengthPrefix } from "../../src/codec/length-prefix.ts";
import { weighJsonText } from "../../src/codec/json-text.ts";
import { createByteBudget } from "../../src/flow/byte-budget.ts";
import { createStreamTransport } from "../../src/transport/stream-transport.ts";
import { rawFrame } from "../framing.ts";

const text = `{"a":[${"{},".repeat(5_000)}{}]}`;
const weight = weighJsonText(text);
const frame = rawFrame(lengthPrefix, text);

it("G10 no more of them are parsed before they are seen than the budget holds, and one more; each is seen in the end", async () => {
  const budget = createByteBudget(3 * weight - 1);
  const counts = { parsed: 0, seen: 0, mostUnseen: 0, refused: 0 };
  const tap = (): void => void (counts.mostUnseen = Math.max(counts.mostUnseen, ++counts.parsed - counts.seen));
  const streams = Array.from({ length: 12 }, () => new PassThrough());
  const reads = streams.map(async (readable) => {
    const transport = createStreamTransport({ readable, writable: new PassThrough(), codec: lengthPrefix, budget, tap });
    await transport.incoming[Symbol.asyncIterator]().next();
    counts.seen++;
    if (budget.isFull) counts.refused++;
    else budget.openShare().set(weight);
  });
  for (const stream of streams) stream.write(frame.subarray(0, -1));
  await new Promise(setImmediate);
  expect(counts.parsed).toBe(0);
  for (const stream of streams) stream.write(frame.subarray(-1));
  await Promise.all(reads);
  expect(counts.mostUnseen).toBeGreaterThan(0);
  expect(counts.mostUnseen).toBeLessThanOrEqual(4);
  // A reader is not refused for the message that it has just been given.
  expect(counts).toMatchObject({ parsed: 12, seen: 12, refused: 9 });
});
