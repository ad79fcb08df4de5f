// The light signal does for a request what an AbortSignal does: each case is asked of both.

import { describe, expect, it } from "vitest";
import { untilAborted, createCancelController, type CancelController } from "../../src/flow/cancel.ts";
import { HawserError } from "@hawser/protocol";

const reason = new HawserError("cancelled", "enough");
const controllers: [string, () => CancelController][] = [
  ["light", createCancelController],
  ["real", () => new AbortController()],
];

describe.each(controllers)("RPC-03 a %s signal", (_kind, createController) => {
  it("is not over before it is aborted, and then says why; the first reason is kept", () => {
    const { signal, abort } = bound(createController());
    expect([signal.aborted, signal.reason]).toEqual([false, undefined]);
    abort(reason);
    abort(new HawserError("closed", "later"));
    expect([signal.aborted, signal.reason]).toEqual([true, reason]);
  });

  it("tells everyone who listens once, in order, and who comes later not at all", () => {
    const { signal, abort } = bound(createController());
    const told: string[] = [];
    signal.addEventListener("abort", () => told.push("first"));
    signal.addEventListener("abort", () => told.push(`second, over: ${signal.aborted}`), { once: true });
    abort(reason);
    signal.addEventListener("abort", () => told.push("late"));
    abort(reason);
    expect(told).toEqual(["first", "second, over: true"]);
  });

  it("does not tell who has left", () => {
    const { signal, abort } = bound(createController());
    const told: string[] = [];
    const leaves = (): void => void told.push("left");
    signal.addEventListener("abort", leaves);
    signal.addEventListener("abort", () => told.push("stays"));
    signal.removeEventListener("abort", leaves);
    signal.removeEventListener("abort", leaves);
    abort(reason);
    expect(told).toEqual(["stays"]);
  });

  it.each([0, 1, 2, 3])("of four that listen, when number %i leaves and one more comes, tells the others in order", (leaves) => {
    const { signal, abort } = bound(createController());
    const told: number[] = [];
    const listeners = [0, 1, 2, 3, 4].map((index) => (): void => void told.push(index));
    for (const listener of listeners.slice(0, 4)) signal.addEventListener("abort", listener);
    signal.removeEventListener("abort", listeners[leaves] as () => void);
    signal.addEventListener("abort", listeners[4] as () => void);
    abort(reason);
    expect(told).toEqual([0, 1, 2, 3, 4].filter((index) => index !== leaves));
  });

  it("ends a wait with its reason, and a wait that begins when it is over", async () => {
    const { signal, abort } = bound(createController());
    const waiting = untilAborted(signal, new Promise(() => {}));
    abort(reason);
    await expect(waiting).rejects.toBe(reason);
    await expect(untilAborted(signal, new Promise(() => {}))).rejects.toBe(reason);
    expect(await untilAborted(bound(createController()).signal, Promise.resolve(1))).toBe(1);
  });
});

const bound = (controller: CancelController) => ({ signal: controller.signal, abort: (why: HawserError) => controller.abort(why) });
