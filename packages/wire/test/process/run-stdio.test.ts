// A protocol process whose host goes away in one way or another, with real pipes: what was accepted is
// answered, what was answered arrives, and the process is gone in bounded time. Signals have their own
// file. The times are the real ones, so the tests run side by side. How long they are together is counted, and
// not measured: a busy machine takes its own time.

import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { describe, expect } from "vitest";
import { wireLimits } from "../../src/limits.ts";
import { answersOf, ask, exitedWell, hourMs, settle, sleeping } from "./echo-program.ts";
import { fixturePath, isRunning, it, until } from "./real-programs.ts";

const bigText = "é".repeat(1_500_000);
/** Reads the first byte, and the rest a second after it: the writer has long filled the pipe by then. */
const lateReader = "| { dd bs=1 count=1 2>/dev/null; sleep 1; cat; }";
/** A process without a peer: it looks, cancels what runs, and is gone. */
const peerlessMs = wireLimits.parentPollMs + wireLimits.cancelGraceMs;

describe.concurrent("a protocol process", () => {
  describe("the end of input", () => {
    it("G8, O10 comes right after a request for 3 MB, and every byte still arrives; exit 0", async ({ start }) => {
      const program = start("echo-stdio.ts");
      ask(program, { id: "big", kind: "echo", value: bigText });
      program.process.stdin?.end();
      expect(await program.ended).toEqual(exitedWell);
      expect(answersOf(program.stdout)).toEqual([{ id: "big", type: "echoed", value: bigText }]);
    });

    it("O10 every byte arrives through a pipe whose reader begins late", async ({ start }) => {
      const program = start("echo-stdio.ts", { after: lateReader });
      ask(program, { id: "big", kind: "echo", value: bigText });
      program.process.stdin?.end();
      expect(await program.ended).toEqual(exitedWell);
      expect(answersOf(program.stdout)).toEqual([{ id: "big", type: "echoed", value: bigText }]);
    });

    it("G8 lets accepted work finish, running and waiting, and then exits 0", async ({ start }) => {
      const program = start("echo-stdio.ts", { args: ["--workers", "2"] });
      for (const id of ["1", "2", "3", "4"]) ask(program, sleeping(id, 400));
      program.process.stdin?.end();
      expect(await program.ended).toEqual(exitedWell);
      expect(answersOf(program.stdout).map(({ id, type }) => `${id} ${type}`)).toEqual(["1 done", "2 done", "3 done", "4 done"]);
    });

    it("G8 cancels what outlasts its grace, with one answer each, and exits 0", async ({ start }) => {
      const program = start("process-short-times.ts", { args: ["--eof-grace-ms", "300"] });
      for (const id of ["1", "2"]) ask(program, sleeping(id, hourMs));
      program.process.stdin?.end();
      expect(await program.ended).toEqual(exitedWell);
      expect(answersOf(program.stdout).map(({ id, code }) => `${id} ${code}`)).toEqual(["1 cancelled", "2 cancelled"]);
    });

    it("exits even when its server ignores that it is cancelled", async ({ start }) => {
      const program = start("process-short-times.ts", { args: ["--eof-grace-ms", "100", "--stubborn"] });
      await program.whenPrinted("serving", "stderr");
      program.process.stdin?.end();
      expect(await program.ended).toEqual(exitedWell);
    });

    it("comes to a server that fails: the failure is on stderr and the exit code is 1", async ({ start }) => {
      const program = start("process-short-times.ts", { args: ["--failing"] });
      expect(await program.ended).toEqual({ code: 1, signal: null });
      expect(program.stderr).toContain("serving failed: the server has a bug");
      expect(program.stdout).toBe("");
    });
  });

  describe("a server that is done by itself", () => {
    it.for(["", lateReader])("O10 loses none of the 3 MB that have not left yet (read by: %j)", async (after, { start }) => {
      const program = start("process-short-times.ts", { args: ["--hasty"], ...(after === "" ? {} : { after }) });
      expect(await program.ended).toEqual(exitedWell);
      expect(answersOf(program.stdout)).toEqual([{ text: bigText }]);
    });
  });

  describe("a parent that is killed", () => {
    it("G8 takes its child with it within 5 s, although others hold the pipes open and a request hangs", async () => {
      expect(peerlessMs).toBeLessThan(5_000);
      // The parent hands its own pipes on, whose other ends are ours: they stay open when it is gone.
      const parent = spawn(process.execPath, [fixturePath("process-parent.ts"), fixturePath("echo-stdio.ts")], {
        stdio: ["pipe", "pipe", "inherit", "pipe"],
      });
      const [pid] = (await once(parent.stdio[3] as NodeJS.ReadableStream, "data")) as [Buffer];
      const child = Number(pid.toString());
      parent.stdout?.resume();
      parent.stdin?.write(`${JSON.stringify(sleeping("long", hourMs))}\n${JSON.stringify({ id: "up", kind: "status" })}\n`);
      await once(parent.stdout!, "data");
      expect(isRunning(child)).toBe(true);
      parent.kill("SIGKILL");
      await until(() => !isRunning(child), 30_000, "the child is gone");
      closePipes(parent);
    });
  });

  describe("a closed output", () => {
    it("G8 ends the process with exit code 7 when it answers", async ({ start }) => {
      const program = start("echo-stdio.ts");
      await settle(program, "before");
      ask(program, sleeping("long", hourMs));
      program.process.stdout?.destroy();
      ask(program, { id: "1", kind: "echo", value: 1 });
      expect(await program.exited).toEqual({ code: 7, signal: null });
    });

    it("H28 says so with exit code 7 also when its input had already ended", async ({ start }) => {
      const program = start("echo-stdio.ts");
      await settle(program, "before");
      ask(program, sleeping("soon", 500));
      program.process.stdin?.end();
      program.process.stdout?.destroy();
      expect(await program.exited).toEqual({ code: 7, signal: null });
    });

    it("G8 ends it through a pipe too", async ({ start, onTestFinished }) => {
      const program = start("echo-stdio.ts", { after: '| head -c 1 >/dev/null; echo "exit ${PIPESTATUS[0]}"' });
      ask(program, sleeping("long", hourMs));
      // Goes on asking: the reader may leave a little later than the first answer.
      const asking = setInterval(ask, 200, program, { id: "1", kind: "echo", value: 1 });
      onTestFinished(() => clearInterval(asking));
      await program.whenPrinted("exit 7");
    });

    it("G8 ends it within 5 s although a call hangs and there is nothing to write", async ({ start }) => {
      expect(peerlessMs).toBeLessThan(5_000);
      const program = start("echo-stdio.ts");
      ask(program, sleeping("long", hourMs));
      await settle(program, "before");
      program.process.stdout?.destroy();
      expect(await program.exited).toEqual({ code: 7, signal: null });
    });
  });
});

function closePipes(parent: ChildProcess): void {
  for (const stream of parent.stdio) stream?.destroy();
}
