// One connection is served in order, many side by side: no answer is lost, doubled or crossed.

import { setTimeout as delay } from "node:timers/promises";
import { describe, expect } from "vitest";
import { toCall, toFrame } from "./fixtures/parent-client.ts";
import { anyTool, echoTool, it, turn } from "./fixtures/parent-it.ts";

describe("one connection", () => {
  it("R7 R8 frames that come early wait: calls never overlap, and are answered in order", async ({ start, connect }) => {
    let [running, most] = [0, 0];
    const tool = anyTool("slow", async ({ n }) => {
      most = Math.max(most, ++running);
      await delay(n === 0 ? 40 : 1);
      running--;
      return String(n);
    });
    const client = await connect(await start([tool]));
    client.sendBytes(Buffer.concat(Array.from({ length: 20 }, (_, n) => toFrame(JSON.stringify(toCall("slow", { n }))))));
    const answers: (string | undefined)[] = [];
    for (let n = 0; n < 20; n++) answers.push((await client.next()).result?.content[0]?.text);
    expect(answers).toEqual(Array.from({ length: 20 }, (_, n) => String(n)));
    expect(most).toBe(1);
  });

  it("R8 errors keep their place among results", async ({ start, connect }) => {
    const client = await connect(await start([echoTool]));
    const payloads = [toCall("echo", { n: 1 }), { method: "x" }, toCall("echo", { n: 2 }), toCall("gone"), toCall("echo", { n: 3 })];
    client.sendBytes(Buffer.concat(payloads.map((payload) => toFrame(JSON.stringify(payload)))));
    const kinds: unknown[] = [];
    for (const _ of payloads) {
      const { result, error } = await client.next();
      kinds.push(result?.structuredContent?.["n"] ?? error?.type);
    }
    expect(kinds).toEqual([1, "ValueError", 2, "ToolNotFoundError", 3]);
  });

  it("R8 a hello that comes while a call runs waits for it", async ({ start, connect }) => {
    const released = Promise.withResolvers<string>();
    const client = await connect(await start([anyTool("wait", () => released.promise)]));
    client.call("wait");
    client.send({ method: "hello", params: { features: [] } });
    await turn(30);
    expect(client.unread).toBe(0);
    released.resolve("done");
    expect((await client.next()).result?.content[0]?.text).toBe("done");
    expect((await client.next()).result?.hello).toBeDefined();
  });

  it("R6 H1 serves a thousand calls on one connection, and one call on each of a hundred", async ({ start, connect }) => {
    const session = await start([echoTool]);
    const client = await connect(session);
    for (let n = 0; n < 1_000; n++) expect((await client.ask("echo", { n })).result?.structuredContent).toEqual({ n });
    for (let n = 0; n < 100; n++) {
      const once = await connect(session);
      expect((await once.ask("echo", { n })).result?.structuredContent).toEqual({ n });
      once.socket.end();
      await once.closed;
    }
  });
});

describe("many connections", () => {
  it("G4 H2 50 parallel calls run side by side and get 50 right answers", async ({ start, connect }) => {
    let [running, most] = [0, 0];
    const allIn = Promise.withResolvers<void>();
    const tool = anyTool("meet", async ({ n }) => {
      most = Math.max(most, ++running);
      if (running === 50) allIn.resolve();
      await allIn.promise;
      running--;
      return { n };
    });
    const session = await start([tool]);
    const clients = await Promise.all(Array.from({ length: 50 }, () => connect(session)));
    const answers = await Promise.all(clients.map((client, n) => client.ask("meet", { n })));
    expect(answers.map(({ result }) => result?.structuredContent)).toEqual(clients.map((_, n) => ({ n })));
    expect(most).toBe(50);
  });

  it("G4 H4 500 calls that are cancelled and answered late never reach another call", async ({ start, connect }) => {
    let begun = Promise.withResolvers<PromiseWithResolvers<unknown>>();
    const late = anyTool("late", () => {
      const answer = Promise.withResolvers<unknown>();
      begun.resolve(answer);
      return answer.promise;
    });
    const session = await start([late, echoTool]);
    const steady = await connect(session);
    for (let n = 0; n < 500; n++) {
      begun = Promise.withResolvers();
      const cancelled = await connect(session);
      cancelled.call("late");
      const answer = await begun.promise;
      cancelled.socket.destroy();
      // The late answer is given while the next call is under way on another connection.
      steady.call("echo", { n });
      answer.resolve({ late: n });
      expect(await steady.next()).toEqual({ result: { content: [{ type: "text", text: `{"n":${n}}` }], structuredContent: { n } } });
    }
    expect(steady.unread).toBe(0);
  });

  it("G4 a client that hangs in a call, one that sends nothing and one that sends half a frame hold up no others", async ({
    start,
    connect,
  }) => {
    const session = await start([anyTool("hang", () => new Promise(() => {})), echoTool]);
    (await connect(session)).call("hang");
    await connect(session);
    (await connect(session)).sendBytes(Buffer.from([0, 0, 0]));
    (await connect(session)).sendBytes(Buffer.from("00a00000", "hex"));
    expect((await (await connect(session)).ask("echo", { n: 1 })).result?.structuredContent).toEqual({ n: 1 });
  });

  it("WIR-05 a frame that stops halfway ends its connection after the frame deadline, not that of a call that takes long", async ({
    start,
    connect,
  }) => {
    const session = await start([anyTool("long", () => delay(400, "done"))], { frameDeadlineMs: 50 });
    const working = await connect(session);
    working.call("long");
    const stuck = await connect(session);
    stuck.sendBytes(Buffer.from([0, 0]));
    await stuck.closed;
    expect((await working.next()).result?.content[0]?.text).toBe("done");
    expect((await working.ask("long")).result?.content[0]?.text).toBe("done");
  });

  it("G11 a client that is one too many is told so, and the others are served", async ({ start, connect }) => {
    const session = await start([echoTool], { maxConnections: 2 });
    const clients = [await connect(session), await connect(session)];
    for (const client of clients) await client.ask("echo", {});
    const refused = await connect(session);
    expect((await refused.next()).error).toEqual({
      message: "this program has too many connections open; try again",
      type: "IPCConnectionError",
    });
    await refused.closed;
    for (const client of clients) expect((await client.ask("echo", { n: 1 })).result?.structuredContent).toEqual({ n: 1 });
    clients[0]?.socket.end();
    // Its place is free when the parent has heard of it, a moment later.
    let answer = await (await connect(session)).ask("echo", { n: 2 });
    while (answer.error?.type === "IPCConnectionError") answer = await (await connect(session)).ask("echo", { n: 2 });
    expect(answer.result?.structuredContent).toEqual({ n: 2 });
  });
});
