// Many processes in one temporary directory: killed ones leave nothing for long, living ones do not disturb each other.

import fs from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { it } from "../process/real-programs.ts";
import { killWhileStarting, makeAllOld } from "./killed-sessions.ts";
import { longTestsVariable } from "../../../../scripts/tasks/long-tests.ts";
import { askOnce, hourMs, makeOld, namesIn, plantDeadSocket, startSession } from "./sockets.ts";

/** Spread over the milliseconds that a start takes. */
const kills = process.env[longTestsVariable] === undefined ? 10 : 50;

describe("processes that are killed while they start", () => {
  it("SOK-10, G9 leave things that the next start removes, and it touches nothing else", async ({ directory }) => {
    for (let round = 0; round < kills; round += 5) {
      await Promise.all([0, 1, 2, 3, 4].map((offset) => killWhileStarting(directory, ((round + offset) / kills) * 12.5)));
    }
    const leftovers = makeAllOld(directory);
    // A schema of each at least: of those that have been dead for a minute the others have begun to clean up.
    expect(leftovers.length).toBeGreaterThanOrEqual(kills);
    const kept = await plantOthers(directory);
    const living = await startSession(namesIn(directory), { schema: "{}" });
    const left = fs.readdirSync(directory).filter((name) => !name.includes(living.names.uuid));
    expect(left.sort()).toEqual(kept.sort());
    await living.listener.close();
    expect(fs.readdirSync(directory).sort()).toEqual(kept);
  });
});

/** Plants what a sweep must keep; returns the names. */
async function plantOthers(directory: string): Promise<string[]> {
  const name = (letter: string, suffix: string): string => `claudecode_ipc_${letter.repeat(32)}${suffix}`;
  await plantDeadSocket(join(directory, name("a", ".sock")));
  fs.writeFileSync(join(directory, name("b", ".sock")), "a file of a socket's name");
  fs.writeFileSync(join(directory, "claudecode_ipc_notes.txt"), "somebody's notes");
  fs.symlinkSync("/nowhere", join(directory, name("c", ".d")));
  fs.mkdirSync(join(directory, name("d", ".d")));
  const old = [name("b", ".sock"), "claudecode_ipc_notes.txt", name("c", ".d")];
  for (const kept of old) makeOld(join(directory, kept), 2 * hourMs);
  return [name("a", ".sock"), name("d", ".d"), ...old];
}

describe("a hundred sessions of four processes in one directory", () => {
  it("SOK-13 sweep at the same time and all go on answering", async ({ directory, start }) => {
    const args = ["--directory", directory, "--count", "25", "--sweeps", "4"];
    const programs = [1, 2, 3, 4].map(() => start("socket-sessions.ts", { args }));
    await Promise.all(programs.map((program) => program.whenPrinted("swept 25")));
    const sockets = fs.readdirSync(directory).filter((name) => name.endsWith(".sock"));
    expect(sockets).toHaveLength(100);
    expect(await Promise.all(sockets.map((name) => askOnce(join(directory, name))))).toEqual(Array(100).fill("hello"));
    expect(fs.readdirSync(directory)).toHaveLength(300);
    for (const program of programs) program.process.stdin?.end();
    for (const program of programs) expect(await program.ended).toEqual({ code: 0, signal: null });
    expect(fs.readdirSync(directory)).toEqual([]);
  });
});
