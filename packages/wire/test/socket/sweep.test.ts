// The sweep, one condition at a time: each test plants something that fails exactly one of them, next to
// a plain leftover that must go, so that a sweep which does nothing at all can't pass.

import fs from "node:fs";
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { describe, expect, vi } from "vitest";
import { wireLimits } from "../../src/limits.ts";
import { sweepLeftovers } from "../../src/socket/leftovers.ts";
import { fixturePath, isStopped, it, until } from "../process/real-programs.ts";
import { askOnce, echo, hourMs, makeOld, namesIn, plantDeadSocket, startSession } from "./sockets.ts";

const uuid = "a".repeat(32);
const other = "b".repeat(32);
const socketName = `claudecode_ipc_${uuid}.sock`;
const schemaName = `claudecode_ipc_schema_${uuid}.json`;
const directoryName = `claudecode_ipc_${uuid}.d`;
const plainLeftover = `claudecode_ipc_${other}.sock`;

async function plantOldSocket(path: string): Promise<void> {
  await plantDeadSocket(path);
  makeOld(path, 2 * hourMs);
}

/** Sweeps with a plain leftover beside; returns what else is there afterwards. */
async function keptBy(directory: string): Promise<string[]> {
  await plantOldSocket(join(directory, plainLeftover));
  const removed = await sweepLeftovers(directory);
  const kept = fs.readdirSync(directory);
  expect(removed).toContain(join(directory, plainLeftover));
  expect(removed.map((path) => fs.existsSync(path)).includes(true)).toBe(false);
  return kept;
}

async function listening(path: string): Promise<Server> {
  const server = createServer(echo).listen(path);
  await once(server, "listening");
  return server;
}

describe("a dead socket", () => {
  it("R55 is removed at the next start, before the start is over", async ({ directory }) => {
    await plantOldSocket(join(directory, socketName));
    const { listener } = await startSession(namesIn(directory));
    expect(fs.existsSync(join(directory, socketName))).toBe(false);
    await listener.close();
  });

  it("H11 stays while it is younger than a minute", async ({ directory }) => {
    await plantDeadSocket(join(directory, socketName));
    makeOld(join(directory, socketName), wireLimits.staleSocketMs - 10_000);
    expect(await keptBy(directory)).toEqual([socketName]);
  });

  it.for([
    `claudecode_ipc_${uuid}.sock.bak`,
    `claudecode_ipc_${uuid.slice(1)}.sock`,
    `claudecode_ipc_${"G".repeat(32)}.sock`,
    "claudecode_ipc_.sock",
    "my.sock",
  ])("H11 stays when its name is not exactly one of ours: %s", async (name, { directory }) => {
    await plantOldSocket(join(directory, name));
    expect(await keptBy(directory)).toEqual([name]);
  });

  it("H11 stays when it was replaced between the probe and the removal, even by one just as old", async ({ directory }) => {
    const path = join(directory, socketName);
    await plantOldSocket(path);
    await plantOldSocket(join(directory, "replacement"));
    const { ino } = fs.lstatSync(join(directory, "replacement"));
    const sweeping = sweepLeftovers(directory);
    // The probe is under way, and its answer not yet read.
    expect(fs.existsSync(`${path}.lock`)).toBe(true);
    fs.renameSync(join(directory, "replacement"), path);
    expect(await sweeping).toEqual([]);
    expect(fs.lstatSync(path).ino).toBe(ino);
    expect(await sweepLeftovers(directory)).toEqual([path]);
  });

  it("stays while another process holds its lock, and goes in the sweep that finds the lock stale", async ({ directory }) => {
    const lock = join(directory, `${socketName}.lock`);
    await plantOldSocket(join(directory, socketName));
    fs.writeFileSync(lock, "");
    expect((await keptBy(directory)).sort()).toEqual([socketName, `${socketName}.lock`]);
    makeOld(lock, wireLimits.staleSocketMs + 10_000);
    expect(await keptBy(directory)).toEqual([]);
  });
});

describe("what is not a dead socket", () => {
  it("R55, H11 a live socket stays, however old, and its owner goes on", async ({ directory }) => {
    const server = await listening(join(directory, socketName));
    makeOld(join(directory, socketName), 100 * hourMs);
    expect(await keptBy(directory)).toEqual([socketName]);
    expect(await askOnce(join(directory, socketName))).toBe("hello");
    server.close();
  });

  it.for(["file", "directory", "link to a dead socket", "link to nothing", "fifo"])(
    "H11 a %s of a socket's name stays",
    async (kind, { directory }) => {
      const path = join(directory, socketName);
      if (kind === "file") fs.writeFileSync(path, "precious");
      if (kind === "directory") fs.mkdirSync(path);
      if (kind === "link to a dead socket") await plantOldSocket(join(directory, "target"));
      if (kind.startsWith("link")) fs.symlinkSync("target", path);
      if (kind === "fifo") expect(spawnSync("mkfifo", [path]).status).toBe(0);
      makeOld(path, 2 * hourMs);
      const before = fs.readdirSync(directory).sort();
      expect((await keptBy(directory)).sort()).toEqual(before);
    },
  );

  it("H11 a socket whose listener is stopped and too busy to accept stays", async ({ directory, start }) => {
    const path = join(directory, socketName);
    const program = start("socket-busy.ts", { args: ["--path", path] });
    await program.whenPrinted("listening");
    program.process.kill("SIGSTOP");
    await until(() => isStopped(program.pid), 30_000, "it is stopped");
    makeOld(path, 2 * hourMs);
    for (let attempt = 0; attempt < 5; attempt++) expect(await keptBy(directory)).toEqual([socketName]);
    program.process.kill("SIGCONT");
  });

  it("never throws: a directory that does not exist has no leftovers", async ({ directory }) => {
    expect(await sweepLeftovers(join(directory, "missing"))).toEqual([]);
  });
});

describe("another user's leftovers", () => {
  const isRoot = process.getuid?.() === 0;
  if (!isRoot) console.log("sweep.test.ts: not root, so files of another user can't be made; their tests are left out");

  it("H11 stay, by the user id of the process", async ({ directory }) => {
    await plantLeftovers(directory);
    const mine = process.getuid?.() ?? 0;
    const stub = vi.spyOn(process as { getuid(): number }, "getuid").mockReturnValue(mine + 1);
    expect(await sweepLeftovers(directory)).toEqual([]);
    stub.mockRestore();
    expect(await sweepLeftovers(directory)).toHaveLength(3);
  });

  it.runIf(isRoot)("H11 stay: root does not remove what belongs to a user", async ({ directory }) => {
    await plantLeftovers(directory);
    for (const name of [socketName, schemaName, directoryName]) fs.lchownSync(join(directory, name), 65_534, 65_534);
    expect((await keptBy(directory)).sort()).toEqual([directoryName, socketName, schemaName].sort());
  });

  it.runIf(isRoot)("H11 stay: a user removes only its own, even where the directory would let it", async ({ directory }) => {
    fs.chmodSync(directory, 0o777);
    await plantLeftovers(directory);
    await plantOldSocket(join(directory, plainLeftover));
    fs.lchownSync(join(directory, plainLeftover), 65_534, 65_534);
    // Type stripping needs no file that the other user may not read: the program is loaded before it changes its user.
    const run = spawnSync(process.execPath, [fixturePath("socket-sweep-as.ts"), "--directory", directory, "--uid", "65534"], {
      encoding: "utf8",
    });
    expect(run.stderr).toBe("");
    expect(JSON.parse(run.stdout)).toEqual([join(directory, plainLeftover)]);
    expect(fs.readdirSync(directory).sort()).toEqual([directoryName, socketName, schemaName].sort());
  });
});

/** A socket, a schema file and a private directory with something in it, all of one uuid and all old. */
async function plantLeftovers(directory: string): Promise<void> {
  await plantDeadSocket(join(directory, socketName));
  fs.writeFileSync(join(directory, schemaName), "{}");
  fs.mkdirSync(join(directory, directoryName));
  fs.writeFileSync(join(directory, directoryName, "result.json"), "{}");
  for (const name of [socketName, schemaName, directoryName]) makeOld(join(directory, name), 2 * hourMs);
}

describe("schema files and private directories", () => {
  it("H12, H18 go with their dead socket, and also when that is gone already", async ({ directory }) => {
    await plantLeftovers(directory);
    expect(await keptBy(directory)).toEqual([]);
    await plantLeftovers(directory);
    fs.unlinkSync(join(directory, socketName));
    expect(await keptBy(directory)).toEqual([]);
  });

  it("H12, H18 stay while a socket of their uuid lives, however old they are", async ({ directory }) => {
    await plantLeftovers(directory);
    fs.unlinkSync(join(directory, socketName));
    const server = await listening(join(directory, socketName));
    makeOld(join(directory, socketName), 2 * hourMs);
    expect((await keptBy(directory)).sort()).toEqual([directoryName, socketName, schemaName].sort());
    server.close();
  });

  it("H12 a schema stays for an hour, H18 a private directory for a minute", async ({ directory }) => {
    await plantLeftovers(directory);
    fs.unlinkSync(join(directory, socketName));
    makeOld(join(directory, schemaName), wireLimits.staleSchemaMs - 10_000);
    makeOld(join(directory, directoryName), wireLimits.staleSocketMs - 10_000);
    expect((await keptBy(directory)).sort()).toEqual([directoryName, schemaName]);
    makeOld(join(directory, directoryName), wireLimits.staleSocketMs + 10_000);
    expect(await keptBy(directory)).toEqual([schemaName]);
    makeOld(join(directory, schemaName), wireLimits.staleSchemaMs + 10_000);
    expect(await keptBy(directory)).toEqual([]);
  });

  it("H12 stay when they are links, and what a link inside a private directory points to stays too", async ({ directory }) => {
    const victim = join(directory, "victim");
    fs.mkdirSync(victim);
    fs.writeFileSync(join(victim, "content"), "precious");
    fs.symlinkSync(victim, join(directory, directoryName));
    fs.symlinkSync(join(victim, "content"), join(directory, schemaName));
    const privateDirectory = join(directory, `claudecode_ipc_${"c".repeat(32)}.d`);
    fs.mkdirSync(privateDirectory);
    fs.symlinkSync(victim, join(privateDirectory, "link"));
    for (const path of [join(directory, directoryName), join(directory, schemaName), privateDirectory]) makeOld(path, 2 * hourMs);
    expect((await keptBy(directory)).sort()).toEqual([directoryName, schemaName, "victim"].sort());
    expect(fs.readFileSync(join(victim, "content"), "utf8")).toBe("precious");
  });
});

describe("very many leftovers", () => {
  it("are looked at a thousand at a time, so that a start is never long; the next start takes the rest", async ({ directory }) => {
    for (let count = 0; count < wireLimits.maxSweptEntries + 30; count++) {
      const path = join(directory, `claudecode_ipc_schema_${count.toString(16).padStart(32, "0")}.json`);
      fs.writeFileSync(path, "{}");
      makeOld(path, 2 * hourMs);
    }
    expect(await sweepLeftovers(directory)).toHaveLength(1_000);
    expect(await sweepLeftovers(directory)).toHaveLength(30);
    expect(fs.readdirSync(directory)).toEqual([]);
  });
});
