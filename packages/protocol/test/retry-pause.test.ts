// Pauses between tries: our own double, are scattered and bounded, and what a server asks for can only make them longer.

import { describe, expect, it } from "vitest";
import { parseRetryAfter, parseRetryAfterMs, retryPauseMs } from "../src/internal.ts";

describe("Retry-After", () => {
  const now = Date.parse("Mon, 16 Nov 2026 10:00:00 GMT");
  it.each([
    ["0", 0],
    [" 120 ", 120_000],
    ["0.5", 500],
    ["1000000000", 1_000_000_000_000],
    ["9".repeat(400), Number.MAX_SAFE_INTEGER],
    ["Mon, 16 Nov 2026 10:00:07 GMT", 7_000],
    ["Monday, 16-Nov-26 10:00:07 GMT", 7_000],
    ["Mon, 16 Nov 2026 09:00:00 GMT", 0],
    ["Thu, 01 Jan 1970 00:00:00 GMT", 0],
    ["", undefined],
    ["-5", undefined],
    ["1e3", undefined],
    ["Infinity", undefined],
    ["soon", undefined],
    ["soon 2099", undefined],
    ["Mon, soon", undefined],
    [undefined, undefined],
  ])("%s is %s ms", (value, expected) => expect(parseRetryAfter(value, now)).toBe(expected));

  it("has a form in milliseconds", () =>
    expect(["250.4", "0", "-1", "soon"].map(parseRetryAfterMs)).toEqual([251, 0, undefined, undefined]));
});

describe("a pause", () => {
  const own = { firstMs: 250, longestMs: 30_000 };

  it.each([
    [1, 250],
    [2, 500],
    [4, 2_000],
    [60, 30_000],
  ])("before try %d + 1 is between half and all of %d ms", (tries, fullMs) => {
    const pauses = Array.from({ length: 50 }, () => retryPauseMs({ ...own, tries }));
    expect(Math.min(...pauses)).toBeGreaterThanOrEqual(fullMs / 2);
    expect(Math.max(...pauses)).toBeLessThanOrEqual(fullMs);
    expect(new Set(pauses).size).toBeGreaterThan(1);
  });

  it("is as long as the server asks", () => expect(retryPauseMs({ ...own, tries: 1, askedMs: 2_000 })).toBe(2_000));

  it.each([0, 1, -1_000_000, undefined])("is at least our own where the server asks for %s ms", (askedMs) => {
    expect(retryPauseMs({ ...own, tries: 3, askedMs })).toBeGreaterThanOrEqual(500);
  });
});
