// A listener in a process that may open few descriptors, with far more clients than that.

import { connect, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect } from "vitest";
import { lengthPrefix } from "../../src/codec/length-prefix.ts";
import { connectSocket } from "../../src/socket/connect.ts";
import { it, until, type Program } from "../process/real-programs.ts";
import { ask, askOnce } from "./sockets.ts";

const refusal = lengthPrefix.encode({ code: "overloaded" }).toString("hex");

async function pathOf(server: Program): Promise<string> {
  await server.whenPrinted(".sock\n");
  return server.stdout.trim();
}

/** Connects, asks at once as clients do, and resolves with everything that came before the end. */
function knock(path: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ path, allowHalfOpen: true });
    const chunks: Buffer[] = [];
    socket.once("connect", () => socket.write("request\n"));
    socket.on("data", (chunk) => chunks.push(chunk)).once("end", () => socket.end());
    socket.on("error", () => {}).once("close", () => resolve(Buffer.concat(chunks).toString("hex")));
  });
}

/** Asks again and again until stopped; resolves with the number of answers, rejects when one is missing. */
function keepAsking(socket: Socket, signal: AbortSignal): Promise<number> {
  return (async () => {
    let answers = 0;
    while (!signal.aborted) {
      expect(await ask(socket, `still here ${answers}`)).toBe(`still here ${answers}`);
      answers++;
      await delay(2);
    }
    return answers;
  })();
}

describe("a listener with few descriptors and 200 clients", () => {
  it("SOK-16 serves its clients throughout, tells the others why, leaves files to open, and recovers", async ({ directory, start }) => {
    const server = start("socket-server.ts", { args: ["--directory", directory], before: "ulimit -n 60" });
    const path = await pathOf(server);
    const clients = await Promise.all(Array.from({ length: 20 }, () => connectSocket(path)));
    const stop = new AbortController();
    const asking = clients.slice(0, 10).map((client) => keepAsking(client, stop.signal));

    for (let wave = 0; wave < 40; wave++) {
      expect(await Promise.all(Array.from({ length: 5 }, () => knock(path)))).toEqual(Array(5).fill(refusal));
    }
    const burst = await Promise.all(Array.from({ length: 200 }, () => knock(path)));
    expect(burst.filter((answer) => answer !== refusal && answer !== "")).toEqual([]);
    server.write("open 8");
    await server.whenPrinted("opened 8");

    stop.abort();
    for (const answers of await Promise.all(asking)) expect(answers).toBeGreaterThan(10);
    expect(server.stderr.match(/20 connections are open; further ones are refused/g)).toHaveLength(1);
    for (const client of clients) client.destroy();
    await until(() => clients.every((client) => client.closed), 30_000, "the clients have left");
    expect(await askOnceSoon(path)).toBe("hello");
  });

  it("SOK-16 tells a burst of 200 why, where descriptors are not scarce", async ({ directory, start }) => {
    const server = start("socket-server.ts", { args: ["--directory", directory, "--max-connections", "3"], before: "ulimit -n 400" });
    const path = await pathOf(server);
    const clients = await Promise.all(Array.from({ length: 3 }, () => connectSocket(path)));
    expect(await Promise.all(Array.from({ length: 200 }, () => knock(path)))).toEqual(Array(200).fill(refusal));
    for (const client of clients) client.destroy();
  });

  it("SOK-16 is not stopped by refused clients that stay and never read", async ({ directory, start }) => {
    const server = start("socket-server.ts", { args: ["--directory", directory, "--max-connections", "1"], before: "ulimit -n 60" });
    const path = await pathOf(server);
    const client = await connectSocket(path);
    const idle = await Promise.all(Array.from({ length: 100 }, () => connectSocket(path)));
    for (const socket of idle) socket.on("error", () => {});
    // Each has its refusal waiting, unread, or was dropped for the next: its end may have come before anybody could listen for it.
    const isRefused = (socket: Socket): boolean => socket.readableLength > 0 || socket.readableEnded || socket.closed;
    await until(() => idle.every(isRefused), undefined, "each is refused");
    expect(await ask(client, "one")).toBe("one");
    server.write("open 10");
    await server.whenPrinted("opened 10");
    server.write("close");
    await server.whenPrinted("closed\n");
    expect(server.stdout).not.toContain("waited");
    for (const socket of [client, ...idle]) socket.destroy();
  });
});

/** The listener learns of a closed connection a moment after the client: asks until then. */
async function askOnceSoon(path: string): Promise<string> {
  for (let attempt = 0; attempt < 600; attempt++) {
    const answer = await askOnce(path).catch(() => undefined);
    if (answer === "hello") return answer;
    await delay(50);
  }
  throw new Error("still refused");
}
