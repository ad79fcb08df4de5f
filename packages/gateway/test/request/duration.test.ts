// Durations in the notation of Go.

import { gatewayLimits } from "../../src/limits.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseDuration } from "../../src/request/duration.ts";

describe("durations", () => {
  it.each([
    ["8s", 8_000],
    ["250ms", 250],
    ["1m30s", 90_000],
    ["1.5h", 5_400_000],
    [".5s", 500],
    ["1.s", 1_000],
    ["+2s", 2_000],
    [" 30s ", 30_000],
    ["100us", 1],
    ["100µs", 1],
    ["1ns", 1],
    ["1h1m1s1ms", 3_661_001],
    ["999999h", gatewayLimits.maxDurationMs],
  ])("%j is %d milliseconds", (text, expected) => {
    expect(parseDuration(text)).toBe(expected);
  });

  it.each(["1", "0", "0s", "-1s", "", " ", "s", "1x", "1 s", "1e3s", "NaNs", "Infinitys", "1s2", "--1s", "1S", "١s"])(
    "%j is refused by its name and value",
    (text) => {
      expect(() => parseDuration(text)).toThrow(`invalid timeout ${JSON.stringify(text.trim())}`);
      expect(() => parseDuration(text, "retryBackoff")).toThrow(`invalid retryBackoff ${JSON.stringify(text.trim())}`);
    },
  );

  it("refuses a very long text at once, with a short message", () => {
    expect(() => parseDuration("1s".repeat(1_000_000))).toThrow(
      expect.objectContaining({ code: "usage", message: expect.stringMatching(/^.{1,100}$/) }),
    );
  });

  it("gives a positive whole number or refuses, for any string", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[\d.+hmsun-]{1,12}$/)), (text) => {
        let parsed = 1;
        try {
          parsed = parseDuration(text);
        } catch (error) {
          expect(error).toMatchObject({ code: "usage" });
        }
        return Number.isSafeInteger(parsed) && parsed >= 1 && parsed <= gatewayLimits.maxDurationMs;
      }),
    );
  });
});
