// `tools/call` beside the MCP library: a client can't tell which way its call went, in either era, and whatever is
// unusual goes to the library.

import { describe, expect } from "vitest";
import { toDirectCall } from "../../src/process/calls.ts";
import { defineTool, it, type Message, type RawBridge } from "./bridges.ts";
import { until } from "../../../../test/kit/until.ts";

const input = { type: "object" } as const;
const envelope = { "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {} };
const named = { ...envelope, "io.modelcontextprotocol/clientInfo": { name: "later", version: "3" } };

const results: readonly unknown[] = [
  "text",
  "[1,2]",
  { n: 1 },
  { content: [{ type: "image", data: "AAAA", mimeType: "image/png" }], isError: true, _meta: { kept: 1 } },
  { content: [{ type: "text", text: "t", annotations: { priority: 1 } }] },
  { content: [{ type: "odd" }] },
];
const many = defineTool({ name: "many", description: "", input, run: ({ index }) => results[Number(index)] });
const who = defineTool({ name: "who", description: "", input, run: (_, { client }) => client?.name ?? "nobody" });

describe("both ways", () => {
  /** The same call twice: a member that no vendor owns sends the first one through the library. */
  async function callBothWays(bridge: RawBridge, name: string, args: object, meta: object): Promise<[Message, Message]> {
    const long = await bridge.answerTo(bridge.startCall(name, args, { ...meta, baggage: "" }));
    const short = await bridge.answerTo(bridge.startCall(name, args, { ...meta, "vendor/x": 1 }));
    return [
      { ...long, id: 0 },
      { ...short, id: 0 },
    ];
  }

  it("BRG-10: give the same answers with initialize", async ({ serve, start }) => {
    const bridge = start((await serve([many, who])).mcpServerConfig);
    await bridge.initialize();
    for (const index of results.keys()) {
      const [long, short] = await callBothWays(bridge, "many", { index }, {});
      expect(short).toEqual(long);
    }
    const [long, short] = await callBothWays(bridge, "none", {}, {});
    expect(short).toEqual(long);
    expect(short.result).toMatchObject({ isError: true, _meta: { error: { type: "ToolNotFoundError" } } });
    expect((await bridge.call("who")).content[0].text).toBe("raw-client");
  });

  it("BRG-10: give the same answers without initialize, each complete and with the server's name", async ({ serve, start }) => {
    const bridge = start((await serve([many, who])).mcpServerConfig);
    for (const index of results.keys()) {
      const [long, short] = await callBothWays(bridge, "many", { index }, named);
      expect(short).toEqual(long);
      expect(short.result).toMatchObject({ resultType: "complete", _meta: { "io.modelcontextprotocol/serverInfo": { name: "hawser" } } });
    }
    const call = (meta: object): Promise<Message> => bridge.request("tools/call", { name: "who", arguments: {}, _meta: meta });
    expect((await call(named)).result.content[0].text).toBe("later");
    expect((await call(envelope)).result.resultType).toBe("complete");
    expect((await call({})).error.message).toContain("missing the required _meta envelope");
    expect((await call({ ...named, "io.modelcontextprotocol/protocolVersion": 5 })).error.code).toBe(-32_602);
    expect((await bridge.request("initialize", { protocolVersion: "2025-11-25" })).error.code).toEqual(expect.any(Number));
  });

  it("H4 BRG-12: without initialize, log lines come for a request that asks for them, and progress for one with a token", async ({
    serve,
    start,
  }) => {
    const run = defineTool({ name: "run", description: "", input, run: (_, { log, progress }) => (log("a line"), progress(1), "done") });
    const bridge = start((await serve([run])).mcpServerConfig);
    for (const meta of [named, named, { ...named, progressToken: 7 }, { ...named, "io.modelcontextprotocol/logLevel": "info" }])
      await bridge.request("tools/call", { name: "run", arguments: {}, _meta: meta });
    const notes = bridge.messages
      .filter(({ method }) => method !== undefined)
      .map(({ method, params }) => [method, params.data ?? params.progressToken]);
    expect(notes).toEqual([
      ["notifications/progress", 7],
      ["notifications/message", "a line"],
    ]);
  });

  it("H4: a cancel reaches the function, in either era, and the call is never answered", async ({ serve, start }) => {
    for (const meta of [undefined, named]) {
      const reasons: unknown[] = [];
      const wait = defineTool({
        name: "wait",
        description: "",
        input,
        run: ({ ms }, { signal }) =>
          ms === 0 ? "at once" : new Promise(() => signal.addEventListener("abort", () => reasons.push(signal.reason))),
      });
      const bridge = start((await serve([wait])).mcpServerConfig);
      if (!meta) await bridge.initialize();
      await bridge.answerTo(bridge.startCall("wait", { ms: 0 }, meta));
      const id = bridge.startCall("wait", {}, meta);
      await bridge.answerTo(bridge.startCall("wait", { ms: 0 }, meta));
      bridge.cancel(id);
      await until(() => reasons.length === 1, 30_000, "the function is told");
      await bridge.answerTo(bridge.startCall("wait", { ms: 0 }, meta));
      expect(bridge.messages.filter((message) => message.id === id)).toEqual([]);
    }
  });
});

describe("the usual shape", () => {
  const call = (change: object, params: object = {}): unknown => ({
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name: "x", arguments: {}, ...params },
    ...change,
  });

  it.for([
    ["a list", []],
    ["nothing", null],
    ["another method", call({ method: "tools/list" })],
    ["another version", call({ jsonrpc: "1.0" })],
    ["no id", call({ id: undefined })],
    ["an id of null", call({ id: null })],
    ["an id that is a fraction", call({ id: 1.5 })],
    ["a member more", call({ more: 1 })],
    ["params that are a list", call({ params: [] })],
    ["a name that is a number", call({}, { name: 5 })],
    ["arguments that are a list", call({}, { arguments: [] })],
    ["arguments of null", call({}, { arguments: null })],
    ["a task", call({}, { task: {} })],
    ["an answer to a question", call({}, { inputResponses: {} })],
    ["_meta that is a list", call({}, { _meta: [] })],
    ["a progress token that is an object", call({}, { _meta: { progressToken: {} } })],
    ["a trace", call({}, { _meta: { traceparent: 5 } })],
  ] as const)("BRG-10: with %s it is the library's", ([, value]) => {
    expect(toDirectCall(value)).toBeUndefined();
    expect(toDirectCall(call({}))).toEqual(call({}));
  });
});
