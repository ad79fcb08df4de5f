// Connecting: every failure says which path and why; a probe calls a socket dead only on proof.

import fs from "node:fs";
import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { connectSocket, probeSocket } from "../../src/socket/connect.ts";
import { countDescriptors, isStopped, it, until } from "../process/real-programs.ts";
import { ask, echo, plantDeadSocket } from "./sockets.ts";

async function listening(path: string): Promise<Server> {
  const server = createServer({ allowHalfOpen: true }, echo).listen(path);
  await once(server, "listening");
  return server;
}

describe("connectSocket", () => {
  it("connects, and keeps its reading half when it ends its writing half", async ({ directory }) => {
    const server = await listening(join(directory, "s"));
    const socket = await connectSocket(join(directory, "s"));
    expect(await ask(socket, "hello")).toBe("hello");
    expect(socket.allowHalfOpen).toBe(true);
    socket.destroy();
    server.close();
  });

  it("SOK-15 says that there is no such socket", async ({ directory }) => {
    const path = join(directory, "missing.sock");
    await expect(connectSocket(path)).rejects.toMatchObject({
      code: "connection_failed",
      message: `no program is listening at ${path}; is it running?`,
      facts: { path },
    });
  });

  it("says that nobody listens any more", async ({ directory }) => {
    const path = join(directory, "dead.sock");
    await plantDeadSocket(path);
    await expect(connectSocket(path)).rejects.toMatchObject({
      code: "connection_failed",
      message: `no program is listening at ${path}; is it running?`,
    });
  });

  it("refuses a socket of another user, who may have taken the name of a program that has ended", async ({ directory, skip }) => {
    if (process.getuid?.() !== 0) skip("only root can give a file to another user");
    const path = join(directory, "s");
    const server = await listening(path);
    fs.chownSync(path, 54_321, 54_321);
    await expect(connectSocket(path)).rejects.toMatchObject({
      code: "connection_failed",
      message: `can't connect to ${path}: it belongs to another user (54321)`,
    });
    server.close();
  });

  it("refuses one that changed hands while it connected, and lets go of it", async ({ directory, skip }) => {
    if (process.getuid?.() !== 0) skip("only root can give a file to another user");
    const path = join(directory, "s");
    const server = await listening(path);
    const left = once(server, "connection").then(([socket]: Socket[]) => once(socket!.resume(), "close"));
    const connecting = connectSocket(path);
    fs.chownSync(path, 54_321, 54_321);
    await expect(connecting).rejects.toMatchObject({ code: "connection_failed" });
    await left;
    server.close();
  });

  it("gives up when its signal aborts, before or while it connects, and leaves no descriptor", async ({ directory }) => {
    const path = join(directory, "s");
    const server = await listening(path);
    const before = countDescriptors();
    const reason = new Error("changed my mind");
    await expect(connectSocket(path, { signal: AbortSignal.abort(reason) })).rejects.toMatchObject({
      code: "cancelled",
      cause: reason,
    });
    const controller = new AbortController();
    const connecting = connectSocket(path, { signal: controller.signal });
    controller.abort(reason);
    await expect(connecting).rejects.toMatchObject({ code: "cancelled", cause: reason });
    await until(() => countDescriptors() <= before, 30_000, "no descriptor is left");
    server.close();
  });

  it("takes its listener off a signal that outlives the connection", async ({ directory }) => {
    const path = join(directory, "s");
    const server = await listening(path);
    const controller = new AbortController();
    const socket = await connectSocket(path, { signal: controller.signal });
    controller.abort();
    expect(await ask(socket, "still connected")).toBe("still connected");
    socket.destroy();
    server.close();
  });
});

describe("probeSocket", () => {
  it("H11 tells live, dead and anything else apart", async ({ directory }) => {
    const at = (name: string): string => join(directory, name);
    const server = await listening(at("live"));
    await plantDeadSocket(at("dead"));
    fs.mkdirSync(at("locked"));
    const outcomes = await Promise.all([at("live"), at("dead"), at("missing"), at("live/below")].map((path) => probeSocket(path)));
    expect(outcomes).toEqual(["live", "dead", "unknown", "unknown"]);
    server.close();
  });

  it("H11 does not take a listener that is too busy to accept for a dead one", async ({ directory, start }) => {
    const path = join(directory, "busy");
    const program = start("socket-busy.ts", { args: ["--path", path] });
    await program.whenPrinted("listening");
    // Stopped as a debugger stops it: its backlog of one fills up, and further connections are turned away by the kernel.
    program.process.kill("SIGSTOP");
    await until(() => isStopped(program.pid), 30_000, "it is stopped");
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => probeSocket(path)));
    program.process.kill("SIGCONT");
    expect(outcomes.filter((outcome) => outcome === "dead")).toEqual([]);
    expect(outcomes).toContain("unknown");
  });
});
