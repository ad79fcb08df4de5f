// Every way in which a program with a session ends except SIGKILL: nothing is left in its directory, and
// the exit code or signal is the one that it would have had without a session.

import fs from "node:fs";
import { describe, expect } from "vitest";
import { it, type Program, type StartProgram } from "../process/real-programs.ts";

const signals = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"] as const;

function end(start: StartProgram, directory: string, ...options: string[]): Program {
  return start("socket-ending.ts", { args: ["--directory", directory, ...options] });
}

describe.concurrent("a program that ends by itself", () => {
  it.for([
    { ending: "return", what: "returns after closing", code: 0 },
    { ending: "throw", what: "throws", code: 1 },
    { ending: "throw-later", what: "throws in a callback", code: 1 },
    { ending: "throw-in-connection", what: "throws in the connection callback", code: 1 },
    { ending: "reject", what: "forgets a rejection", code: 1 },
    { ending: "exit", what: "calls process.exit(3)", code: 3 },
    { ending: "exit-in-start", what: "calls process.exit(3) while another session starts", code: 3 },
  ])("SOK-09 leaves nothing when it $what", async ({ ending, code }, { directory, start }) => {
    const program = end(start, directory, "--ending", ending);
    expect(await program.ended).toEqual({ code, signal: null });
    expect(program.stdout).toContain("started");
    expect(fs.readdirSync(directory)).toEqual([]);
  });

  it.for([
    { ending: "exhausted", what: "nothing when it fails for lack of descriptors", left: [] },
    // To list a directory takes a descriptor; this one is left to the next start's sweep.
    {
      ending: "exhausted-with-results",
      what: "only its private directory when there are also results of others in it",
      left: ["claudecode_ipc_….d"],
    },
  ])("SOK-09 leaves $what", async ({ ending, left }, { directory, start }) => {
    const program = start("socket-ending.ts", { args: ["--directory", directory, "--ending", ending], before: "ulimit -n 60" });
    expect(await program.ended).toEqual({ code: 1, signal: null });
    expect(program.stderr).toContain("EMFILE");
    expect(fs.readdirSync(directory).map((name) => name.replace(/[0-9a-f]{32}/, "…"))).toEqual(left);
  });

  it("SOK-09 leaves nothing of the sessions of two copies of the module", async ({ directory, start }) => {
    const program = end(start, directory, "--ending", "exit", "--copies");
    expect(await program.ended).toEqual({ code: 3, signal: null });
    expect(program.stdout).toContain("copy cleaned up");
    expect(fs.readdirSync(directory)).toEqual([]);
  });
});

describe.concurrent("a program that is ended by a signal", () => {
  it.for(signals)("SOK-09 leaves nothing and dies of %s", async (signal, { directory, start }) => {
    const program = end(start, directory);
    await program.whenPrinted("started");
    expect(fs.readdirSync(directory)).toHaveLength(3);
    program.process.kill(signal);
    expect(await program.ended).toEqual({ code: null, signal });
    expect(fs.readdirSync(directory)).toEqual([]);
  });

  // Which signal it is, each copy learns in the same way as one alone.
  it.for(["SIGTERM"] as const)(
    "SOK-09 leaves nothing and dies of %s with two copies of the module loaded",
    async (signal, { directory, start }) => {
      const program = end(start, directory, "--copies");
      await program.whenPrinted("started");
      expect(fs.readdirSync(directory)).toHaveLength(5);
      program.process.kill(signal);
      expect(await program.ended).toEqual({ code: null, signal });
      expect(program.stdout).toContain("copy cleaned up");
      expect(fs.readdirSync(directory)).toEqual([]);
    },
  );

  it.for(["signal-exit-3", "signal-exit-4"])(
    "SOK-09 leaves nothing when it also uses a library like %s, which cleans up too",
    async (handler, { directory, start }) => {
      const program = end(start, directory, "--handler", handler);
      await program.whenPrinted("started");
      program.process.kill("SIGTERM");
      expect(await program.ended).toEqual({ code: null, signal: "SIGTERM" });
      expect(program.stdout).toContain("signal-exit cleaned up");
      expect(fs.readdirSync(directory)).toEqual([]);
    },
  );
});

describe.concurrent("a program with its own signal handler", () => {
  it.for(["on", "before", "once", "once-before"])(
    "SOK-09 decides itself how it ends (handler: %s), and then leaves nothing",
    async (handler, { directory, start }) => {
      const program = end(start, directory, "--handler", handler);
      await program.whenPrinted("started");
      program.process.kill("SIGTERM");
      expect(await program.ended).toEqual({ code: 5, signal: null });
      expect(fs.readdirSync(directory)).toEqual([]);
    },
  );

  it("keeps its session when it ignores the signal", async ({ directory, start }) => {
    const program = end(start, directory, "--handler", "ignore");
    await program.whenPrinted("started");
    program.process.kill("SIGHUP");
    await program.whenPrinted("ignored");
    expect(fs.readdirSync(directory)).toHaveLength(3);
    program.process.kill("SIGKILL");
    await program.ended;
  });
});
