// The two signals of an ending process, in time and order. Fake timers: only the order matters here, the
// real times are proved with processes in run-stdio.test.ts.

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createLifecycle, type LifecycleControl } from "../../src/process/lifecycle.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const stateOf = ({ stopping, cancelling }: LifecycleControl): unknown => ({ stopping: stopping.aborted, cancelling: cancelling.aborted });

describe("a lifecycle", () => {
  it("has not begun to end", () => {
    expect(stateOf(createLifecycle())).toEqual({ stopping: false, cancelling: false });
  });

  it("G8 goes on accepting after the end of input, and cancels when the grace is over", () => {
    const lifecycle = createLifecycle();
    lifecycle.end("input-ended", 10_000);
    vi.advanceTimersByTime(9_999);
    expect(stateOf(lifecycle)).toEqual({ stopping: false, cancelling: false });
    vi.advanceTimersByTime(1);
    expect(stateOf(lifecycle)).toEqual({ stopping: false, cancelling: true });
    expect(lifecycle.cancelling.reason).toMatchObject({ code: "cancelled", facts: { cause: "input-ended" } });
  });

  it("G8 stops at once after a signal, cancels after its grace, and is overdue after the time for last answers", async () => {
    const lifecycle = createLifecycle();
    let isOverdue = false;
    void lifecycle.overdue.then(() => (isOverdue = true));
    lifecycle.end("signal", 3_000);
    expect(stateOf(lifecycle)).toEqual({ stopping: true, cancelling: false });
    expect(lifecycle.stopping.reason).toMatchObject({ code: "cancelled", message: "not started: the process was told to stop" });
    await vi.advanceTimersByTimeAsync(3_000);
    expect(stateOf(lifecycle)).toEqual({ stopping: true, cancelling: true });
    await vi.advanceTimersByTimeAsync(1_499);
    expect(isOverdue).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(isOverdue).toBe(true);
  });

  it.for(["parent-gone", "output-closed"] as const)("G8 stops and cancels in the same moment when there is nobody left (%s)", (cause) => {
    const lifecycle = createLifecycle();
    lifecycle.end(cause, 0);
    expect(stateOf(lifecycle)).toEqual({ stopping: true, cancelling: true });
  });

  it("can only be hurried: a later and slower cause does not change the time, and the cause that cancels is named", () => {
    const lifecycle = createLifecycle();
    lifecycle.end("signal", 3_000);
    lifecycle.end("input-ended", 10_000);
    vi.advanceTimersByTime(3_000);
    expect(stateOf(lifecycle)).toEqual({ stopping: true, cancelling: true });
    const hurried = createLifecycle();
    hurried.end("input-ended", 10_000);
    hurried.end("parent-gone", 0);
    expect(hurried.cancelling.reason).toMatchObject({ facts: { cause: "parent-gone" } });
    expect(stateOf(hurried)).toEqual({ stopping: true, cancelling: true });
  });

  it("leaves no timer when it is disposed of", () => {
    const lifecycle = createLifecycle();
    lifecycle.end("signal", 3_000);
    lifecycle.end("parent-gone", 0);
    expect(vi.getTimerCount()).toBe(2);
    lifecycle.dispose();
    expect(vi.getTimerCount()).toBe(0);
  });
});
