// How the tour says how long something took.

import { expect, it } from "vitest";
import { formatMs } from "../src/tour/stage.ts";

it.each([
  [0, "under 0.1 ms"],
  [0.04, "under 0.1 ms"],
  [0.1, "0.1 ms"],
  [9.94, "9.9 ms"],
  [10.4, "10 ms"],
])("%d ms are %s: nothing takes no time at all", (ms, text) => {
  expect(formatMs(ms)).toBe(text);
});
