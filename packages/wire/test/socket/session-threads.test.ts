// Sessions beside forked processes and worker threads that load the same module: each cleans up
// after itself and nobody after another.

import fs from "node:fs";
import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { describe, expect } from "vitest";
import { probeSocket } from "../../src/socket/connect.ts";
import { fixturePath, it } from "../process/real-programs.ts";
import { askOnce, hourMs, makeOld, namesIn, startSession } from "./sockets.ts";

const program = fixturePath("socket-thread.ts");

describe("a process that is forked from one with a session", () => {
  it.for(["none", "session"])(
    "SOK-14 loads the module and exits (own session: %s); its parent's session goes on",
    async (kind, { directory }) => {
      const { names, listener } = await startSession(namesIn(directory), { schema: "{}" });
      const child = fork(program, [directory, kind, "exit"]);
      const [said] = (await once(child, "message")) as [string];
      if (kind === "session") expect(await askOnce(said)).toBe("hello");
      child.send("end");
      expect(await once(child, "exit")).toEqual([0, null]);
      expect(fs.readdirSync(directory)).toHaveLength(3);
      expect(await askOnce(names.socketPath)).toBe("hello");
      await listener.close();
      expect(fs.readdirSync(directory)).toEqual([]);
    },
  );
});

describe("a worker of a cluster", () => {
  it("SOK-14 serves its session itself, not through the primary process, and nobody listens there after it was killed", async ({
    directory,
    start,
  }) => {
    const primary = start("socket-cluster.ts", { args: [directory] });
    await primary.whenPrinted("busy");
    const [path = ""] = primary.stdout.split("\n");
    expect(await askOnce(path)).toBe("hello");
    expect(primary.stdout).not.toContain("free again");
    primary.write("go on");
    await primary.whenPrinted("worker killed");
    expect(await probeSocket(path)).toBe("dead");
  });
});

describe("a worker thread", () => {
  it("SOK-14 loads the module and ends; the session of its process goes on", async ({ directory }) => {
    const { names, listener } = await startSession(namesIn(directory), { schema: "{}" });
    const worker = new Worker(program, { argv: [directory, "none", "exit"] });
    expect(await once(worker, "message")).toEqual(["loaded"]);
    worker.postMessage("end");
    expect(await once(worker, "exit")).toEqual([0]);
    expect(fs.readdirSync(directory)).toHaveLength(3);
    expect(await askOnce(names.socketPath)).toBe("hello");
    await listener.close();
    expect(fs.readdirSync(directory)).toEqual([]);
  });

  it.for(["return", "exit", "throw"])(
    "SOK-14 has a session of its own that works and is gone when the thread ends by %s",
    async (ending, { directory }) => {
      const worker = new Worker(program, { argv: [directory, "session", ending] });
      const [path] = (await once(worker, "message")) as [string];
      expect(await askOnce(path)).toBe("hello");
      const failure = ending === "throw" ? once(worker, "error") : undefined;
      // Not once(): it would reject with the error, and "exit" may follow in the same turn, before it could be listened for again.
      const exited = new Promise((resolve) => worker.once("exit", resolve));
      worker.postMessage("end");
      if (failure) expect(await failure).toMatchObject([{ message: "the thread fails" }]);
      await exited;
      expect(fs.readdirSync(directory)).toEqual([]);
    },
  );

  it("G9 that is ended from outside leaves its session's files to the sweep of a later start", async ({ directory }) => {
    const worker = new Worker(program, { argv: [directory, "session", "return"] });
    await once(worker, "message");
    await worker.terminate();
    const left = fs.readdirSync(directory);
    expect(left).toHaveLength(3);
    for (const name of left) makeOld(join(directory, name), 2 * hourMs);
    const { listener } = await startSession(namesIn(directory), { schema: "{}" });
    expect(fs.readdirSync(directory).filter((name) => left.includes(name))).toEqual([]);
    await listener.close();
  });
});
