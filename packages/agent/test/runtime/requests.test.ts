// Requests that are no turn, requests that are none at all, and a host that does not read.

import { Readable, Writable } from "node:stream";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createStreamTransport, ndjson } from "@hawser/wire/node";
import type { AnyAgentResponse } from "@hawser/protocol";
import { wireLimits } from "@hawser/wire";
import { agentLimits } from "../../src/limits.ts";
import { serveAgent } from "../../src/runtime/serve-agent.ts";
import { arrayStore, createGate, openStage, partsOf, say, saidBy, textOf } from "./stage.ts";

describe("status and history", () => {
  it("R116 R117 R126 R129 status comes at once, also while a turn runs, and clear empties the conversation", async () => {
    const gate = createGate();
    const stage = openStage({
      async *script() {
        await gate.opened;
        yield { type: "text", text: "ok" };
      },
    });
    stage.send(say("t1", "hi"));
    stage.send({ id: "s1", kind: "get_status" });
    expect(await stage.endOf("s1")).toMatchObject({ type: "status", data: { state: "busy", running: 1 } });
    stage.send({ id: "x1", kind: "clear_history" });
    expect(await stage.endOf("x1")).toMatchObject({ type: "error", error: expect.stringContaining("busy") as string });
    gate.open();
    await stage.endOf("t1");
    stage.send({ id: "s2", kind: "get_status" });
    expect(await stage.endOf("s2")).toMatchObject({ data: { state: "idle", conversationLength: 2 } });
    stage.send({ id: "x2", kind: "clear_history" });
    expect((await stage.endOf("x2")).type).toBe("done");
    stage.send({ id: "s3", kind: "get_status" });
    expect(await stage.endOf("s3")).toMatchObject({ data: { conversationLength: 0, uptime: expect.any(Number) as number } });
    await stage.close();
  });

  it("R116 R117 R126 without metadata they mean the conversation of the last accepted message; before one, the default", async () => {
    const stage = openStage();
    const lengthBy = async (id: string, metadata?: object): Promise<unknown> => {
      stage.send({ id, kind: "get_status", ...(metadata && { metadata }) });
      return ((await stage.endOf(id)) as { data: { conversationLength: number } }).data.conversationLength;
    };
    expect(await lengthBy("s0")).toBe(0);
    for (const [id, conversation] of [
      ["t1", undefined],
      ["t2", "conv"],
      ["t3", "conv"],
    ] as const) {
      stage.send(say(id, "hi", conversation));
      await stage.endOf(id);
    }
    expect(await lengthBy("s1")).toBe(4);
    // Refused, so not the last.
    stage.send({ id: "t4", kind: "user_message", message: "", metadata: { conversationId: "other" } });
    await stage.endOf("t4");
    stage.send({ id: "x1", kind: "clear_history" });
    await stage.endOf("x1");
    expect([await lengthBy("s2"), await lengthBy("s3", { conversationId: "default" })]).toEqual([0, 2]);
    await stage.close();
  });

  it("H34 RUN-11 a forced clear ends the conversation's turns, also those that wait", async () => {
    const stage = openStage({
      async *script() {
        yield await new Promise<never>(() => {});
      },
    });
    stage.send(say("t1", "hi"));
    stage.send(say("t2", "hi"));
    stage.send({ id: "x1", kind: "clear_history", metadata: { force: true } });
    expect((await stage.endOf("x1")).type).toBe("done");
    expect(await stage.endOf("t1")).toMatchObject({ type: "error", code: "cancelled" });
    expect(await stage.endOf("t2")).toMatchObject({ type: "error", code: "cancelled" });
    await stage.close();
  });

  it("lists, loads, renames, truncates and deletes conversations", async () => {
    const stage = openStage();
    for (const id of ["t1", "t2"]) {
      stage.send(say(id, `message ${id}`, "conv"));
      await stage.endOf(id);
    }
    stage.send({ id: "r", kind: "rename_conversation", conversationId: "conv", title: "Plans" });
    await stage.endOf("r");
    stage.send({ id: "l", kind: "list_conversations" });
    await stage.endOf("l");
    expect(stage.of("l")[0]).toMatchObject({ data: { conversations: [{ conversationId: "conv", title: "Plans", messages: 4 }] } });
    stage.send({ id: "load", kind: "load_conversation", conversationId: "conv" });
    await stage.endOf("load");
    const { messages } = (stage.of("load")[0] as { data: { messages: { messageId: string; role: string; requestId: string }[] } }).data;
    expect(messages.map(({ role, requestId }) => `${role} ${requestId}`)).toEqual(["user t1", "assistant t1", "user t2", "assistant t2"]);
    stage.send({ id: "part", kind: "load_conversation", conversationId: "conv", after: messages[2]?.messageId });
    await stage.endOf("part");
    expect((stage.of("part")[0] as { data: { messages: unknown[] } }).data.messages).toHaveLength(1);
    stage.send({ id: "t", kind: "truncate_conversation", conversationId: "conv", after: messages[1]?.messageId });
    await stage.endOf("t");
    stage.send({ id: "s", kind: "get_status", metadata: { conversationId: "conv" } });
    expect(await stage.endOf("s")).toMatchObject({ data: { conversationLength: 2 } });
    stage.send({ id: "bad", kind: "truncate_conversation", conversationId: "conv", after: "nothing" });
    expect((await stage.endOf("bad")).type).toBe("error");
    stage.send({ id: "d", kind: "delete_conversation", conversationId: "conv" });
    expect((await stage.endOf("d")).type).toBe("done");
    await stage.close();
  });

  it("tells which messages of the history a turn has made", async () => {
    const stage = openStage();
    stage.send(say("t1", "hi", "conv"));
    const done = await stage.endOf("t1");
    stage.send({ id: "load", kind: "load_conversation", conversationId: "conv" });
    await stage.endOf("load");
    const { messages } = (stage.of("load")[0] as { data: { messages: { messageId: string }[] } }).data;
    const [userMessageId, assistantMessageId] = messages.map(({ messageId }) => messageId);
    expect(done).toMatchObject({ data: { conversationId: "conv", userMessageId, assistantMessageId } });
    await stage.close();
  });

  it("loads a conversation of many megabytes in lines below the limit, and nothing is lost", async () => {
    const text = "💥é".repeat(1_500_000);
    const stage = openStage({ script: () => [{ type: "text", text }] });
    stage.send(say("t1", "long", "conv"));
    await stage.endOf("t1");
    stage.send({ id: "load", kind: "load_conversation", conversationId: "conv" });
    await stage.endOf("load");
    await stage.close();
    const lines = stage.of("load").filter((response) => response.type === "conversation");
    expect(lines.length).toBeGreaterThan(2);
    for (const line of lines) expect(JSON.stringify(line).length).toBeLessThan(3 * agentLimits.agentLineChars);
    const parts = lines.flatMap(({ data }) => data.messages.filter(({ role }) => role === "assistant").flatMap((message) => message.parts));
    expect(parts.map((part) => (part.type === "text" ? part.text : "")).join("") === text).toBe(true);
    expect(lines.map(({ data }) => data.next !== undefined)).toEqual(lines.map((_, at) => at < lines.length - 1));
  });

  it("subscribe sends again what the running turn has sent, with the same seq, and nothing twice", async () => {
    const gate = createGate();
    const stage = openStage({
      async *script() {
        for (const text of ["one ", "two ", "three "]) yield { type: "text", text };
        await gate.opened;
        yield { type: "text", text: "four" };
      },
    });
    stage.send(say("t1", "count", "conv"));
    await stage.next((response) => response.type === "token" && response.token === "three ");
    const before = stage.responses.length;
    stage.send({ id: "sub", kind: "subscribe", conversationId: "conv", since: 1 });
    expect(await stage.endOf("sub")).toMatchObject({ type: "done", data: { running: "t1" } });
    const again = stage.responses.slice(before).filter(({ type }) => type === "token");
    const first = stage.responses.slice(0, before).filter(({ type }) => type === "token");
    expect(again.map(({ timestamp }) => timestamp)).toEqual(first.slice(1).map(({ timestamp }) => timestamp));
    expect(again).toMatchObject([
      { token: "two ", seq: 2 },
      { token: "three ", seq: 3 },
    ]);
    stage.responses.splice(before, again.length);
    gate.open();
    await stage.endOf("t1");
    stage.send({ id: "sub2", kind: "subscribe", conversationId: "conv" });
    expect(await stage.endOf("sub2")).not.toHaveProperty("data");
    await stage.close();
    expect(textOf(stage.of("t1"))).toBe("one two three four");
  });
});

describe("what is no proper request", () => {
  it("R132 R133 R138 R147 H40 G6 RUN-09 is answered with its id where it has one, logged otherwise, and reading goes on", async () => {
    const stage = openStage();
    const lines = [
      '{"id":"k","kind":"zzz"}',
      '{"id":"m","kind":"user_message","message":5}',
      '{"id":"broken","kind":"user_message","mess',
      '{"id":7,"kind":"get_status"}',
      '{"id":9007199254740993,"kind":"get_status"}',
      '{"id":{"a":1},"kind":"get_status"}',
      '{"id":"","kind":"get_status"}',
      '{"id":null,"kind":"get_status"}',
      '{"kind":"get_status"}',
      "[]",
      "null",
      "not json",
      "",
      '{"id":"e","kind":"user_message","message":""}',
      '{"id":"c","kind":"user_message","message":"x","metadata":{"conversationId":5}}',
      `{"id":"deep","kind":"user_message","message":"x","metadata":{"a":${"[".repeat(200)}${"]".repeat(200)}}}`,
      `{"id":"long","kind":"user_message","message":"${"x".repeat(wireLimits.maxMessageBytes)}"}`,
    ];
    stage.write(`${lines.join("\n")}\n`);
    stage.send({ id: "alive", kind: "get_status" });
    await stage.endOf("alive");
    const errors = stage.responses.filter(({ type }) => type === "error") as { id: unknown }[];
    expect(errors.map(({ id }) => id)).toEqual(["k", "m", "broken", 7, 9007199254740992, { a: 1 }, "e", "c", "deep", "long"]);
    stage.responses.splice(0, stage.responses.length, ...stage.responses.filter((response) => !errors.includes(response as never)));
    await stage.close();
  });

  it("G6 echoes an id byte for byte, whatever is in it", async () => {
    const lines: string[] = [];
    const stage = openStage();
    stage.output.on("data", (chunk) => lines.push(String(chunk)));
    const ids = ['"\\u0041\\/b"', '"💥 \\" \\u2028"', '" "', '"__proto__"'];
    for (const id of ids) stage.write(`{"kind":"get_status","id":${id}}\n`);
    const early = ['"\\u0042\\/b"', '"💥💥 \\" \\u2028"'];
    for (const id of early) stage.write(`{"id":${id},"kind":"get_status","junk":"${"x".repeat(2_000)}"}\n`);
    ids.push(...early);
    await stage.close();
    for (const id of ids) expect(lines.join("")).toContain(`"id":${id},`);
  });

  it("G6 of two ids in one long request the last is its id, as in JSON.parse", async () => {
    const stage = openStage();
    stage.write(`{"id":"first","kind":"get_status","junk":"${"x".repeat(2_000)}","id":"second"}\n`);
    expect(await stage.endOf("second")).toMatchObject({ type: "status" });
    expect(stage.of("first")).toEqual([]);
    await stage.close();
  });

  it("R131 R146 what is refused under an id in flight ends nothing: the first is told by a progress, and has its one end", async () => {
    const log = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    onTestFinished(() => log.mockRestore());
    const gate = createGate();
    const stage = openStage({
      async *script(step) {
        await gate.opened;
        yield { type: "text", text: saidBy(step) };
      },
    });
    stage.send(say("same", "first"));
    stage.send(say("same", "second"));
    stage.send({ id: "same", kind: "zzz" });
    stage.write('{"id":"\\u0073ame","kind":"get_sta\n');
    gate.open();
    expect(await stage.endOf("same")).toMatchObject({ type: "done" });
    const told = stage.of("same").flatMap((response) => (response.type === "progress" ? [response.data.message] : []));
    expect(told).toEqual([
      "another request with this id was refused: Duplicate id: id same is in flight; use a fresh one",
      expect.stringContaining("refused: Unknown"),
      expect.stringContaining("refused: Invalid JSON"),
    ]);
    expect(textOf(stage.of("same"))).toBe("first");
    expect(stage.of("same").filter(({ type }) => type === "done" || type === "error")).toHaveLength(1);
    const [line, ...others] = log.mock.calls.map(([text]) => String(text));
    expect(line).toBe("[hawser] agent: line 2 was refused: id same is in flight; use a fresh one\n");
    expect(others).toHaveLength(2);
    await stage.close();
  });

  it("R138 survives 10,000 lines of garbage between two requests", async () => {
    const stage = openStage();
    let seed = 1;
    const random = (): number => (seed = (seed * 48_271) % 2_147_483_647);
    const pieces = ['{"id":"g', '"kind":"user_message"', "}", "[", "\\u", "\u0000", ":", "null", '"message":', " ", "é"];
    for (let n = 0; n < 10_000; n++)
      stage.write(`${Array.from({ length: (random() % 5) + 1 }, () => pieces[random() % pieces.length]).join("")}\n`);
    stage.send(say("t1", "still there?"));
    await stage.endOf("t1");
    expect(textOf(stage.of("t1"))).toBe("you said: still there?");
    stage.input.end();
    await stage.served;
  });
});

describe("streams that a program brings", () => {
  it("R139 R142 R145 one chunk is one JSON document, on injected streams", async () => {
    const responses: AnyAgentResponse[] = [];
    const stdin = new Readable({ read() {} });
    const stdout = new Writable({
      write(chunk, _, callback) {
        responses.push(JSON.parse(String(chunk)) as AnyAgentResponse);
        callback();
      },
    });
    const transport = createStreamTransport({ readable: stdin, writable: stdout, codec: ndjson, tap: undefined });
    const served = serveAgent(transport, partsOf({})).then(() => transport.close());
    stdin.push(`${JSON.stringify(say("test-1", "Hello"))}\n`);
    stdin.push(null);
    await served;
    expect(responses.map(({ type }) => type)).toEqual(["ready", "token", "done"]);
  });

  it("a host that does not read holds the model back, and is given everything once it reads", async () => {
    let produced = 0;
    const total = 20_000;
    const stage = openStage({
      store: arrayStore(),
      *script() {
        for (; produced < total; produced++) yield { type: "text", text: "x".repeat(100) };
      },
    });
    stage.output.pause();
    stage.send(say("t1", "much"));
    await expect.poll(() => produced, { timeout: 30_000 }).toBeGreaterThan(0);
    const first = produced;
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(produced - first).toBeLessThan(total / 2);
    stage.output.resume();
    await stage.endOf("t1");
    await stage.close();
    expect(textOf(stage.of("t1"))).toHaveLength(total * 100);
  });
});
