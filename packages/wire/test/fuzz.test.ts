// A short run of the fuzzer on fixed seeds and on a new one each time; the long one is in soak/.

import { expect, it } from "vitest";
import { fuzz } from "./fuzz.ts";

it.each([1, 20_260_101, 1_222_677_156])("WIR-20 R138 both ends survive 5,000 partly damaged frames (seed %d)", async (seed) => {
  const { frames, answers, settled } = await fuzz({ seed, rounds: 5_000 });
  expect(frames).toBe(5_000);
  expect(answers).toBeGreaterThan(1_250);
  expect(settled).toBeGreaterThan(250);
});

it("WIR-20 and 8,000 of a seed that nobody has tried before", async () => {
  const seed = Math.floor(Math.random() * 2 ** 31);
  console.log(`fuzz seed ${seed}`);
  expect((await fuzz({ seed, rounds: 8_000 })).frames).toBe(8_000);
});
