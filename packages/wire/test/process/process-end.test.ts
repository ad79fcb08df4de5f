// Cleanups at the end of a process. The ways to end are proved with sessions in
// socket/session-ends.test.ts; here is the registry itself.

import { describe, expect } from "vitest";
import { onProcessEnd } from "../../src/process/process-end.ts";
import { it } from "./real-programs.ts";

const events = ["exit", "SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"];
const counts = (): number[] => events.map((event) => process.listenerCount(event));

describe("onProcessEnd", () => {
  it("listens once for all, and only while there is something to clean up", () => {
    const before = counts();
    const releases = Array.from({ length: 50 }, () => onProcessEnd(() => {}));
    expect(counts()).toEqual(before.map((count) => count + 1));
    for (const release of releases.slice(1)) release();
    expect(counts()).toEqual(before.map((count) => count + 1));
    releases[0]?.();
    releases[0]?.();
    expect(counts()).toEqual(before);
  });

  it("shares its registry with another copy of the module, so that a signal finds one listener", async () => {
    const before = counts();
    const path = new URL("../../src/process/process-end.ts?copy", import.meta.url).href;
    const copy = (await import(/* @vite-ignore */ path)) as { onProcessEnd: typeof onProcessEnd };
    expect(copy.onProcessEnd).not.toBe(onProcessEnd);
    const releases = [onProcessEnd(() => {}), copy.onProcessEnd(() => {})];
    expect(counts()).toEqual(before.map((count) => count + 1));
    for (const release of releases) release();
    expect(counts()).toEqual(before);
  });

  it.for([
    { ending: "exit", exit: { code: 3, signal: null } },
    { ending: "throw", exit: { code: 1, signal: null } },
    { ending: "SIGTERM", exit: { code: null, signal: "SIGTERM" } },
  ])("runs every cleanup once at $ending, in order, also after one that throws", async ({ ending, exit }, { start }) => {
    const program = start("process-cleanups.ts", { args: [ending] });
    expect(await program.ended).toEqual(exit);
    expect(program.stdout).toBe("first\nthrowing\nlast\n");
  });

  it("does not hold the process open", async ({ start }) => {
    const program = start("process-cleanups.ts", { args: ["return"] });
    expect(await program.ended).toEqual({ code: 0, signal: null });
  });
});
