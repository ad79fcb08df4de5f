// Every way in which a program with a running session ends except SIGKILL, by real processes with a
// temporary folder of their own: nothing is left in it, and the exit code is the one it would have had.

import fs from "node:fs";
import { describe, expect } from "vitest";
import { fixturePath, it, type Program, type StartProgram } from "./fixtures/parent-it.ts";

function end(run: StartProgram, directory: string, ending: string): Program {
  const args = ["--conditions=hawser-source", fixturePath("parent-ending.ts"), directory, ending];
  return run(process.execPath, args, { TMPDIR: directory });
}

describe.concurrent("a program with a session", () => {
  it.for([
    ["stop", 0, "stopped"],
    ["stop after a rejection", 0, "an ordinary failure"],
    ["stop with a hanging call", 0, "IPCError"],
    ["throw", 1, ""],
    ["exit", 3, ""],
    ["exit in a tool", 3, ""],
    ["crash in a tool", 1, ""],
    ["rejection in a tool", 1, ""],
    ["exit during another start", 3, ""],
  ] as const)("R42 R47 SOK-09 G9 leaves nothing behind by: %s", async ([ending, code, output], { directory, run }) => {
    const program = end(run, directory, ending);
    expect(await program.ended).toEqual({ code, signal: null });
    expect(program.stdout).toContain(output);
    expect(fs.readdirSync(directory)).toEqual([]);
  });

  it.for([
    ["signal while idle", "SIGTERM"],
    ["signal in a call", "SIGTERM"],
    ["signal in a call", "SIGINT"],
    ["signal while idle", "SIGHUP"],
  ] as const)("R42 SOK-09 G9 leaves nothing behind by: %s (%s)", async ([ending, signal], { directory, run }) => {
    const program = end(run, directory, ending);
    await program.whenPrinted("ready");
    expect(fs.readdirSync(directory)).toHaveLength(3);
    program.child.kill(signal);
    expect(await program.ended).toEqual({ code: null, signal });
    expect(fs.readdirSync(directory)).toEqual([]);
  });

  it("SOK-10 G9 that is killed leaves its files to the next start, which removes them once they are old", async ({
    directory,
    run,
    start,
  }) => {
    const program = end(run, directory, "signal while idle");
    await program.whenPrinted("ready");
    program.child.kill("SIGKILL");
    await program.ended;
    const left = fs.readdirSync(directory);
    expect(left).toHaveLength(3);
    await (await start([])).stop();
    expect(fs.readdirSync(directory).toSorted()).toEqual(left.toSorted());
    const longAgo = (Date.now() - 7_200_000) / 1_000;
    for (const name of left) fs.lutimesSync(`${directory}/${name}`, longAgo, longAgo);
    await (await start([])).stop();
    expect(fs.readdirSync(directory)).toEqual([]);
  });
});
