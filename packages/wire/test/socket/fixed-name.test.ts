// A name that stays the same over restarts: one owner at a time, taken over only from the dead, with the schema file of its owner.

import fs from "node:fs";
import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { createSessionNames, type FixedNames, type SessionNames } from "../../src/socket/names.ts";
import { fixturePath, it } from "../process/real-programs.ts";
import { askOnce, permissionsOf, plantDeadSocket, startSession } from "./sockets.ts";

const named = (directory: string): SessionNames & { fixed: FixedNames } =>
  createSessionNames({ directories: [directory], name: "harbour" }) as SessionNames & { fixed: FixedNames };

describe("a fixed name", () => {
  it("R48 is a second name of the same socket and schema file, private as the first, and goes with the session", async ({ directory }) => {
    const names = named(directory);
    expect(names.fixed).toEqual({
      name: "harbour",
      socketPath: join(directory, "harbour.sock"),
      schemaPath: join(directory, "harbour.json"),
    });
    const { listener } = await startSession(names, { schema: "[1]" });
    expect(await askOnce(names.fixed.socketPath)).toBe("hello");
    expect(await askOnce(names.socketPath)).toBe("hello");
    expect(fs.readFileSync(names.fixed.schemaPath, "utf8")).toBe("[1]");
    expect([names.fixed.socketPath, names.fixed.schemaPath].map(permissionsOf)).toEqual(["600", "600"]);
    await listener.close();
    expect(fs.readdirSync(directory)).toEqual([]);
  });

  it("H11 is taken over from a program that was killed, with the new schema file in place of the old", async ({ directory }) => {
    const names = named(directory);
    await plantDeadSocket(names.fixed.socketPath);
    fs.writeFileSync(names.fixed.schemaPath, "old");
    const { listener } = await startSession(names, { schema: "new" });
    expect(await askOnce(names.fixed.socketPath)).toBe("hello");
    expect(fs.readFileSync(names.fixed.schemaPath, "utf8")).toBe("new");
    await listener.close();
    expect(fs.readdirSync(directory)).toEqual([]);
  });

  it("H11 stays with the program that runs, whose socket and schema file are untouched; the other leaves nothing", async ({
    directory,
  }) => {
    const first = named(directory);
    const { listener } = await startSession(first, { schema: "first" });
    const before = fs.readdirSync(directory);
    await expect(startSession(named(directory), { schema: "second" })).rejects.toMatchObject({
      code: "name_taken",
      message: `"harbour" is taken: a running program listens at ${first.fixed.socketPath}. Stop it, or choose another name`,
    });
    expect(fs.readdirSync(directory)).toEqual(before);
    expect(fs.readFileSync(first.fixed.schemaPath, "utf8")).toBe("first");
    expect(await askOnce(first.fixed.socketPath)).toBe("hello");
    await listener.close();
  });

  it.for(["a file", "a folder", "a dead socket of another user"])(
    "SOK-07 is refused when it is %s, which stays",
    async (kind, { directory, skip }) => {
      const names = named(directory);
      if (kind === "a file") fs.writeFileSync(names.fixed.socketPath, "precious");
      else if (kind === "a folder") fs.mkdirSync(names.fixed.socketPath);
      else if (process.getuid?.() !== 0) skip("only root can give a file to another user");
      else {
        await plantDeadSocket(names.fixed.socketPath);
        fs.lchownSync(names.fixed.socketPath, 54_321, 54_321);
      }
      const { ino } = fs.lstatSync(names.fixed.socketPath);
      await expect(startSession(names, { schema: "[]" })).rejects.toMatchObject({
        code: "name_taken",
        message: `"harbour" is taken: ${names.fixed.socketPath} is not a socket of yours. Remove it, or choose another name`,
      });
      expect(fs.readdirSync(directory)).toEqual(["harbour.sock"]);
      expect(fs.lstatSync(names.fixed.socketPath).ino).toBe(ino);
    },
  );

  it("is not removed by an owner that lost it", async ({ directory }) => {
    const first = named(directory);
    const one = await startSession(first, { schema: "one" });
    fs.rmSync(first.fixed.socketPath);
    const two = await startSession(named(directory), { schema: "two" });
    await one.listener.close();
    expect(await askOnce(first.fixed.socketPath)).toBe("hello");
    expect(fs.readFileSync(first.fixed.schemaPath, "utf8")).toBe("two");
    await two.listener.close();
    expect(fs.readdirSync(directory)).toEqual([]);
  });
});

describe("two processes that start under one fixed name", () => {
  it("SOK-05 never both own it: each time exactly one does, and it answers under that name", async ({ directory }) => {
    const rivals = [1, 2].map(() => fork(fixturePath("socket-contender.ts"), { stdio: "inherit" }));
    try {
      await Promise.all(rivals.map((rival) => once(rival, "message")));
      for (let round = 0; round < 40; round++) await contend(directory, rivals, round);
    } finally {
      for (const rival of rivals) rival.kill("SIGKILL");
    }
    expect(fs.readdirSync(directory)).toEqual([]);
  });
});

async function contend(directory: string, rivals: ChildProcess[], round: number): Promise<void> {
  const { fixed } = named(directory);
  // Every other time there is nothing to take over.
  if (round % 2 === 0) await plantDeadSocket(fixed.socketPath);
  const answers = rivals.map((rival) => once(rival, "message"));
  for (const rival of rivals) rival.send({ names: named(directory) });
  const outcomes = (await Promise.all(answers)).map(([outcome]) => outcome as { owns: boolean; code?: string });
  const owners = rivals.filter((_, index) => outcomes[index]?.owns);
  const losers = outcomes.filter(({ code }) => code === "name_taken").length;
  expect({ round, owners: owners.length, losers }).toEqual({ round, owners: 1, losers: 1 });
  expect(await askOnce(fixed.socketPath)).toBe(String(owners[0]?.pid));
  const closed = rivals.map((rival) => once(rival, "message"));
  for (const rival of rivals) rival.send("close");
  await Promise.all(closed);
}
