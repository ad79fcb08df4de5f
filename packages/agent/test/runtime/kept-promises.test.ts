// Promises that are easily broken without anybody noticing: what is held for an answer that nobody reads, what
// runs on after a turn has failed, and what is answered while something else can't be.

import { once } from "node:events";
import { PassThrough } from "node:stream";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { HawserError } from "@hawser/protocol";
import { agentLimits } from "../../src/limits.ts";
import type { Tool } from "@hawser/tools";
import { createMemoryPair, type Transport } from "@hawser/wire";
import { createStreamTransport, ndjson } from "@hawser/wire/node";
import { expect, it, onTestFinished, vi } from "vitest";
import { createMemoryStore } from "../../src/history/memory-store.ts";
import { serveAgent } from "../../src/runtime/serve-agent.ts";
import { whenStuck } from "../../../../test/kit/until.ts";
import { arrayStore, createGate, openStage, partsOf, say, saidBy, toolResultsIn, type Script } from "./stage.ts";

function heldMegabytes(): number {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
  return process.memoryUsage().heapUsed / 1_048_576;
}

const readOnly = { readOnlyHint: true };
const tool = (name: string, run: Tool["run"]): Tool => ({ name, description: "", input: { type: "object" }, annotations: readOnly, run });

/** Calls the tool as often as the message says. */
const calling =
  (toolName: string, count = 1): Script =>
  (step) =>
    toolResultsIn(step).length > 0
      ? [{ type: "text", text: "over" }]
      : Array.from({ length: count }, (_, index) => ({ type: "tool_call", toolId: `${saidBy(step)}-${index}`, toolName, input: {} }));

it("G10: an answer that nobody reads holds its id, and not the long line that the id came in", async () => {
  const [readable, writable] = [new PassThrough(), new PassThrough()];
  const transport = createStreamTransport({ readable, writable, codec: ndjson, tap: undefined });
  const serving = serveAgent(transport, partsOf({}));
  const before = heldMegabytes();
  // So that only a few errors fit into the pipe.
  const [longId, junk] = ["i".repeat(3_000), "x".repeat(300_000)];
  for (let count = 0; count < 400; count++) {
    readable.write(`{"id":"${count}-${longId}","kind":"nonsense","junk":"${junk}"}\n`);
    if (count % 20 === 0) await whenStuck(() => readable.readableLength);
  }
  await whenStuck(() => readable.readableLength + readable.writableLength);
  // Hundreds of errors wait by now; what may be held besides is what was not read yet.
  const limit = 20 + (readable.writableLength + readable.readableLength) / 1_048_576;
  expect(heldMegabytes() - before).toBeLessThan(limit);
  let answers = "";
  writable.setEncoding("utf8").on("data", (chunk: string) => (answers += chunk));
  readable.end();
  await serving;
  await transport.close();
  expect(answers.match(/"type":"error"/g)).toHaveLength(400);
});

it("G10: a request that is no message has a bound of its own, since hundreds of them may be answered at once", async () => {
  const stage = openStage();
  stage.send({ id: "s", kind: "get_status", junk: "x".repeat(agentLimits.agentControlChars) });
  expect(await stage.endOf("s")).toMatchObject({ type: "error", code: "too_large" });
  stage.send({ id: "t", kind: "get_status", junk: "x".repeat(agentLimits.agentControlChars - 1_000) });
  expect(await stage.endOf("t")).toMatchObject({ type: "status" });
  await stage.close();
});

it("RUN-10 H35: after one of parallel calls has ended the turn, no further call is begun", async () => {
  let begun = 0;
  // The others end when they are told to, and make room for those that wait.
  const fails = tool("fails", async (_, { signal }) => {
    if (++begun === 1) throw new Error("no");
    if (!signal.aborted) await once(signal, "abort");
  });
  const stage = openStage({ tools: [fails], toolFailure: "fatal", script: calling("fails", 40) });
  stage.send(say("t", "go"));
  expect(await stage.endOf("t")).toMatchObject({ type: "error", code: "tool_failed" });
  await whenStuck(() => begun);
  expect(begun).toBeLessThanOrEqual(agentLimits.agentParallelCalls);
  await stage.close();
});

it("R126 RUN-11: the status comes also while its conversation is being opened, and when it can't be", async () => {
  const gate = createGate();
  const store = arrayStore();
  const opening = createGate();
  const open = async (conversationId: string): Promise<never> => {
    opening.open();
    await gate.opened;
    throw new HawserError("internal", `${conversationId} is locked`);
  };
  const stage = openStage({ store: { ...store, open } });
  stage.send(say("turn", "hello"));
  await opening.opened;
  stage.send({ id: "early", kind: "get_status" });
  expect(await stage.endOf("early")).toMatchObject({ type: "status", data: { state: "busy", conversationLength: 0 } });
  gate.open();
  expect(await stage.endOf("turn")).toMatchObject({ type: "error", error: expect.stringContaining("is locked") as string });
  stage.send({ id: "late", kind: "get_status" });
  expect(await stage.endOf("late")).toMatchObject({ type: "status", data: { state: "idle", conversationLength: 0 } });
  await stage.close();
});

it("R144: an answer reaches the question that it names, whatever else is asked in other conversations", async () => {
  const ran: string[] = [];
  const acts = tool("acts", (_, { signal }) => void ran.push(String(signal.aborted)));
  const stage = openStage({ tools: [acts], script: calling("acts"), decide: () => ({ decision: "ask", reason: "it acts" }) });
  stage.send(say("one", "one", "a"));
  stage.send(say("two", "two", "b"));
  const questionOf = async (id: string): Promise<string> => {
    const question = await stage.next((response) => response.type === "permission_request" && response.id === id);
    return (question as { data: { permissionId: string } }).data.permissionId;
  };
  const [first, second] = [await questionOf("one"), await questionOf("two")];
  stage.send({ id: "yes", kind: "permission_response", permissionId: second, decision: "allow" });
  expect(await stage.endOf("two")).toMatchObject({ type: "done" });
  expect(stage.of("one").some(({ type }) => type === "tool_result")).toBe(false);
  stage.send({ id: "again", kind: "permission_response", permissionId: second, decision: "allow" });
  expect(await stage.endOf("again")).toMatchObject({ type: "error" });
  stage.send({ id: "no", kind: "permission_response", permissionId: first, decision: "deny" });
  expect(await stage.endOf("one")).toMatchObject({ type: "done" });
  expect(stage.of("one").find(({ type }) => type === "tool_result")).toMatchObject({ data: { isError: true } });
  expect(ran).toEqual(["false"]);
  await stage.close();
});

it("G12: a long answer goes into the history while it comes, and is one text there", async () => {
  const store = createMemoryStore();
  const gate = createGate();
  const piece = "wörds 💥 ".repeat(500);
  const stage = openStage({
    store,
    async *script() {
      for (let count = 0; count < 100; count++) yield { type: "text", text: piece };
      await gate.opened;
      yield { type: "text", text: "the end" };
    },
  });
  stage.send(say("t", "go"));
  await stage.next((response) => response.type === "token" && response.seq === 100);
  const conversation = await store.open("default");
  const textSoFar = (): string =>
    conversation.messages
      .at(-1)
      ?.parts.map((part) => (part.type === "text" ? part.text : ""))
      .join("") ?? "";
  expect(textSoFar().length).toBeGreaterThan(300_000);
  gate.open();
  await stage.endOf("t");
  expect(conversation.messages.at(-1)?.parts).toEqual([{ type: "text", text: `${piece.repeat(100)}the end` }]);
  await stage.close();
});

it("R123: an image that a tool returns reaches the host as an image", async () => {
  const content = [
    { type: "text", text: "a boat" },
    { type: "image", data: "AAAA", mimeType: "image/png" },
  ];
  const stage = openStage({ tools: [tool("draws", () => ({ content }))], script: calling("draws") });
  stage.send(say("t", "go"));
  await stage.endOf("t");
  expect(stage.of("t").find(({ type }) => type === "tool_result")).toMatchObject({ data: { result: { content } } });
  await stage.close();
});

it("R116 R117 after a restart nothing is guessed: without metadata they mean the default conversation again", async () => {
  const store = arrayStore();
  const before = openStage({ store });
  before.send(say("t1", "hi", "conv"));
  await before.endOf("t1");
  await before.close();
  const after = openStage({ store });
  after.send({ id: "x1", kind: "clear_history" });
  await after.endOf("x1");
  after.send({ id: "s1", kind: "get_status" });
  expect(await after.endOf("s1")).toMatchObject({ data: { conversationLength: 0 } });
  after.send({ id: "s2", kind: "get_status", metadata: { conversationId: "conv" } });
  expect(await after.endOf("s2")).toMatchObject({ data: { conversationLength: 2 } });
  await after.close();
});

it("R116 R117 a message that was refused is not the last accepted one", async () => {
  const stage = openStage();
  stage.send(say("t1", "hi", "conv"));
  await stage.endOf("t1");
  stage.send({ id: "t2", kind: "user_message", message: "", metadata: { conversationId: "other" } });
  expect(await stage.endOf("t2")).toMatchObject({ type: "error" });
  stage.send({ id: "s1", kind: "get_status" });
  expect(await stage.endOf("s1")).toMatchObject({ data: { conversationLength: 2 } });
  await stage.close();
});

it("R116 R117 a message that found no room is not the last accepted one either", async () => {
  const gate = createGate();
  const stage = openStage({
    async *script(step) {
      if (saidBy(step) === "wait") await gate.opened;
      yield { type: "text", text: "ok" };
    },
  });
  for (let n = 0; n <= agentLimits.agentQueuedTurns; n++) stage.send(say(`w${n}`, "wait", "full"));
  for (const id of ["t1", "t2"]) {
    stage.send(say(id, "hi", "conv"));
    await stage.endOf(id);
  }
  stage.send(say("t3", "hi", "full"));
  expect(await stage.endOf("t3")).toMatchObject({ type: "error", code: "overloaded" });
  stage.send({ id: "s1", kind: "get_status" });
  expect(await stage.endOf("s1")).toMatchObject({ data: { conversationLength: 4 } });
  gate.open();
  await stage.close();
});

it("R131 what is refused under an id whose end is not written yet has an end of its own", async () => {
  const log = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  onTestFinished(() => log.mockRestore());
  const gate = createGate();
  const written = createGate();
  const [near, host] = createMemoryPair();
  const slow: Transport = {
    ...near,
    async send(message) {
      if (!String((message as { text?: string }).text).includes('"type":"ready"')) {
        written.open();
        await gate.opened;
      }
      return near.send(message);
    },
  };
  const served = serveAgent(slow, partsOf({}));
  await host.send({ id: "same", kind: "get_status" });
  await written.opened;
  await host.send({ id: "same", kind: "zzz" });
  await expect.poll(() => log.mock.calls.length).toBe(1);
  gate.open();
  const responses: unknown[] = [];
  for await (const item of host.incoming) {
    responses.push(item.kind === "message" && item.value);
    if (responses.length === 3) break;
  }
  expect(responses).toMatchObject([{ type: "ready" }, { id: "same", type: "status" }, { id: "same", type: "error" }]);
  await host.close();
  await served;
});
