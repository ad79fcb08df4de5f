// A protocol process that is told to stop by a signal: nothing new starts, what runs gets its time and one
// answer, and the process is gone in bounded time. The times are the real ones, so the tests run side by side. How
// long they are together is counted, and not measured: a busy machine takes its own time.

import { setTimeout as delay } from "node:timers/promises";
import { describe, expect } from "vitest";
import { wireLimits } from "../../src/limits.ts";
import { answersOf, ask, exitedWell, hourMs, marksOf, settle, sleeping, whenRefusing, withoutMarks } from "./echo-program.ts";
import { it } from "./real-programs.ts";

describe.concurrent("a signal", () => {
  it("RUN-02, G8 ends a process whose output nobody reads within 12 s", async ({ start }) => {
    expect(wireLimits.signalGraceMs + wireLimits.cancelGraceMs + wireLimits.exitFlushMs).toBeLessThan(12_000);
    const program = start("echo-stdio.ts", { stdio: ["pipe", "pipe", "pipe"] });
    await settle(program, "before");
    program.process.stdout?.pause();
    ask(program, { id: "flood", kind: "stream", count: 100_000, bytes: 10_000 });
    await delay(1_000);
    program.process.kill("SIGTERM");
    expect(await program.exited).toEqual(exitedWell);
    program.process.stdout?.destroy();
  });

  it.for(["SIGTERM", "SIGINT", "SIGHUP"] as const)(
    "RUN-02, G8 %s: running work gets its time, the rest one answer each, new requests are refused; exit 0 within 10 s",
    async (signal, { start }) => {
      expect(wireLimits.signalGraceMs + wireLimits.cancelGraceMs + wireLimits.exitFlushMs).toBeLessThan(10_000);
      const program = start("echo-stdio.ts", { args: ["--workers", "21"] });
      for (let id = 0; id < 10; id++) ask(program, sleeping(`short ${id}`, 1_500));
      for (let id = 0; id < 10; id++) ask(program, sleeping(`long ${id}`, hourMs));
      await settle(program, "before");
      program.process.kill(signal);
      await whenRefusing(program);
      expect(await program.ended).toEqual(exitedWell);
      const outcomes = marksOf(program).map(({ code, type }) => code ?? type);
      expect(outcomes).toContain("cancelled");
      expect(outcomes.slice(outcomes.indexOf("cancelled"))).not.toContain("echoed");
      const ends = withoutMarks(answersOf(program.stdout))
        .slice(1)
        .map(({ id, type, code }) => `${id} ${code ?? type}`);
      const numbers = [...Array(10).keys()];
      expect(ends.sort()).toEqual([...numbers.map((id) => `long ${id} cancelled`), ...numbers.map((id) => `short ${id} done`)]);
    },
  );

  it("G8 ends an idle process at once, without a wait for the grace, exit 0", async ({ start }) => {
    const program = start("process-short-times.ts", { args: ["--tells-end"] });
    await settle(program, "idle");
    program.process.kill("SIGTERM");
    expect(await program.ended).toEqual(exitedWell);
    expect(program.stderr).toContain("ended before its grace was over");
  });

  it.for([
    ["SIGTERM", "SIGTERM"],
    ["SIGTERM", "SIGINT"],
  ] as const)("RUN-02, G8 twice (%s, %s) ends it without any more grace, exit 143", async ([first, second], { start }) => {
    const program = start("echo-stdio.ts");
    ask(program, sleeping("long", hourMs));
    await settle(program, "before");
    program.process.kill(first);
    await whenRefusing(program);
    program.process.kill(second);
    // The code of a second signal, which is obeyed where it is heard: after its grace the process exits with 0.
    expect(await program.ended).toEqual({ code: 143, signal: null });
  });
});
