// The pauses before another try: what servers ask for, what is chosen otherwise, and where it ends.

import { describe, expect, it } from "vitest";
import { HawserError } from "@hawser/protocol";
import { createRetries, describePause, retryAfterMs } from "../../src/model/model-error.ts";

const mayRetry = (facts: object = {}): HawserError => new HawserError("overloaded", "busy", { facts: { mayRetry: true, ...facts } });
const bounds = { calls: 4, backoffMs: 100, pauseMs: 1_000, totalMs: 2_000 };

describe("what a server asks for", () => {
  const now = Date.parse("2026-01-01T00:00:00Z");

  it.each<[Record<string, string>, number | undefined]>([
    [{}, undefined],
    [{ "retry-after": "3" }, 3_000],
    [{ "retry-after-ms": "250.4", "retry-after": "9" }, 251],
    [{ "retry-after-ms": "soon", "retry-after": "9" }, 9_000],
    [{ "retry-after": "Thu, 01 Jan 2026 00:00:07 GMT" }, 7_000],
    [{ "retry-after-ms": "-5", "retry-after": "later" }, undefined],
  ])("%j is %s ms", (headers, expected) => {
    expect(retryAfterMs(headers, now)).toBe(expected);
  });
});

describe("retries", () => {
  it("grow by two with a random part, and end", () => {
    const retries = createRetries(bounds);
    for (const full of [100, 200, 400, 800]) {
      const pause = retries.next(mayRetry()) ?? Number.NaN;
      expect(pause).toBeGreaterThanOrEqual(full / 2);
      expect(pause).toBeLessThanOrEqual(full);
    }
    expect(retries.next(mayRetry())).toBeUndefined();
  });

  it("wait as long as asked, but no longer than one pause and all of them may take", () => {
    const retries = createRetries(bounds);
    expect(retries.next(mayRetry({ retryAfterMs: 1_001 }))).toBeUndefined();
    expect(retries.next(mayRetry({ retryAfterMs: 1_000 }))).toBe(1_000);
    expect(retries.next(mayRetry({ retryAfterMs: 1_000 }))).toBe(1_000);
    expect(retries.next(mayRetry({ retryAfterMs: 1 }))).toBeUndefined();
  });

  it.each([0, 1, -5])("are never made sooner than without a wish of the server: %i ms", (retryAfterMs) => {
    const retries = createRetries(bounds);
    for (const full of [100, 200, 400, 800]) expect(retries.next(mayRetry({ retryAfterMs }))).toBeGreaterThanOrEqual(full / 2);
  });

  it("are given up at once for a wait that is beyond all bounds", () => {
    expect(createRetries(bounds).next(mayRetry({ retryAfterMs: Number.MAX_SAFE_INTEGER }))).toBeUndefined();
  });

  it("are not made for an error that says nothing of them", () => {
    expect(createRetries(bounds).next(new HawserError("usage", "no"))).toBeUndefined();
  });

  it("are told in words", () => {
    expect([0, 999, 1_000, 2_001].map(describePause)).toEqual(["0 ms", "999 ms", "1 s", "3 s"]);
  });
});
