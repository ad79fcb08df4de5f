// Waits between tries: what a server asks for, and our own that double, are scattered and bounded.

import { describe, expect, it } from "vitest";
import { parseRetryAfterMs, retryDelayMs } from "../../src/execute/retry.ts";

describe("Retry-After", () => {
  const now = Date.parse("Mon, 16 Nov 2026 10:00:00 GMT");
  it.each([
    ["0", 0],
    [" 120 ", 120_000],
    ["Mon, 16 Nov 2026 10:00:07 GMT", 7_000],
    ["Mon, 16 Nov 2026 09:00:00 GMT", 0],
    ["", undefined],
    ["-5", undefined],
    ["1.5", undefined],
    ["soon", undefined],
    [undefined, undefined],
  ])("%s is %s ms", (value, expected) => expect(parseRetryAfterMs(value, now)).toBe(expected));

  it("goes before our own waits", () => expect(retryDelayMs(5, 250, { "retry-after": "2" })).toBe(2_000));
});

describe("our own waits", () => {
  it.each([
    [1, 250],
    [2, 500],
    [4, 2_000],
    [60, 30_000],
  ])("before try %d + 1: between half and all of %d ms", (tries, fullMs) => {
    for (let round = 0; round < 50; round++) {
      const delayMs = retryDelayMs(tries, 250, {});
      expect(delayMs).toBeGreaterThanOrEqual(fullMs / 2);
      expect(delayMs).toBeLessThanOrEqual(fullMs);
    }
    expect(new Set(Array.from({ length: 20 }, () => retryDelayMs(tries, 250, {}))).size).toBeGreaterThan(1);
  });
});
