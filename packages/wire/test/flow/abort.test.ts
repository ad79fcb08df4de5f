// Waiting together with a signal: who is first wins, late failures go nowhere, no listener stays.

import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { isSettledWithin, untilAborted, whenAborted } from "../../src/flow/cancel.ts";
import { HawserError } from "@hawser/protocol";
import { unixPair, wait } from "../pipes.ts";

const reason = new HawserError("cancelled", "enough");
const listenersOn = (signal: AbortSignal): number => getEventListeners(signal, "abort").length;

describe("untilAborted", () => {
  it("gives the outcome of the work, or the reason of the abort, whichever is first", async () => {
    const controller = new AbortController();
    expect(await untilAborted(controller.signal, Promise.resolve(1))).toBe(1);
    await expect(untilAborted(controller.signal, Promise.reject(reason))).rejects.toBe(reason);
    const hanging = untilAborted(controller.signal, new Promise(() => {}));
    controller.abort(reason);
    await expect(hanging).rejects.toBe(reason);
    await expect(untilAborted(controller.signal, new Promise(() => {}))).rejects.toBe(reason);
  });

  it("a failure that comes after the abort goes nowhere, and does not crash", async () => {
    const controller = new AbortController();
    const work = Promise.withResolvers<number>();
    const outcome = untilAborted(controller.signal, work.promise);
    controller.abort(reason);
    await expect(outcome).rejects.toBe(reason);
    work.reject(new Error("late"));
    await new Promise(setImmediate);
  });

  it("leaves no listener on a signal that outlives the work", async () => {
    const { signal } = new AbortController();
    await untilAborted(signal, Promise.resolve(1));
    await untilAborted(signal, Promise.reject(reason)).catch(() => {});
    await wait(1);
    expect(listenersOn(signal)).toBe(0);
  });
});

describe("whenAborted", () => {
  it("resolves with the signal, at once when it has already aborted, and never without one", async () => {
    const controller = new AbortController();
    let isResolved = false;
    const waiting = whenAborted(controller.signal).then(() => (isResolved = true));
    await wait(5);
    expect(isResolved).toBe(false);
    controller.abort();
    await waiting;
    await whenAborted(AbortSignal.abort());
    expect(await Promise.race([whenAborted(undefined).then(() => "resolved"), wait(5)])).toBeUndefined();
  });

  it("gives up its listener when the wait is over", () => {
    const [controller, over] = [new AbortController(), new AbortController()];
    void whenAborted(controller.signal, over.signal);
    expect(listenersOn(controller.signal)).toBe(1);
    over.abort();
    expect(listenersOn(controller.signal)).toBe(0);
  });
});

describe("isSettledWithin", () => {
  it("says whether the work came in time, and rejects as it does", async () => {
    expect(await isSettledWithin(Promise.resolve(0), 60_000)).toBe(true);
    expect(await isSettledWithin(new Promise(() => {}), 1)).toBe(false);
    await expect(isSettledWithin(Promise.reject(reason), 60_000)).rejects.toBe(reason);
  });

  it("takes what was already there while this process was busy for having come in time", async () => {
    const [peer, mine] = await unixPair();
    const isInTime = isSettledWithin(new Promise((resolve) => mine.once("data", resolve)), 50);
    peer.write("here");
    for (const end = performance.now() + 200; performance.now() < end;);
    expect(await isInTime).toBe(true);
  });
});
