// The additions to the contract: a bridge that says `hello` gets what it asked for, between its request and the
// answer; one that never says it sees the plain contract.

import fs from "node:fs";
import { dirname } from "node:path";
import { describe, expect } from "vitest";
import type { ToolContext } from "@hawser/tools";
import type { Client, Frame } from "./fixtures/parent-client.ts";
import { anyTool, echoTool, it, turn } from "./fixtures/parent-it.ts";
import { until } from "../../../test/kit/until.ts";

async function sayHello(client: Client, features: readonly string[], clientInfo?: object): Promise<Frame> {
  client.send({ method: "hello", params: { features, ...(clientInfo && { client: clientInfo }) } });
  return client.next();
}

/** All frames up to the answer. */
async function framesOf(client: Client, name: string, args?: Record<string, unknown>): Promise<Frame[]> {
  client.call(name, args);
  const frames: Frame[] = [];
  while (!frames.at(-1)?.result && !frames.at(-1)?.error) frames.push(await client.next());
  return frames;
}

const chatty = anyTool("chatty", async (_, { progress, log }) => {
  progress(1);
  await turn();
  log("reading");
  progress(2, 4, "half");
  log("careful", "warning");
  return "end";
});

describe("H4 hello", () => {
  it("H4 H18 is answered with features and the session's private directory, which only the owner can enter", async ({ start, connect }) => {
    const session = await start([echoTool]);
    const { result } = await sayHello(await connect(session), ["progress"]);
    expect(result?.content).toEqual([{ type: "text", text: "hello" }]);
    expect(result?.hello?.features).toEqual(["progress", "log", "richContent"]);
    const privateDirectory = result?.hello?.privateDirectory ?? "";
    expect(privateDirectory).toBe(session.socketPath.replace(/\.sock$/, ".d"));
    expect(session.privateDirectory).toBe(privateDirectory);
    expect(dirname(privateDirectory)).toBe(dirname(session.socketPath));
    expect((fs.statSync(privateDirectory).mode & 0o7777).toString(8)).toBe("700");
  });

  it("H4 is followed by calls as usual, and may be said by each connection for itself", async ({ start, connect }) => {
    const session = await start([chatty]);
    const [polite, plain] = [await connect(session), await connect(session)];
    await sayHello(polite, ["log"]);
    expect(await framesOf(polite, "chatty")).toHaveLength(3);
    expect(await framesOf(plain, "chatty")).toHaveLength(1);
  });

  it("H4 unknown features and unknown members are ignored", async ({ start, connect }) => {
    const client = await connect(await start([chatty]));
    client.send({ method: "hello", params: { features: ["telepathy"], client: { name: "x", colour: "red" }, extra: 1 }, more: 2 });
    expect((await client.next()).result?.hello).toBeDefined();
    expect(await framesOf(client, "chatty")).toHaveLength(1);
  });

  it.for([
    ["name and version", { name: "claude-code", version: "2.1.0" }, { name: "claude-code", version: "2.1.0" }],
    ["a name alone", { name: "codex" }, { name: "codex" }],
    ["nothing", undefined, "unknown"],
  ] as const)("the function is told the client's %s", async ([, given, seen], { start, connect }) => {
    const client = await connect(await start([anyTool("who", (_, context) => ({ client: context.client ?? "unknown" }))]));
    await sayHello(client, [], given);
    expect((await client.ask("who")).result?.structuredContent).toEqual({ client: seen });
  });

  it("without a hello the client is unknown", async ({ start, connect }) => {
    const client = await connect(await start([anyTool("who", (_, context) => typeof context.client)]));
    expect((await client.ask("who")).result?.content[0]?.text).toBe("undefined");
  });
});

describe("H4 progress and log", () => {
  it("R12 H4 arrive in order between request and answer, with neither `result` nor `error`", async ({ start, connect }) => {
    const client = await connect(await start([chatty]));
    await sayHello(client, ["progress", "log", "richContent"]);
    expect(await framesOf(client, "chatty")).toEqual([
      { progress: { progress: 1 } },
      { log: { level: "info", message: "reading" } },
      { progress: { progress: 2, total: 4, message: "half" } },
      { log: { level: "warning", message: "careful" } },
      { result: { content: [{ type: "text", text: "end" }] } },
    ]);
  });

  it.for([
    ["progress", 3],
    ["log", 3],
  ] as const)("H4 a bridge that asked only for %s gets only that", async ([feature, count], { start, connect }) => {
    const client = await connect(await start([chatty]));
    await sayHello(client, [feature]);
    const frames = await framesOf(client, "chatty");
    expect(frames).toHaveLength(count);
    expect(frames.slice(0, -1).every((frame) => feature in frame)).toBe(true);
  });

  it("R12 H4 a bridge that never said hello gets none", async ({ start, connect }) => {
    const client = await connect(await start([chatty]));
    expect(await framesOf(client, "chatty")).toEqual([{ result: { content: [{ type: "text", text: "end" }] } }]);
  });

  it("G4 H4 what a function says after it has returned, or after it was cancelled, is dropped", async ({ start, connect }) => {
    const contexts: ToolContext[] = [];
    const tools = [
      anyTool("leave", (_, context) => void contexts.push(context)),
      anyTool("fail", (_, context) => {
        contexts.push(context);
        throw new Error("x");
      }),
      anyTool("work", async (_, { progress }) => {
        for (const { progress: lateProgress, log } of contexts) {
          lateProgress(99);
          log("late");
        }
        progress(1);
        return "worked";
      }),
    ];
    const session = await start(tools);
    const client = await connect(session);
    await sayHello(client, ["progress", "log"]);
    await client.ask("leave");
    await client.ask("fail");
    for (const { progress, log } of contexts) {
      progress(98);
      log("between calls");
    }
    await turn(20);
    expect(client.unread).toBe(0);
    expect(await framesOf(client, "work")).toEqual([
      { progress: { progress: 1 } },
      { result: { content: [{ type: "text", text: "worked" }] } },
    ]);
  });

  it("H4 what a bridge would refuse is not sent: numbers that are none, levels and messages of other kinds", async ({ start, connect }) => {
    const odd = anyTool("odd", (_, { progress, log }) => {
      progress(NaN);
      progress(Infinity);
      progress(1, NaN, 5 as unknown as string);
      log({ a: 1 } as unknown as string, "warn" as "warning");
      return "end";
    });
    const client = await connect(await start([odd]));
    await sayHello(client, ["progress", "log"]);
    expect(await framesOf(client, "odd")).toEqual([
      { progress: { progress: 1, message: "5" } },
      { log: { level: "info", message: "[object Object]" } },
      { result: { content: [{ type: "text", text: "end" }] } },
    ]);
  });

  it("H4 a value that can't be written as text doesn't fail the function", async ({ start, connect }) => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    const hostile = [Object.create(null), proxy, { toString: () => JSON.parse("{") as string }] as string[];
    const talk = anyTool("talk", (_, { log, progress }) => {
      hostile.forEach((value, index) => (log(value), progress(index, undefined, value)));
      return "done";
    });
    const client = await connect(await start([talk]));
    await sayHello(client, ["log", "progress"]);
    client.call("talk");
    for (const [index] of hostile.entries()) {
      expect(await client.next()).toEqual({ log: { level: "info", message: "a value that can't be written as text" } });
      expect(await client.next()).toEqual({ progress: { progress: index, message: "a value that can't be written as text" } });
    }
    expect((await client.next()).result?.content).toEqual([{ type: "text", text: "done" }]);
  });

  it("G1 G10 a client that does not read loses progress; memory stays bounded and the answer still comes", async ({ start, connect }) => {
    const line = "x".repeat(100_000);
    let isDone = false;
    const flood = anyTool("flood", async (_, { log }) => {
      for (let count = 0; count < 5_000; count++) {
        log(line);
        if (count % 50 === 0) await turn();
      }
      isDone = true;
      return line;
    });
    const client = await connect(await start([flood, echoTool]));
    await sayHello(client, ["log"]);
    client.socket.pause();
    const before = process.memoryUsage.rss();
    client.call("flood");
    await until(() => isDone);
    // Of the whole test process, in which other things go on; what was said is five hundred megabytes.
    expect(process.memoryUsage.rss() - before).toBeLessThan(200_000_000);
    client.socket.resume();
    const frames: Frame[] = [];
    while (!frames.at(-1)?.result) frames.push(await client.next());
    expect(frames.length).toBeGreaterThan(1);
    expect(frames.length).toBeLessThan(2_500);
    expect(frames.at(-1)).toEqual({ result: { content: [{ type: "text", text: line }] } });
    expect((await client.ask("echo", { n: 1 })).result?.structuredContent).toEqual({ n: 1 });
  });
});

describe("H9 rich content", () => {
  const blocks = [
    { type: "text", text: "seen" },
    { type: "image", data: "AAAA", mimeType: "image/png" },
    { type: "audio", data: "AAAA", mimeType: "audio/wav" },
    { type: "resource_link", uri: "file:///a%20b", name: "a b", mimeType: "text/plain" },
    { type: "resource", resource: { uri: "db://row/1", mimeType: "text/csv", text: "1;2" } },
    { type: "resource", resource: { uri: "db://row/2", blob: "AAAA" } },
    { type: "ui", tree: {} },
  ];
  const gallery = anyTool("gallery", () => ({ content: blocks, isError: true, structuredContent: { n: 1 }, _meta: { m: 2 } }));

  it.for([
    ["asked for it", ["richContent"]],
    ["never said hello", undefined],
  ] as const)("H9 passes through untouched to a bridge that %s", async ([, features], { start, connect }) => {
    const client = await connect(await start([gallery]));
    if (features) await sayHello(client, features);
    expect((await client.ask("gallery")).result).toEqual({ content: blocks, isError: true, structuredContent: { n: 1 }, _meta: { m: 2 } });
  });

  it("H9 becomes text for a bridge that said hello without it; the rest of the result stays", async ({ start, connect }) => {
    const client = await connect(await start([gallery]));
    await sayHello(client, ["progress"]);
    const { result } = await client.ask("gallery");
    expect(result).toEqual({
      content: [
        "seen",
        "[image image/png]",
        "[audio audio/wav]",
        "[resource_link text/plain file:///a%20b]",
        "[resource text/csv db://row/1]\n1;2",
        "[resource db://row/2]",
        "[ui]",
      ].map((text) => ({ type: "text", text })),
      isError: true,
      structuredContent: { n: 1 },
      _meta: { m: 2 },
    });
  });
});
