// Stopping a session that is being used: calls that wait get an answer, functions are told, and the
// stop itself always settles.

import fs from "node:fs";
import { describe, expect } from "vitest";
import { createMemoryPair } from "@hawser/wire";
import { lengthPrefix } from "@hawser/wire/internal/node";
import { HawserError } from "@hawser/protocol";
import { serveConnection } from "../src/parent/serve-connection.ts";
import { createIPCSession } from "../src/parent/session.ts";
import { createSessionRoom } from "../src/parent/session-room.ts";
import { createContractTools } from "../src/parent/contract-tools.ts";
import { connectClient, toCall } from "./fixtures/parent-client.ts";
import { anyTool, echoTool, fixturePath, it, turn } from "./fixtures/parent-it.ts";
import { until } from "../../../test/kit/until.ts";

describe("stop", () => {
  it("SOK-17 G1 answers a running call with an error, aborts its signal, and settles though the function never returns", async ({
    directory,
  }) => {
    const signals: AbortSignal[] = [];
    const session = createIPCSession([anyTool("hang", (_, { signal }) => new Promise(() => void signals.push(signal)))], { directory });
    await session.start();
    const client = await connectClient(session.socketPath);
    client.call("hang");
    await until(() => signals.length === 1);
    await session.stop();
    expect(await client.next()).toEqual({
      error: { message: 'tool "hang" failed: the session was stopped; start the program that offers the tools again', type: "IPCError" },
    });
    await client.closed;
    expect(signals[0]?.reason).toMatchObject({ code: "cancelled" });
    expect(fs.readdirSync(directory)).toEqual([]);
  });

  it("SOK-17 G1 a function that stops its own session is answered with that error, whether it returns at once or later", async ({
    directory,
  }) => {
    for (const [name, value] of [
      ["now", "too late"],
      ["later", new Promise(() => {})],
    ] as const) {
      const session = createIPCSession([anyTool(name, () => (void session.stop(), value))], { directory });
      await session.start();
      const client = await connectClient(session.socketPath);
      client.call(name);
      expect((await client.next()).error?.message).toContain("the session was stopped");
      await client.closed;
      await session.stop();
    }
  });

  it("G4 requests that come together are answered one after the other, those that answer at once as well", async ({ directory }) => {
    const log: string[] = [];
    const slow = async (): Promise<string> => {
      await turn(20);
      log.push("end 2");
      return "slow";
    };
    const tool = anyTool("step", ({ n }) => (log.push(`begin ${String(n)}`), n === 2 ? slow() : `answer ${String(n)}`));
    const session = createIPCSession([tool], { directory });
    await session.start();
    const client = await connectClient(session.socketPath);
    client.socket.write(Buffer.concat([1, 2, 3, 4].map((n) => lengthPrefix.encode(toCall("step", { n })))));
    const texts: unknown[] = [];
    for (let answers = 0; answers < 4; answers++) {
      const { result } = await client.next();
      texts.push((result?.content[0] as { text?: unknown } | undefined)?.text);
    }
    expect([texts, log]).toEqual([
      ["answer 1", "slow", "answer 3", "answer 4"],
      ["begin 1", "begin 2", "end 2", "begin 3", "begin 4"],
    ]);
    client.socket.destroy();
    await session.stop();
  });

  it("SOK-17 ends idle connections, and those that wait behind others for their turn", async ({ directory }) => {
    const begun: unknown[] = [];
    const tool = anyTool("one", (args) => (begun.push(args), new Promise(() => {})), { concurrency: 1 });
    const session = createIPCSession([tool], { directory });
    await session.start();
    const [idle, first, second] = [
      await connectClient(session.socketPath),
      await connectClient(session.socketPath),
      await connectClient(session.socketPath),
    ];
    first.call("one", { n: 1 });
    await until(() => begun.length === 1);
    second.call("one", { n: 2 });
    await turn(20);
    await session.stop();
    expect((await first.next()).error?.type).toBe("IPCError");
    expect((await second.next()).error?.type).toBe("IPCError");
    await Promise.all([idle.closed, first.closed, second.closed]);
    expect(begun).toEqual([{ n: 1 }]);
  });

  it("SOK-17 G9 settles also when a client never reads its answer", async ({ directory }) => {
    const session = createIPCSession([anyTool("big", () => "x".repeat(9_000_000)), echoTool], { directory });
    await session.start();
    const stuck = await connectClient(session.socketPath);
    stuck.socket.pause();
    stuck.call("big");
    const other = await connectClient(session.socketPath);
    await other.ask("echo", {});
    await turn(50);
    await session.stop();
    await other.closed;
    expect(fs.readdirSync(directory)).toEqual([]);
    stuck.socket.destroy();
  });

  it("SOK-17 a call that comes while the session stops is not begun", async ({ directory }) => {
    const begun: string[] = [];
    const tools = [anyTool("hang", () => (begun.push("hang"), new Promise(() => {}))), anyTool("late", () => begun.push("late"))];
    const session = createIPCSession(tools, { directory });
    await session.start();
    const client = await connectClient(session.socketPath);
    client.call("hang");
    await until(() => begun.length === 1);
    client.call("late");
    await turn(20);
    await session.stop();
    await client.closed;
    expect(begun).toEqual(["hang"]);
  });

  it("SOK-17 can be called by a function of the session itself", async ({ directory }) => {
    const session = createIPCSession([anyTool("stop", () => session.stop())], { directory });
    await session.start();
    const client = await connectClient(session.socketPath);
    expect((await client.ask("stop")).error?.type).toBe("IPCError");
    await client.closed;
    await session.stop();
    expect(fs.readdirSync(directory)).toEqual([]);
  });

  it("G9 leaves no descriptor, listener or timer: a program ends by itself afterwards", async ({ directory, run }) => {
    const program = run(process.execPath, ["--conditions=hawser-source", fixturePath("parent-ending.ts"), directory, "stop"]);
    expect(await program.ended).toEqual({ code: 0, signal: null });
    expect(program.stdout).toContain("stopped");
    expect(fs.readdirSync(directory)).toEqual([]);
  });
});

// Over a pair in memory, since on a socket these are moments that can't be hit at will.
describe("a connection of a stopping session", () => {
  const begun: string[] = [];
  const tools = createContractTools([anyTool("note", () => begun.push("note")), anyTool("hang", () => new Promise(() => {}))]);

  it("SOK-17 G1 that was accepted at the last moment gets an error for its call, and is closed", async () => {
    const [mine, theirs] = createMemoryPair();
    const served = serveConnection(theirs, {
      tools,
      room: createSessionRoom(),
      privateDirectory: "",
      signal: AbortSignal.abort(new HawserError("cancelled", "stopped")),
    });
    await mine.send(toCall("note"));
    const answers = mine.incoming[Symbol.asyncIterator]();
    expect(await answers.next()).toMatchObject({ value: { value: { error: { message: "stopped", type: "IPCError" } } } });
    await served;
    expect(begun).toEqual([]);
  });

  it("SOK-17 G1 ends after the answer to its running call, whatever else was sent", async () => {
    const [mine, theirs] = createMemoryPair();
    const stopping = new AbortController();
    const served = serveConnection(theirs, { tools, room: createSessionRoom(), privateDirectory: "", signal: stopping.signal });
    await mine.send(toCall("hang"));
    await mine.send(toCall("note"));
    await turn();
    stopping.abort(new HawserError("cancelled", "stopped"));
    await served;
    const answers: unknown[] = [];
    for await (const item of mine.incoming) answers.push(item.kind === "message" && item.value);
    expect(answers).toEqual([{ error: { message: 'tool "hang" failed: stopped', type: "IPCError" } }]);
    expect(begun).toEqual([]);
  });
});
