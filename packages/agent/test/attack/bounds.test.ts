// What a host, a model or a tool can make the runtime hold or say too much of, on in-memory pipes: every
// request ends once, and nothing grows without a bound.

import { PassThrough } from "node:stream";
import { defineTool } from "@hawser/tools";
import { createInFlightTable } from "@hawser/wire/internal";
import { createStreamTransport, ndjson } from "@hawser/wire/node";
import { expect, it } from "vitest";
import { createReplies } from "../../src/runtime/reply.ts";
import { arrayStore, createGate, openStage, say } from "../runtime/stage.ts";

const input = { type: "object", properties: {}, additionalProperties: true } as const;
const anyTool = defineTool({ name: "any", description: "Anything.", input, run: () => "ran" });

it("G1 G10: a response that no line can hold fails its request once, and only its own", async () => {
  const writable = new PassThrough();
  const transport = createStreamTransport({ readable: new PassThrough(), writable, codec: ndjson, tap: undefined });
  const reply = createReplies(transport).open({ idSource: '"a"', flight: createInFlightTable().begin("a") });
  const long = "x".repeat(11_000_000);
  const event = { type: "tool_result" as const, data: { toolId: "t", toolName: "any", result: long } };
  await expect(reply.emit(event)).rejects.toMatchObject({ code: "too_large" });
  expect(writable.readableLength).toBe(0);
  await reply.done({ conversationId: long });
  expect(JSON.parse(String(writable.read()))).toMatchObject({ id: "a", type: "error", code: "too_large" });
  await transport.close();
});

it("RUN-12 G14: arguments that are nested too deep are a failed call, and too long ones one error; the history stays loadable", async () => {
  const deep = JSON.parse(`${"[".repeat(300)}${"]".repeat(300)}`) as unknown;
  const stage = openStage({
    tools: [anyTool],
    *script({ messages }) {
      const parts = messages.at(-1)?.parts ?? [];
      const asked = JSON.stringify(messages.at(-2)).includes("long") ? "x".repeat(9_000_000) : deep;
      if (parts.length === 0) yield { type: "tool_call", toolId: "t", toolName: "any", input: { value: asked } };
      else yield { type: "text", text: "over" };
    },
  });
  stage.send(say("deep", "deep"));
  expect(await stage.endOf("deep")).toMatchObject({ type: "done" });
  expect(stage.of("deep").find(({ type }) => type === "tool_result")).toMatchObject({ data: { isError: true } });
  stage.send(say("long", "long"));
  expect(await stage.endOf("long")).toMatchObject({ type: "error", code: "too_large" });
  stage.send({ id: "load", kind: "load_conversation", conversationId: "default" });
  expect(await stage.endOf("load")).toMatchObject({ type: "done" });
  await stage.close();
});

it("G10 G11: what a waiting message holds counts, wherever in its line it is", async () => {
  const gate = createGate();
  const stage = openStage({
    async *script() {
      await gate.opened;
      yield { type: "text", text: "over" };
    },
  });
  stage.send(say("runs", "first"));
  const metadata = { junk: "x".repeat(9_000_000) };
  for (let count = 0; count < 6; count++) stage.send({ id: `waits-${count}`, kind: "user_message", message: "hello", metadata });
  expect(await stage.endOf("waits-5")).toMatchObject({ type: "error", code: "overloaded" });
  gate.open();
  const ends = await Promise.all([0, 1, 2, 3, 4, 5].map(async (count) => (await stage.endOf(`waits-${count}`)).type));
  expect(ends).toEqual(["done", "done", "done", "error", "error", "error"]);
  await stage.close();
});

it("G10 G11: requests that take long to be answered hold the reader back instead of piling up", async () => {
  const gate = createGate();
  let asked = 0;
  const store = arrayStore();
  const list = async () => {
    asked++;
    await gate.opened;
    return store.list();
  };
  const stage = openStage({ store: { ...store, list } });
  for (let count = 0; count < 2_000; count++) stage.send({ id: `list-${count}`, kind: "list_conversations" });
  await stage.next(({ type }) => type === "ready");
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(asked).toBeLessThan(300);
  gate.open();
  await stage.endOf("list-1999");
  expect(asked).toBe(2_000);
  await stage.close();
});

it("RUN-08 G2: a list of conversations with long ids is cut to one line, and ends once", async () => {
  const entry = (count: number) => ({ conversationId: `${count}-${"x".repeat(8_000)}`, title: "", updatedAt: 0, messages: 2 });
  const stage = openStage({ store: { ...arrayStore(), list: async () => Array.from({ length: 2_000 }, (_, count) => entry(count)) } });
  stage.send({ id: "list", kind: "list_conversations" });
  expect(await stage.endOf("list")).toMatchObject({ type: "done" });
  const [answer] = stage.of("list");
  expect(answer).toMatchObject({ type: "conversations" });
  expect(JSON.stringify(answer).length).toBeLessThan(10_485_760);
  await stage.close();
});
