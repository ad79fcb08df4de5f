// The store of an unfinished message: the same bytes come out, in one piece, at a bounded cost.

import { expect, it } from "vitest";
import { createAccumulator } from "../../src/codec/codec.ts";
import { cut } from "../framing.ts";
import { createRandom } from "../random.ts";

it("gives back what was added, in order, for chunks around every block border", () => {
  const random = createRandom(7);
  const bytes = Buffer.from(Array.from({ length: 400_000 }, () => random.below(256)));
  for (const size of [1, 1_023, 1_024, 1_025, 16_383, 16_384, 16_385, 65_535, 65_536, 65_537, 400_000]) {
    const accumulator = createAccumulator();
    for (const chunk of cut(bytes, Array<number>(400_000).fill(size))) accumulator.add(chunk);
    expect(accumulator.length).toBe(bytes.length);
    expect(accumulator.take().equals(bytes), `chunks of ${size}`).toBe(true);
    // The same for a shorter one, whose bytes are borrowed.
    for (const chunk of cut(bytes.subarray(0, 250_000), Array<number>(250_000).fill(size))) accumulator.add(chunk);
    expect(accumulator.borrow().equals(bytes.subarray(0, 250_000)), `chunks of ${size}, borrowed`).toBe(true);
    expect(accumulator.length).toBe(0);
  }
});

it("is empty after take, and can be used again", () => {
  const accumulator = createAccumulator();
  accumulator.add(Buffer.from("taken"));
  accumulator.take();
  expect(accumulator.take().length).toBe(0);
  accumulator.add(Buffer.from("again"));
  expect(accumulator.take().toString()).toBe("again");
});

it("copies small chunks: what the medium does with its buffer later changes nothing", () => {
  const accumulator = createAccumulator();
  const reused = Buffer.from("first");
  accumulator.add(reused);
  reused.write("other");
  accumulator.add(reused);
  expect(accumulator.take().toString()).toBe("firstother");
});

it("a million single bytes cost their sum, not an object each", () => {
  const accumulator = createAccumulator();
  const byte = Buffer.from("x");
  const before = process.memoryUsage();
  for (let count = 0; count < 1_000_000; count++) accumulator.add(byte);
  const after = process.memoryUsage();
  expect(after.arrayBuffers - before.arrayBuffers).toBeLessThan(2_097_152);
  expect(accumulator.take().length).toBe(1_000_000);
});
