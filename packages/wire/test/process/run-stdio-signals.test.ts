// A protocol process that is told to stop by a signal: nothing new starts, what runs gets its time and one
// answer, and the process is gone in bounded time. The times are the real ones, so the tests run side by side.

import { setTimeout as delay } from "node:timers/promises";
import { describe, expect } from "vitest";
import { answersOf, ask, exitedWell, hourMs, settle, sleeping } from "./echo-program.ts";
import { it } from "./real-programs.ts";

describe.concurrent("a signal", () => {
  it("RUN-02, G8 ends a process whose output nobody reads within 12 s", async ({ start }) => {
    const program = start("echo-stdio.ts", { stdio: ["pipe", "pipe", "pipe"] });
    await settle(program, "before");
    program.process.stdout?.pause();
    ask(program, { id: "flood", kind: "stream", count: 100_000, bytes: 10_000 });
    await delay(1_000);
    const signalledAt = performance.now();
    program.process.kill("SIGTERM");
    expect(await program.exited).toEqual(exitedWell);
    expect(performance.now() - signalledAt).toBeLessThan(12_000);
    program.process.stdout?.destroy();
  });

  it.for(["SIGTERM", "SIGINT", "SIGHUP"] as const)(
    "RUN-02, G8 %s: running work gets its time, the rest one answer each, new requests are refused; exit 0",
    async (signal, { start }) => {
      const program = start("echo-stdio.ts", { args: ["--workers", "20"] });
      for (let id = 0; id < 10; id++) ask(program, sleeping(`short ${id}`, 1_500));
      for (let id = 0; id < 10; id++) ask(program, sleeping(`long ${id}`, hourMs));
      await settle(program, "before");
      const signalledAt = performance.now();
      program.process.kill(signal);
      await delay(300);
      ask(program, { id: "late", kind: "echo", value: 1 });
      expect(await program.ended).toEqual(exitedWell);
      expect(performance.now() - signalledAt).toBeLessThan(10_000);
      const ends = answersOf(program.stdout)
        .slice(1)
        .map(({ id, type, code }) => `${id} ${code ?? type}`);
      const numbers = [...Array(10).keys()];
      expect(ends.sort()).toEqual([
        "late cancelled",
        ...numbers.map((id) => `long ${id} cancelled`),
        ...numbers.map((id) => `short ${id} done`),
      ]);
    },
  );

  it("G8 ends an idle process at once, exit 0", async ({ start }) => {
    const program = start("echo-stdio.ts");
    await settle(program, "idle");
    const signalledAt = performance.now();
    program.process.kill("SIGTERM");
    expect(await program.ended).toEqual(exitedWell);
    expect(performance.now() - signalledAt).toBeLessThan(2_500);
  });

  it.for([
    ["SIGTERM", "SIGTERM"],
    ["SIGTERM", "SIGINT"],
  ] as const)("RUN-02, G8 twice (%s, %s) ends it without any more grace, exit 143", async ([first, second], { start }) => {
    const program = start("echo-stdio.ts");
    ask(program, sleeping("long", hourMs));
    await settle(program, "before");
    program.process.kill(first);
    await delay(300);
    const signalledAt = performance.now();
    program.process.kill(second);
    expect(await program.ended).toEqual({ code: 143, signal: null });
    expect(performance.now() - signalledAt).toBeLessThan(2_000);
  });
});
