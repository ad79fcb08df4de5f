// The order on the way out: what somebody waits for goes first, long answers take turns, and the messages of
// one request never overtake each other.

import { createInFlightTable, type Transport } from "@hawser/wire/internal";
import { expect, it } from "vitest";
import { createReplies, type Reply } from "../../src/runtime/reply.ts";

/** A host that takes one message each time it is asked to. */
function slowTransport(): { transport: Transport; sent: string[]; takeAll(): Promise<void> } {
  const sent: string[] = [];
  let take = (): void => {};
  const send = (message: unknown): Promise<void> => {
    const { id, type } = JSON.parse((message as { text: string }).text) as { id: string; type: string };
    sent.push(`${id} ${type}`);
    return new Promise((resolve) => (take = resolve));
  };
  return {
    transport: { send } as unknown as Transport,
    sent,
    async takeAll() {
      for (let before = -1; before !== sent.length;) {
        before = sent.length;
        take();
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
    },
  };
}

/** Replies by their id, each opened when it is first used. */
function replyTo(transport: Transport): { outbox: ReturnType<typeof createReplies>["outbox"]; to(id: string): Reply } {
  const replies = createReplies(transport);
  const inFlight = createInFlightTable();
  const opened = new Map<string, Reply>();
  function to(id: string): Reply {
    const reply = opened.get(id) ?? replies.open({ idSource: JSON.stringify(id), flight: inFlight.begin(id) });
    opened.set(id, reply);
    return reply;
  }
  return { outbox: replies.outbox, to };
}

const result = { type: "tool_result" as const, data: { toolId: "t", toolName: "any", result: null } };
const question = { type: "permission_request" as const, data: { permissionId: "p", toolId: "t", toolName: "any", input: {}, reason: "" } };
const token = { type: "token" as const, token: "word" };
const status = { type: "status" as const, data: { state: "idle", conversationLength: 0, uptime: 0 } };

it("RUN-11 R118: a status, an end and a question go before the results of others, and within a request the order is kept", async () => {
  const { transport, sent, takeAll } = slowTransport();
  const { to, outbox } = replyTo(transport);
  for (const id of ["a", "b", "c"]) void to(id).emit(result);
  void to("a").emit(token);
  void to("a").done();
  void to("status").end(status);
  void to("d").emit(question);
  await takeAll();
  expect(sent).toEqual(["a tool_result", "status status", "d permission_request", "b tool_result", "c tool_result", "a token", "a done"]);
  await outbox.whenSent();
});

it("RUN-11: however many statuses are asked for, an answer still goes on", async () => {
  const { transport, sent, takeAll } = slowTransport();
  const { to } = replyTo(transport);
  void to("first").emit(token);
  void to("answer").emit(token);
  for (let count = 0; count < 100; count++) void to(`s${count}`).end(status);
  await takeAll();
  expect(sent).toHaveLength(102);
  expect(sent.indexOf("answer token")).toBeLessThan(20);
});

it("R131: nothing comes after an end that waits to be read, whoever still has something to say, and no second end", async () => {
  const { transport, sent, takeAll } = slowTransport();
  const reply = replyTo(transport).to("a");
  void reply.emit(token);
  void reply.done();
  void reply.emit(result);
  void reply.fail(new Error("too late"));
  await takeAll();
  void reply.emit(token);
  void reply.done();
  await takeAll();
  expect(sent).toEqual(["a token", "a done"]);
});

it("R135: a host is taken to have heard something only by a response that the first contract knows", async () => {
  const { transport, takeAll } = slowTransport();
  const reply = replyTo(transport).to("turn");
  const progress = { type: "progress" as const, data: { message: "still here" } };
  const toolUse = { type: "tool_use" as const, data: { toolId: "t", toolName: "any", input: {} } };
  const movesClock = async (event: Parameters<Reply["emit"]>[0]): Promise<boolean> => {
    const before = reply.heardAt;
    await new Promise((resolve) => setTimeout(resolve, 5));
    void reply.emit(event);
    await takeAll();
    return reply.heardAt > before;
  };
  expect([await movesClock(progress), await movesClock(question)]).toEqual([false, false]);
  for (const event of [token, toolUse, result]) expect(await movesClock(event)).toBe(true);
});
