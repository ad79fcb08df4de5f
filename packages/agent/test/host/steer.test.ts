// What a host says while a turn runs, and the turn that the runtime begins by itself when the model has not seen it.

import { expect, it } from "vitest";
import { createAgentClient, type AgentClient, type AgentTurn, type SteerOptions } from "../../src/host/link.ts";
import { createPageLink, type PageLink } from "./page-link.ts";
import { failureOf, textOf } from "./scripted.ts";

const capabilities = ["cancel", "conversations", "steer", "queue", "fork"];

function connect(offered: readonly string[] = capabilities): { link: PageLink; client: AgentClient } {
  const link = createPageLink();
  const client = createAgentClient(link);
  link.deliver({ type: "ready", capabilities: offered });
  return { link, client };
}

async function nextSent(link: PageLink, kind: string): Promise<Record<string, unknown>> {
  for (;;) {
    const found = link.sent.findLast((request) => request["kind"] === kind);
    if (found) return found;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** A turn, a steer of it that was acknowledged, and what came of the steer's own turn. */
async function steered(options: (turns: AgentTurn[]) => SteerOptions, answers: (id: string, turn: string) => object[]) {
  const { link, client } = connect();
  const turn = client.send("go");
  const turns: AgentTurn[] = [];
  const steering = client.steer(turn.id, "in English", options(turns));
  const { id, ...request } = await nextSent(link, "steer");
  expect(request).toEqual({ kind: "steer", target: turn.id, message: "in English" });
  for (const answer of answers(String(id), turn.id)) link.deliver(answer);
  expect(await steering).toBe("steer-1");
  return { link, client, turn, turns };
}

const follow = (turns: AgentTurn[]): SteerOptions => ({ onNext: (turn) => void turns.push(turn) });

it("a steer that is not seen comes as a turn of its own, whole, also when it follows in the same breath", async () => {
  const { client, turn, turns } = await steered(follow, (id, target) => [
    { type: "done", id, data: { steerId: "steer-1" } },
    { type: "done", id: target },
    { type: "token", id: "steer-1", token: "Well, ", seq: 1 },
    { type: "token", id: "steer-1", token: "yes.", seq: 2 },
    { type: "done", id: "steer-1", seq: 3 },
  ]);
  expect(await textOf(turn)).toBe("");
  expect(turns.map(({ id }) => id)).toEqual(["steer-1"]);
  expect(await textOf(turns[0] as AgentTurn)).toBe("Well, yes.");
  await client.close();
});

it("one that the model sees begins no turn, and a host that does not follow has nothing to read", async () => {
  const { link, client, turn, turns } = await steered(follow, (id) => [{ type: "done", id, data: { steerId: "steer-1" } }]);
  link.deliver({ type: "steered", id: turn.id, data: { steerId: "steer-1", message: "in English" }, seq: 1 });
  link.deliver({ type: "done", id: turn.id, seq: 2 });
  const types: string[] = [];
  for await (const event of turn) types.push(event.type);
  expect(types).toEqual(["steered", "done"]);
  // An id that the runtime would never use again.
  link.deliver({ type: "token", id: "steer-1", token: "late" });
  const status = client.status();
  link.deliver({
    type: "status",
    id: (await nextSent(link, "get_status"))["id"],
    data: { state: "idle", conversationLength: 0, uptime: 0 },
  });
  await status;
  expect(turns).toEqual([]);
  await client.close();
  const unheard = await steered(
    () => ({}),
    (id, target) => [
      { type: "done", id, data: { steerId: "steer-1" } },
      { type: "done", id: target },
      { type: "token", id: "steer-1", token: "unheard" },
    ],
  );
  expect(await textOf(unheard.turn)).toBe("");
  await unheard.client.close();
});

it("the queue is listed and changed, and a conversation forked, by methods of their own", async () => {
  const { link, client } = connect();
  const answer = async (kind: string, ...events: object[]): Promise<Record<string, unknown>> => {
    const { id, ...request } = await nextSent(link, kind);
    for (const event of [...events, { type: "done" }]) link.deliver({ ...event, id });
    return request;
  };
  const data = { requests: [{ id: "r", message: "later" }], steers: [{ steerId: "s", message: "now" }] };
  const listing = client.listQueue("c");
  expect(await answer("list_queue", { type: "queue", data })).toEqual({ kind: "list_queue", conversationId: "c" });
  expect(await listing).toEqual(data);
  const editing = client.editQueued("r", "sooner");
  expect(await answer("edit_queued")).toEqual({ kind: "edit_queued", target: "r", message: "sooner" });
  await editing;
  const withdrawing = client.withdraw("s");
  expect(await answer("withdraw")).toEqual({ kind: "withdraw", steerId: "s" });
  await withdrawing;
  const forking = client.fork("c", { after: "m2" });
  expect(await answer("fork_conversation", { type: "forked", data: { conversationId: "f" } })).toEqual({
    kind: "fork_conversation",
    conversationId: "c",
    after: "m2",
  });
  expect(await forking).toBe("f");
  const loading = client.loadConversation("c", { include: ["steer"] });
  const part = { type: "steer", steerId: "s", message: "now" };
  const messages = [{ messageId: "a", role: "assistant", parts: [part], timestamp: 1 }];
  expect(await answer("load_conversation", { type: "conversation", data: { conversationId: "c", messages } })).toMatchObject({
    include: ["steer"],
  });
  expect((await loading).messages[0]?.parts).toEqual([part]);
  await client.close();
});

it("a runtime that does not offer it is not asked", async () => {
  const { link, client } = connect(["cancel"]);
  for (const work of [client.steer("t", "m"), client.listQueue("c"), client.editQueued("t", "m"), client.withdraw("s"), client.fork("c")])
    expect((await failureOf(work)).code).toBe("unknown_method");
  expect(link.sent).toEqual([]);
  await client.close();
});
