// What both framings guarantee alike: the same messages in the same order, however the bytes are
// cut; exact limits with one refusal each; and a cost that does not grow with the number of chunks.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Codec } from "../../src/codec/codec.ts";
import { lengthPrefix } from "../../src/codec/length-prefix.ts";
import { wireLimits } from "../../src/limits.ts";
import { asReceived, asRefused, cut, decodeAll, framings, oneByteEach, outcomes, rawFrame, valuesOf } from "../framing.ts";
import { processorTimeOf } from "../../../../test/kit/processor-time.ts";
import { createRandom } from "../random.ts";

const manyBytesEach = { a: "é ß 漢字 💥 \u2028", list: [1, null, { b: "\n" }] };

describe.each(framings)("$name", (codec) => {
  it("R5 decodes a multi-byte message that is cut in two at any position", () => {
    const bytes = codec.encode(manyBytesEach);
    for (let at = 0; at <= bytes.length; at++) {
      const items = decodeAll(codec, [bytes.subarray(0, at), bytes.subarray(at)]);
      expect(valuesOf(items), `cut at ${at}`).toEqual([manyBytesEach]);
    }
  });

  it("R5 decodes messages that arrive one byte at a time, and knows when it is inside one", () => {
    const decoder = codec.createDecoder();
    const bytes = Buffer.concat([codec.encode(manyBytesEach), codec.encode({ second: true })]);
    const items = oneByteEach(bytes).flatMap((byte) => {
      const completed = decoder.push(byte);
      expect(decoder.isMidMessage).toBe(completed.length === 0);
      return completed;
    });
    expect(valuesOf(items)).toEqual([manyBytesEach, { second: true }]);
    expect(items.map(({ position }) => position)).toEqual([1, 2]);
  });

  it("R5 decodes several frames of one chunk in order, and keeps the beginning of the next", () => {
    const decoder = codec.createDecoder();
    const bytes = Buffer.concat([1, 2, 3, 4].map((n) => codec.encode({ n })));
    const items = decoder.push(bytes.subarray(0, -3));
    expect(valuesOf(items)).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
    expect(decoder.isMidMessage).toBe(true);
    expect(valuesOf(decoder.push(bytes.subarray(-3)))).toEqual([{ n: 4 }]);
  });

  it("ignores empty chunks, at the start and inside a message", () => {
    const bytes = codec.encode(manyBytesEach);
    const chunks = [Buffer.alloc(0), bytes.subarray(0, 7), Buffer.alloc(0), bytes.subarray(7), Buffer.alloc(0)];
    expect(valuesOf(decodeAll(codec, chunks))).toEqual([manyBytesEach]);
  });

  it("WIR-01 any list of JSON values, cut anywhere, decodes to the same list in the same order", () => {
    const run = fc.property(fc.array(wellFormedJson, { maxLength: 20 }), fc.array(fc.integer({ min: 1, max: 143 })), (list, sizes) => {
      const chunks = cut(Buffer.concat(list.map((value) => codec.encode(value))), sizes);
      // -0 has no JSON text of its own: it is written as 0.
      expect(valuesOf(decodeAll(codec, chunks))).toEqual(list.map((value) => JSON.parse(JSON.stringify(value)) as unknown));
    });
    fc.assert(run, { numRuns: 100 });
  });

  it("WIR-01 10,000 frames cut at random points of 1 to 143 bytes all arrive, in order", () => {
    const random = createRandom(1);
    const frames = Array.from({ length: 10_000 }, (_, n) => codec.encode({ n, text: "é💥".repeat(random.below(12)) }));
    const bytes = Buffer.concat(frames);
    const sizes = Array.from({ length: bytes.length }, () => random.between(1, 143));
    const items = decodeAll(codec, cut(bytes, sizes));
    expect(items.length).toBe(10_000);
    expect(items.every((item, n) => (asReceived(item).value as { n: number }).n === n && item.position === n + 1)).toBe(true);
  });

  it("WIR-02 R9 takes exactly 10,485,760 bytes; one more is refused once and the stream lives", () => {
    expect(wireLimits.maxMessageBytes).toBe(10_485_760);
    const largest = `"${"x".repeat(10_485_758)}"`;
    const stream = [rawFrame(codec, largest), rawFrame(codec, `${largest} `), rawFrame(codec, '{"alive":true}')];
    for (const chunkBytes of [65_536, 10_485_764 + 1, 100_000_000]) {
      const chunks = cut(Buffer.concat(stream), Array<number>(400).fill(chunkBytes));
      const items = decodeAll(codec, chunks);
      expect(outcomes(items), `chunks of ${chunkBytes}`).toEqual(["message", "too_large", "message"]);
      expect(asRefused(items[1])).toMatchObject({ position: 2, fatal: false });
      expect(asReceived(items[2])).toMatchObject({ value: { alive: true }, position: 3 });
    }
  });

  it("R9 encodes exactly 10,485,760 bytes of UTF-8 and refuses one more, naming both sizes", () => {
    const largest = "é".repeat(5_242_879);
    expect(codec.encode(largest).length).toBeGreaterThan(10_485_760);
    expect(() => codec.encode(`${largest}x`)).toThrow(
      expect.objectContaining({ code: "too_large", facts: { bytes: 10_485_761, maxBytes: 10_485_760 } }),
    );
  });

  it("keeps a smaller limit that it was given, in both directions", () => {
    const small = { maxMessageBytes: 10 };
    const items = decodeAll(codec, [rawFrame(codec, '"12345678"'), rawFrame(codec, '"123456789"'), rawFrame(codec, "1")], small);
    expect(outcomes(items)).toEqual(["message", "too_large", "message"]);
    expect(codec.encode("12345678", small)).toBeInstanceOf(Buffer);
    expect(() => codec.encode("123456789", small)).toThrow(expect.objectContaining({ code: "too_large" }));
  });

  it("WIR-07 decodes every JSON value that is not an object; only the protocol judges them", () => {
    const payloads = ["[]", "1", "null", '"x"', "true", "{}"];
    const items = decodeAll(codec, [Buffer.concat(payloads.map((payload) => rawFrame(codec, payload)))]);
    expect(valuesOf(items)).toEqual([[], 1, null, "x", true, {}]);
  });

  it("WIR-06 9 MiB in chunks of 1 KiB cost at most 5 times what they cost in chunks of 64 KiB", () => {
    const bytes = codec.encode("x".repeat(9 * 1_048_576));
    const small = bestTimeOf(3, codec, cut(bytes, Array<number>(9_300).fill(1_024)));
    const large = bestTimeOf(3, codec, cut(bytes, Array<number>(150).fill(65_536)));
    expect(small / large).toBeLessThanOrEqual(5);
  });
});

// What they cost is the parser's, which both framings share: echo-process.test.ts has more shapes over NDJSON, with their memory.
it("WIR-09 10 MiB of 3.5 million small objects are served or refused, once, and the decoder lives", () => {
  const bytes = Buffer.concat([rawFrame(lengthPrefix, `[${"{},".repeat(3_495_252)}{}]`), rawFrame(lengthPrefix, "1")]);
  const items = decodeAll(lengthPrefix, cut(bytes, Array<number>(200).fill(65_536)));
  expect(items.length).toBe(2);
  expect(asReceived(items[1]).value).toBe(1);
});

const wellFormedJson = fc.jsonValue({ maxDepth: 6, stringUnit: "binary" });

function bestTimeOf(rounds: number, codec: Codec, chunks: readonly Buffer[]): number {
  let best = Infinity;
  for (let round = 0; round < rounds; round++) {
    const time = processorTimeOf(() => expect(decodeAll(codec, chunks).length).toBe(1));
    best = Math.min(best, time);
  }
  return best;
}
