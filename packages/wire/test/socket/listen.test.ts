// A listener from its start to its end, on real sockets: when its name appears, what it refuses,
// whom it harms (nobody), and what is left when it closes.

import fs from "node:fs";
import { once } from "node:events";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, vi } from "vitest";
import { connectSocket } from "../../src/socket/connect.ts";
import { listenSocket } from "../../src/socket/listen.ts";
import { createSessionFiles } from "../../src/socket/session-files.ts";
import { countDescriptors, it, until } from "../process/real-programs.ts";
import { ask, askOnce, hourMs, makeOld, namesIn, permissionsOf, plantDeadSocket, startSession } from "./sockets.ts";

describe("a public name", () => {
  it("H10, R49 is never seen open to others or without a listener, under umask 0 and while 80 sessions start", async ({
    directory,
    start,
  }) => {
    const watch = start("socket-watch.ts", { args: ["--directory", directory] });
    await watch.whenPrinted("watching");
    const programs = [1, 2].map(() =>
      start("socket-sessions.ts", { args: ["--directory", directory, "--count", "40"], before: "umask 0" }),
    );
    await Promise.all(programs.map((program) => program.whenPrinted("started")));
    watch.process.stdin?.end();
    expect(await watch.ended).toEqual({ code: 0, signal: null });
    const saw = JSON.parse(watch.stdout.split("\n")[1] ?? "") as unknown;
    expect(saw).toEqual({ counts: { socket: 80, schema: 80, directory: 80, lock: 0 }, faults: [] });
  });

  it("H10 is a hard link to the very socket that listens, and the private name is gone", async ({ directory }) => {
    const { names, listener } = await startSession(namesIn(directory));
    expect(fs.lstatSync(names.socketPath).isSocket()).toBe(true);
    expect(fs.lstatSync(names.socketPath).nlink).toBe(1);
    expect(fs.readdirSync(names.privateDirectory)).toEqual([]);
    expect(await askOnce(names.socketPath)).toBe("hello");
    await listener.close();
  });

  it("R54 is taken over from a dead socket", async ({ directory }) => {
    const names = namesIn(directory);
    await plantDeadSocket(names.socketPath);
    const { listener } = await startSession(names);
    expect(await askOnce(names.socketPath)).toBe("hello");
    expect(permissionsOf(names.socketPath)).toBe("600");
    await listener.close();
    expect(fs.readdirSync(directory)).toEqual([]);
  });

  it("R54 is refused with name_taken while another listens there, who notices nothing", async ({ directory }) => {
    const names = namesIn(directory);
    const victim = createServer((socket) => socket.pipe(socket)).listen(names.socketPath);
    await once(victim, "listening");
    const before = fs.lstatSync(names.socketPath);
    await expect(startSession(names)).rejects.toMatchObject({ code: "name_taken", facts: { path: names.socketPath } });
    expect(fs.readdirSync(directory)).toEqual([`claudecode_ipc_${names.uuid}.sock`]);
    expect(fs.lstatSync(names.socketPath)).toMatchObject({ ino: before.ino, mode: before.mode });
    expect(await askOnce(names.socketPath)).toBe("hello");
    victim.close();
  });

  it.for(["a regular file", "a link to a file", "a link to a dead socket", "a dangling link", "a directory"])(
    "SOK-07, R54 is refused when it is %s, which stays as it was",
    async (kind, { directory }) => {
      const names = namesIn(directory);
      const victim = join(directory, "victim");
      if (kind === "a regular file") fs.writeFileSync(names.socketPath, "precious", { mode: 0o644 });
      if (kind === "a directory") fs.mkdirSync(names.socketPath);
      if (kind === "a link to a file") fs.writeFileSync(victim, "precious");
      if (kind === "a link to a dead socket") await plantDeadSocket(victim);
      if (kind.includes("link")) fs.symlinkSync(victim, names.socketPath);
      const before = snapshot(directory);
      await expect(startSession(names)).rejects.toMatchObject({ code: "name_taken" });
      expect(snapshot(directory)).toEqual(before);
    },
  );

  it("R54, H11 is not taken over from another user's dead socket", async ({ directory }) => {
    const names = namesIn(directory);
    await plantDeadSocket(names.socketPath);
    const before = snapshot(directory);
    const files = createSessionFiles(names);
    const mine = process.getuid?.() ?? 0;
    const stub = vi.spyOn(process as { getuid(): number }, "getuid").mockReturnValue(mine + 1);
    await expect(listenSocket({ files, onConnection: () => {} })).rejects.toMatchObject({ code: "name_taken" });
    stub.mockRestore();
    expect(snapshot(directory)).toEqual(before);
  });

  it("is not taken over while another process is at it", async ({ directory }) => {
    const names = namesIn(directory);
    await plantDeadSocket(names.socketPath);
    fs.writeFileSync(`${names.socketPath}.lock`, "");
    const before = snapshot(directory);
    await expect(startSession(names)).rejects.toMatchObject({ code: "name_taken" });
    expect(snapshot(directory)).toEqual(before);
  });
});

/** Everything that must not change about what lies in a directory. */
function snapshot(directory: string): unknown[] {
  return fs.readdirSync(directory).map((name) => {
    const { ino, mode, size, mtimeMs, nlink } = fs.lstatSync(join(directory, name));
    return { name, ino, mode, size, mtimeMs, nlink };
  });
}

describe("closing", () => {
  it("SOK-17 is one act however often it is asked for, and ends what is connected", async ({ directory }) => {
    // The first session also makes Node open what it needs for signals, once.
    await (await startSession(namesIn(directory))).listener.close();
    const descriptors = countDescriptors();
    const { names, listener } = await startSession(namesIn(directory));
    const clients = await Promise.all([1, 2, 3].map(() => connectSocket(names.socketPath)));
    for (const client of clients) client.resume();
    expect(await ask(clients[0]!, "one")).toBe("one");
    await until(() => listener.connections === 3, 30_000, "all three are accepted");
    const ends = clients.map((client) => once(client, "end"));
    expect(listener.close()).toBe(listener.close());
    await Promise.all([listener.close(), ...ends]);
    for (const client of clients) client.destroy();
    expect(listener.connections).toBe(0);
    expect(fs.readdirSync(directory)).toEqual([]);
    await until(() => countDescriptors() <= descriptors, 30_000, "no descriptor is left");
    await expect(connectSocket(names.socketPath)).rejects.toMatchObject({ code: "connection_failed" });
  });

  it("SOK-17 during the start makes the start fail with `closed`, at whatever step it comes, and leaves nothing", async ({ directory }) => {
    const outcomes = new Set<string>();
    for (let turns = 0; turns < 12; turns++) {
      const names = namesIn(directory);
      if (turns % 2 === 1) await plantDeadSocket(names.socketPath);
      const files = createSessionFiles(names);
      const starting = listenSocket({ files, onConnection: () => {} }).then(
        async (listener) => {
          await listener.close();
          return "started";
        },
        (error: { code: string }) => error.code,
      );
      for (let turn = 0; turn < turns >> 1; turn++) await new Promise(setImmediate);
      files.remove();
      outcomes.add(await starting);
      fs.rmSync(names.socketPath, { force: true });
      expect(fs.readdirSync(directory)).toEqual([]);
    }
    expect([...outcomes].filter((outcome) => outcome !== "started" && outcome !== "closed")).toEqual([]);
    expect(outcomes).toContain("closed");
  });

  it("SOK-17 during the sweep of a start that is already reachable makes it fail with `closed` too", async ({ directory }) => {
    for (let count = 0; count < 200; count++) {
      const leftover = namesIn(directory).socketPath;
      await plantDeadSocket(leftover);
      makeOld(leftover, hourMs);
    }
    const files = createSessionFiles(namesIn(directory));
    const starting = listenSocket({ files, onConnection: () => {} });
    starting.catch(() => {});
    while (!fs.existsSync(files.names.socketPath)) await new Promise(setImmediate);
    files.remove();
    await expect(starting).rejects.toMatchObject({ code: "closed" });
    expect(fs.readdirSync(directory)).toEqual([]);
  });

  it("is not held up by a client that only half closed, whose answers still reach it", async ({ directory }) => {
    const { names, listener } = await startSession(namesIn(directory), {
      onConnection: (socket) => void socket.resume().once("end", () => setTimeout(() => socket.write("after your end\n"), 50)),
    });
    const client = await connectSocket(names.socketPath);
    client.end("request\n");
    const [answer] = (await once(client, "data")) as [Buffer];
    expect(answer.toString()).toBe("after your end\n");
    expect(listener.connections).toBe(1);
    const closed = once(client, "close");
    await listener.close();
    await closed;
    expect(listener.connections).toBe(0);
  });
});

describe("a socket file that is removed while its session lives", () => {
  it("SOK-15 leaves connected clients served; new ones get connection_failed with the path; closing does not throw", async ({
    directory,
  }) => {
    const { names, listener } = await startSession(namesIn(directory));
    const client = await connectSocket(names.socketPath);
    expect(await ask(client, "before")).toBe("before");
    fs.unlinkSync(names.socketPath);
    await expect(connectSocket(names.socketPath)).rejects.toMatchObject({
      code: "connection_failed",
      message: expect.stringContaining(names.socketPath),
      facts: { path: names.socketPath },
    });
    expect(await ask(client, "after")).toBe("after");
    await listener.close();
    client.destroy();
    expect(fs.readdirSync(directory)).toEqual([]);
  });
});
