// One owner per name: the lock itself, and real processes that want the same stale name at once.

import fs from "node:fs";
import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { withNameLock } from "../../src/socket/leftovers.ts";
import type { SessionNames } from "../../src/socket/names.ts";
import { fixturePath, it } from "../process/real-programs.ts";
import { askOnce, namesIn, permissionsOf, plantDeadSocket } from "./sockets.ts";

describe("withNameLock", () => {
  it("lets one in at a time, and gives the lock back after a success and after a failure", async ({ directory }) => {
    const path = join(directory, "name.sock");
    const entered = Promise.withResolvers<void>();
    const leave = Promise.withResolvers<void>();
    const first = withNameLock(path, async () => {
      entered.resolve();
      await leave.promise;
      return "first";
    });
    await entered.promise;
    expect(permissionsOf(`${path}.lock`)).toBe("600");
    expect(await withNameLock(path, () => Promise.resolve("second"))).toBeUndefined();
    leave.resolve();
    expect(await first).toBe("first");
    await expect(withNameLock(path, () => Promise.reject(new Error("failed inside")))).rejects.toThrow("failed inside");
    expect(await withNameLock(path, () => Promise.resolve("third"))).toBe("third");
    expect(fs.readdirSync(directory)).toEqual([]);
  });

  it("reports a directory in which no lock can be made, instead of calling it busy", async ({ directory }) => {
    await expect(withNameLock(join(directory, "missing", "name.sock"), () => Promise.resolve(1))).rejects.toMatchObject({ code: "ENOENT" });
  });

  it("G9 leaves no lock when the process ends while it is held", async ({ directory, start }) => {
    const program = start("socket-ending.ts", { args: ["--directory", directory, "--ending", "exit-in-sweep"] });
    expect((await program.ended).code).toBe(3);
    expect(program.stdout).toContain("locked");
    expect(fs.readdirSync(directory).map((name) => name.replace(/[0-9a-f]{32}/, "…"))).toEqual(["claudecode_ipc_….sock"]);
  });
});

describe("two processes that start on one stale name", () => {
  it("SOK-05 never both own it: a hundred times exactly one does, and it answers under that name", async ({ directory }) => {
    const rivals = [1, 2].map(() => fork(fixturePath("socket-contender.ts"), { stdio: "inherit" }));
    try {
      await Promise.all(rivals.map((rival) => once(rival, "message")));
      for (let round = 0; round < 100; round++) await contend(directory, rivals, round);
    } finally {
      for (const rival of rivals) rival.kill("SIGKILL");
    }
    expect(fs.readdirSync(directory)).toEqual([]);
  });
});

async function contend(directory: string, rivals: ChildProcess[], round: number): Promise<void> {
  const shared = namesIn(directory);
  await plantDeadSocket(shared.socketPath);
  // Own private directories, so that the socket's name is the only thing they meet at.
  const namesOf = (rival: number): SessionNames => ({ ...shared, privateDirectory: join(directory, `private-${rival}`) });
  const answers = rivals.map((rival) => once(rival, "message"));
  for (const [index, rival] of rivals.entries()) rival.send({ names: namesOf(index) });
  const outcomes = (await Promise.all(answers)).map(([outcome]) => outcome as { owns: boolean; code?: string });
  const owners = rivals.filter((_, index) => outcomes[index]?.owns);
  expect({ round, owners: owners.length, losers: outcomes.filter(({ code }) => code === "name_taken").length }).toEqual({
    round,
    owners: 1,
    losers: 1,
  });
  expect(await askOnce(shared.socketPath)).toBe(String(owners[0]?.pid));
  const closed = rivals.map((rival) => once(rival, "message"));
  for (const rival of rivals) rival.send("close");
  await Promise.all(closed);
  expect(fs.existsSync(shared.socketPath)).toBe(false);
}
