// What reaches a runtime of the lines that hosts send, and what hosts hear of it; with a real server between them.

import type { Msg } from "@nats-io/transport-node";
import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { HawserError, toHawserError, type ConversationMessage } from "@hawser/protocol";
import type { Fleet } from "../src/connect.ts";
import { createAskRuntimes } from "../src/conversations/ask-runtimes.ts";
import { anyRuntimeSubject, header, toEventSubject, toRuntimeSubject } from "../src/conversations/conversation-names.ts";
import { createEventOrder } from "../src/conversations/event-order.ts";
import { createHostRequests } from "../src/conversations/host-requests.ts";
import { openStreams } from "../src/conversations/open-streams.ts";
import { toPartHeaders } from "../src/conversations/parts.ts";
import { createRuntimeHub } from "../src/conversations/runtime-hub.ts";
import { fleetLimits } from "../src/limits.ts";
import { openFleet, openServer, serverProgram, skipWithoutServer } from "../../../test/kit/nats-server.ts";

describe("the lines of hosts", () => {
  let fleet: Fleet;
  beforeEach(skipWithoutServer);
  beforeAll(async () => {
    if (serverProgram !== "") fleet = await openFleet(await openServer());
  });

  const line = (id: string) => JSON.stringify({ id, kind: "user_message", message: "hi", metadata: { conversationId: "c" } });
  const headers = toPartHeaders({ [header.host]: "h", [header.inbox]: "answers" }, 0, 1);

  async function open(runtime: string, outcome: () => Promise<{ isStale: boolean; messages: ConversationMessage[] }>, unfinished = "") {
    const state = { epoch: 7 as number | undefined, closed: 0 };
    const close = async (): Promise<void> => void state.closed++;
    const isUnfinished = (messageId: string): boolean => messageId === unfinished;
    const take = async () => ({ ...(await outcome()), isUnfinished, close });
    const hub = createRuntimeHub(fleet, { runtime, open: take, epochOf: () => state.epoch });
    await hub.begin();
    const ask = async (text: string) =>
      (await fleet.connection.request(toRuntimeSubject(runtime), text, { headers, timeout: 60_000 })).json();
    const reached: string[] = [];
    void (async () => {
      for await (const item of hub.transport.incoming) if (item.kind === "message") reached.push((item.value as { id: string }).id);
    })();
    return { hub, ask, state, reached };
  }

  it("reach the runtime only when the conversation is its own: otherwise the host is told whose it is, or tries again", async () => {
    const failures: HawserError[] = [
      new HawserError("overloaded", "elsewhere", { facts: { owner: "other" } }),
      new HawserError("internal", "no answer", { cause: new Error("timeout") }),
      new HawserError("usage", "too long an id"),
    ];
    const heard: unknown[] = [];
    fleet.connection.subscribe("answers", { callback: (_, message) => void heard.push(message.json()) });
    const { hub, ask, reached } = await open("refusing", () => Promise.reject(failures.shift()));
    expect([await ask(line("a")), await ask(line("b")), await ask(line("c"))]).toEqual([
      { owner: "other" },
      { isLeaving: true },
      { accepted: true, runtime: "refusing" },
    ]);
    expect([reached, heard]).toEqual([[], [expect.objectContaining({ id: "c", type: "error", code: "usage" })]]);
    await hub.close();
  });

  it("are told as ended early where the end could not be written, though the answer is there", async () => {
    const answer = (requestId: string): ConversationMessage => ({
      messageId: requestId,
      role: "assistant",
      parts: [],
      timestamp: 1,
      requestId,
    });
    const heard: { id: string; type: string }[] = [];
    const listening = fleet.connection.subscribe("answers", { callback: (_, message) => void heard.push(message.json()) });
    const { hub, ask, reached } = await open("full", async () => ({ isStale: false, messages: [answer("whole"), answer("cut")] }), "cut");
    await ask(line("whole"));
    await ask(line("cut"));
    await expect
      .poll(() => heard.map(({ id, type }) => [id, type]))
      .toEqual([
        ["whole", "done"],
        ["cut", "error"],
      ]);
    expect(reached).toEqual([]);
    listening.unsubscribe();
    await hub.close();
  });

  it("are not begun again while they run or once they are recorded, and what a lost conversation says is not heard", async () => {
    const messages: ConversationMessage[] = [{ messageId: "m", role: "assistant", parts: [], timestamp: 1, requestId: "old" }];
    const { hub, ask, state, reached } = await open("owning", async () => ({ isStale: false, messages }));
    const events: unknown[] = [];
    fleet.connection.subscribe(toEventSubject("c"), {
      callback: (_, message) => void events.push([message.headers?.get(header.epoch), message.json()]),
    });
    await ask(line("old"));
    await ask(line("new"));
    await ask(line("new"));
    expect([reached, state.closed]).toEqual([["new"], 2]);
    await hub.transport.send({ id: "new", type: "token", token: "x", seq: 1 });
    await expect.poll(() => events).toEqual([["7", expect.objectContaining({ token: "x" })]]);
    state.epoch = 9;
    hub.lose("c");
    await hub.transport.send({ id: "new", type: "done" });
    await expect.poll(() => state.closed).toBe(3);
    await fleet.connection.flush();
    expect(events).toHaveLength(1);
    expect(reached).toHaveLength(2);
    await hub.leave();
    expect(await ask(line("later"))).toEqual({ isLeaving: true });
    await expect(fleet.connection.request(anyRuntimeSubject, "", { timeout: 60_000 })).rejects.toThrow("no responders");
    await hub.close();
  });
});

describe("a turn that began as a steer", () => {
  it("runs as any other: a host that asks about it is told no end, and it is cancelled when its conversation is lost", async (context) => {
    skipWithoutServer(context);
    const fleet = await openFleet(await openServer());
    const answer: ConversationMessage = { messageId: "m", role: "assistant", parts: [], timestamp: 1, requestId: "steer-1" };
    const open = async () => ({ isStale: false, messages: [answer], isUnfinished: () => true, close: async () => {} });
    const hub = createRuntimeHub(fleet, { runtime: "steered", open, epochOf: () => 1 });
    await hub.begin();
    const reached: unknown[] = [];
    void (async () => {
      for await (const item of hub.transport.incoming) if (item.kind === "message") reached.push(item.value);
    })();
    const [heard, events]: [string[], string[]] = [[], []];
    const note = (into: string[]) => ({
      callback: (_: Error | null, message: Msg) => void into.push(message.json<{ type: string }>().type),
    });
    fleet.connection.subscribe("answers", note(heard));
    fleet.connection.subscribe(toEventSubject("c"), note(events));
    const ask = async (text: string, values: Record<string, string> = {}): Promise<unknown> => {
      const headers = toPartHeaders({ [header.host]: "h", [header.inbox]: "answers", [header.conversation]: "c", ...values }, 0, 1);
      return (await fleet.connection.request(toRuntimeSubject("steered"), text, { headers, timeout: 60_000 })).json();
    };
    await ask(JSON.stringify({ id: "ask", kind: "steer", target: "turn", message: "and this" }));
    await hub.transport.send({ id: "ask", type: "done", data: { steerId: "steer-1" } });
    await hub.transport.send({ id: "steer-1", type: "token", token: "x", seq: 1 });
    await expect.poll(() => [heard, events]).toEqual([["done"], ["token"]]);
    expect(await ask("", { [header.turn]: "steer-1" })).toEqual({ accepted: true, runtime: "steered" });
    await hub.transport.send({ id: "steer-1", type: "done" });
    await expect.poll(() => events).toEqual(["token", "done"]);
    expect(heard).toEqual(["done"]);

    await ask(JSON.stringify({ id: "ask-2", kind: "steer", target: "turn", message: "and that" }));
    await hub.transport.send({ id: "ask-2", type: "done", data: { steerId: "steer-2" } });
    await hub.transport.send({ id: "steer-2", type: "token", token: "y", seq: 1 });
    await expect.poll(() => events).toHaveLength(3);
    hub.lose("c");
    await expect.poll(() => reached.at(-1)).toMatchObject({ kind: "cancel", target: "steer-2" });
    await hub.close();
  });
});

describe("a runtime that has enough to do", () => {
  it("claims no conversation more, goes on with its own, and takes others again when one of them has ended", async (context) => {
    skipWithoutServer(context);
    const fleet = await openFleet(await openServer());
    const { fleetBusyLanes } = fleetLimits;
    fleetLimits.fleetBusyLanes = 2;
    onTestFinished(() => void (fleetLimits.fleetBusyLanes = fleetBusyLanes));
    const opened: string[] = [];
    const close = async (): Promise<void> => {};
    const open = async (conversationId: string) => {
      opened.push(conversationId);
      return { isStale: false, messages: [], isUnfinished: () => false, close };
    };
    const hub = createRuntimeHub(fleet, { runtime: "busy", open, epochOf: () => 1 });
    await hub.begin();
    const ask = async (id: string, conversationId: string): Promise<unknown> => {
      const text = JSON.stringify({ id, kind: "user_message", message: "hi", metadata: { conversationId } });
      return (await fleet.connection.request(toRuntimeSubject("busy"), text, { timeout: 60_000 })).json();
    };
    const accepted = { accepted: true, runtime: "busy" };
    // At once: what is being taken counts too.
    expect(await Promise.all([ask("1", "a"), ask("2", "b"), ask("3", "c")])).toEqual([accepted, accepted, { isFull: true }]);
    expect([await ask("4", "a"), await ask("5", "c"), opened]).toEqual([accepted, { isFull: true }, ["a", "b", "a"]]);
    await hub.transport.send({ id: "2", type: "done" });
    await expect.poll(() => ask("5", "c")).toEqual(accepted);
    await hub.close();
  });

  it("is asked again by the host, which looks for room elsewhere meanwhile, and is told so in the end", async (context) => {
    skipWithoutServer(context);
    const fleet = await openFleet(await openServer());
    const replies: object[] = [{ isFull: true }, { isFull: true }];
    fleet.connection.subscribe(anyRuntimeSubject, {
      callback: (_, message) => void message.respond(JSON.stringify(replies.shift() ?? { accepted: true, runtime: "free" })),
    });
    const ask = createAskRuntimes(fleet, await openStreams(fleet), { host: "h", inbox: "answers" });
    const request = { text: "{}", conversationId: "c", mayRepeat: true, signal: new AbortController().signal };
    expect(await ask.deliver(request)).toBe("free");
    expect(replies).toEqual([]);
    const { fleetRoomMs } = fleetLimits;
    fleetLimits.fleetRoomMs = -1;
    onTestFinished(() => void (fleetLimits.fleetRoomMs = fleetRoomMs));
    replies.push({ isFull: true });
    await expect(ask.deliver(request)).rejects.toMatchObject({ code: "overloaded" });
  });
});

describe("the lines of an answer", () => {
  it("are numbered, and where one is lost the request ends with an error instead of an end that hides it", async (context) => {
    skipWithoutServer(context);
    const fleet = await openFleet(await openServer());
    const close = async (): Promise<void> => {};
    const open = async () => ({ isStale: false, messages: [], isUnfinished: () => false, close });
    const hub = createRuntimeHub(fleet, { runtime: "numbering", open, epochOf: () => 1 });
    await hub.begin();
    const numbers: (string | undefined)[] = [];
    fleet.connection.subscribe("numbered", { callback: (_, message) => void numbers.push(message.headers?.get(header.line)) });
    const headers = toPartHeaders({ [header.inbox]: "numbered" }, 0, 1);
    const listing = JSON.stringify({ id: "list", kind: "list_conversations" });
    await fleet.connection.request(toRuntimeSubject("numbering"), listing, { headers, timeout: 60_000 });
    for (const type of ["conversations", "conversations", "done"]) await hub.transport.send({ id: "list", type });
    await expect.poll(() => numbers).toEqual(["1", "2", "3"]);
    await hub.close();

    const failed: unknown[] = [];
    const ask = { deliver: async () => "numbering", ownerOf: async () => "numbering", isThere: async () => true, hello: async () => "" };
    const requests = createHostRequests({ ask, onFailed: (id, error) => failed.push([id, toHawserError(error).code]) });
    for (const id of ["whole", "holed"]) requests.begin({ id, conversationId: undefined, text: "{}", mayRepeat: true, isTurn: false });
    expect([1, 2, 3].map((line) => requests.isNext("whole", line))).toEqual([true, true, true]);
    expect([1, 3, 4].map((line) => requests.isNext("holed", line))).toEqual([true, false, false]);
    expect([failed, requests.has("whole"), requests.has("holed")]).toEqual([[["holed", "connection_lost"]], true, false]);
    requests.stop();
  });
});

describe("the order of events", () => {
  const at = (epoch: number, seq: number | undefined, isEnd = false) => ({ id: "t", epoch, seq, isEnd });

  it("drops what was heard, what an overtaken machine says, and everything after the end", () => {
    const order = createEventOrder(10);
    expect(order.place(at(5, 1))).toEqual({ seq: 1 });
    expect(order.place(at(5, 1))).toBe("drop");
    expect(order.place(at(5, 3))).toBe("gap");
    expect(order.place(at(5, 3), true)).toEqual({ seq: 3 });
    expect(order.running).toEqual(["t"]);
    expect(order.place(at(8, undefined, true))).toEqual({ seq: undefined });
    expect([order.place(at(5, 4)), order.place(at(8, 1)), order.running]).toEqual(["drop", "drop", []]);
  });

  it("goes on with its numbers where a turn begins anew under a later claim", () => {
    const order = createEventOrder(10);
    expect([order.place(at(5, 1)), order.place(at(5, 2)), order.place(at(6, 1)), order.place(at(5, 3)), order.place(at(6, 2))]).toEqual([
      { seq: 1 },
      { seq: 2 },
      { seq: 3 },
      "drop",
      { seq: 4 },
    ]);
  });
});
