// The order on the way out: what somebody waits for goes first, long answers take turns, and the messages of
// one request never overtake each other.

import type { Transport } from "@hawser/wire";
import { expect, it } from "vitest";
import { createOutbox } from "../../src/runtime/outbox.ts";

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

it("RUN-11 R118: a status, an end and a question go before the results of others, and within a request the order is kept", async () => {
  const { transport, sent, takeAll } = slowTransport();
  const outbox = createOutbox(transport);
  for (const id of ['"a"', '"b"', '"c"']) void outbox.put(id, { type: "tool_result" });
  void outbox.put('"a"', { type: "token" });
  void outbox.put('"a"', { type: "done" });
  void outbox.put('"status"', { type: "status" });
  void outbox.put('"d"', { type: "permission_request" });
  expect(outbox.waiting).toBe(7);
  await takeAll();
  expect(sent).toEqual(["a tool_result", "status status", "d permission_request", "b tool_result", "c tool_result", "a token", "a done"]);
  expect(outbox.waiting).toBe(0);
  await outbox.whenSent();
});

it("RUN-11: however many statuses are asked for, an answer still goes on", async () => {
  const { transport, sent, takeAll } = slowTransport();
  const outbox = createOutbox(transport);
  void outbox.put('"first"', { type: "token" });
  void outbox.put('"answer"', { type: "token" });
  for (let count = 0; count < 100; count++) void outbox.put(`"s${count}"`, { type: "status" });
  await takeAll();
  expect(sent).toHaveLength(102);
  expect(sent.indexOf("answer token")).toBeLessThan(20);
});
