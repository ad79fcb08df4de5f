// Requests that come in one chunk and concern the same conversation: what each of them does is defined, and
// none of them leaves the conversation unusable.

import { afterAll, expect, it } from "vitest";
import { checkEnds, hostileTools, makePlace, say, startAgent } from "./process-stage.ts";

const place = makePlace();
afterAll(() => place.remove());
const conversationId = "R";
const metadata = { conversationId };

it("RUN-11 G12: delete, load, rename, clear and turns at once; the conversation works afterwards", async () => {
  const agent = startAgent(place, { args: ["--model", "offline", "--tools", hostileTools] });
  agent.send(say("first", "hello", conversationId));
  await agent.endOf("first");
  agent.send({ id: "delete-1", kind: "delete_conversation", conversationId }, say("after-delete", "hello", conversationId), {
    id: "load-1",
    kind: "load_conversation",
    conversationId,
  });
  for (const id of ["delete-1", "after-delete", "load-1"]) expect([id, (await agent.endOf(id))["type"]]).toEqual([id, "done"]);
  agent.send(
    { id: "load-2", kind: "load_conversation", conversationId },
    { id: "rename-2", kind: "rename_conversation", conversationId, title: "before" },
    { id: "delete-2", kind: "delete_conversation", conversationId },
    { id: "rename-3", kind: "rename_conversation", conversationId, title: "after" },
    { id: "load-3", kind: "load_conversation", conversationId },
  );
  for (const id of ["load-2", "rename-2", "delete-2", "rename-3", "load-3"])
    expect([id, (await agent.endOf(id))["type"]]).toEqual([id, "done"]);
  agent.send(say("last", "hello", conversationId));
  expect((await agent.endOf("last"))["type"]).toBe("done");
  expect(await agent.finish()).toBe(0);
  checkEnds(agent.responses);
});

it("RUN-11 H34: a forced clear comes before a message that was sent after it in the same chunk", async () => {
  const agent = startAgent(place, { args: ["--model", "offline", "--tools", hostileTools] });
  agent.send(say("hangs", "call hangs", conversationId), say("waits", "hello", conversationId));
  agent.send({ id: "clear", kind: "clear_history", metadata: { ...metadata, force: true } }, say("next", "hello", conversationId));
  expect((await agent.endOf("next"))["type"]).toBe("done");
  const ends = await Promise.all(["hangs", "waits", "clear"].map(async (id) => (await agent.endOf(id))["code"] ?? "done"));
  expect(ends).toEqual(["cancelled", "cancelled", "done"]);
  agent.send({ id: "status", kind: "get_status", metadata });
  expect((await agent.endOf("status"))["data"]).toMatchObject({ conversationLength: 2 });
  expect(await agent.finish()).toBe(0);
  checkEnds(agent.responses);
});
