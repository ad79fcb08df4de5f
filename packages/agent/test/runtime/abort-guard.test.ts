// A guard waits for many works and one signal.

import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { createAbortGuard } from "../../src/runtime/abort-guard.ts";

describe("createAbortGuard", () => {
  it("gives the outcome of each work, and listens to its signal once", async () => {
    const { signal } = new AbortController();
    const guarded = createAbortGuard(signal);
    for (let count = 0; count < 100; count++) expect(await guarded(Promise.resolve(count))).toBe(count);
    await expect(guarded(Promise.reject(new Error("broken")))).rejects.toThrow("broken");
    expect(getEventListeners(signal, "abort")).toHaveLength(1);
  });

  it("RUN-10: rejects every work that hangs when the signal aborts, and every later one", async () => {
    const controller = new AbortController();
    const guarded = createAbortGuard(controller.signal);
    const hanging = [guarded(new Promise(() => {})), guarded(new Promise(() => {}))];
    controller.abort(new Error("enough"));
    const outcomes = await Promise.allSettled([...hanging, guarded(new Promise(() => {})), guarded(Promise.resolve(1))]);
    expect(outcomes.map((outcome) => outcome.status === "rejected" && (outcome.reason as Error).message)).toEqual(
      Array.from({ length: 4 }, () => "enough"),
    );
  });
});
