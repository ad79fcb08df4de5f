// Nothing lost, nothing doubled: however the events of a turn are cut by lost connections, repeated by
// `subscribe` and mixed with live ones, the screen shows the same.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { AnyAgentRequest, ConversationMessage } from "@hawser/protocol";
import type { PageEvent, PageState } from "../../src/page/state/page-state.ts";
import {
  asked,
  conversationId,
  fold,
  happens,
  openScreen,
  ready,
  says,
  shown,
  wholeTurn,
  type Screen,
  type TurnResponse,
} from "./lines.ts";

const turn = wholeTurn("r1");
const expected = shown(fold([asked(says("r1")), ...turn.map(happens)]));
const lost: PageEvent = { type: "link", link: { phase: "closed", runtime: "running" } };
const back: PageEvent = { type: "link", link: { phase: "open", runtime: "running" } };

const user: ConversationMessage = {
  messageId: "m1",
  role: "user",
  parts: [{ type: "text", text: "hello" }],
  timestamp: 0,
  requestId: "r1",
};
const half: ConversationMessage = {
  messageId: "m2",
  role: "assistant",
  parts: [{ type: "text", text: "I look." }],
  timestamp: 0,
  requestId: "r1",
};

/** Between 0 and the length of the turn, in order. */
const cuts = (count: number) =>
  fc.array(fc.nat({ max: turn.length - 1 }), { minLength: count, maxLength: count }).map((places) => places.toSorted((a, b) => a - b));

const sayAll = (screen: Screen, events: readonly TurnResponse[]): void => {
  for (const event of events) screen.say(event);
};

async function next<Kind extends AnyAgentRequest["kind"]>(screen: Screen, kind: Kind): Promise<Extract<AnyAgentRequest, { kind: Kind }>> {
  await screen.settled();
  const request = screen.requests.shift();
  expect(request?.kind).toBe(kind);
  return request as Extract<AnyAgentRequest, { kind: Kind }>;
}

async function answerLoad(screen: Screen, messages: ConversationMessage[]): Promise<void> {
  const { id } = await next(screen, "load_conversation");
  screen.say({ type: "conversation", id, data: { conversationId, messages } });
  screen.say({ type: "done", id });
}

const facts = (state: PageState) => shown(state).map(({ role, parts, messageId, state: stands }) => ({ role, parts, messageId, stands }));
const expectedFacts = facts(fold([asked(says("r1")), ...turn.map(happens)]));

describe("events of a turn", () => {
  it("that were missed while the connection was lost come again, mixed with live ones", async () => {
    await fc.assert(
      fc.asyncProperty(cuts(3), fc.boolean(), async ([seen = 0, missed = 0, live = 0], isOwn) => {
        const screen = openScreen();
        screen.session.open(conversationId);
        screen.greet();
        await answerLoad(screen, []);
        screen.say({ type: "done", id: (await next(screen, "subscribe")).id });
        await screen.settled();
        if (isOwn) void screen.session.follow(screen.session.client.send({ message: "hello", metadata: { conversationId } }));
        else screen.overhear(says("r1"));
        const id = isOwn ? (await next(screen, "user_message")).id : "r1";
        const events = turn.map((event) => ({ ...event, id }));
        sayAll(screen, events.slice(0, seen));
        await screen.settled();
        screen.lose();
        await screen.settled();
        screen.greet();
        // Live ones come before what was missed is sent again.
        sayAll(screen, events.slice(missed, live));
        await answerLoad(screen, []);
        const subscribe = await next(screen, "subscribe");
        expect(subscribe.since).toBe(seen);
        sayAll(screen, events.slice(seen, live));
        screen.say({ type: "done", id: subscribe.id, data: { running: id } });
        sayAll(screen, events.slice(live));
        await screen.settled();
        const state = screen.session.store.getState();
        expect(facts(state)).toEqual(expectedFacts);
        expect(state.threads[conversationId]?.load).toBe("done");
        await screen.session.close();
      }),
      { numRuns: 60 },
    );
  });

  it("of requests that were seen twice make one message", () => {
    const state = fold([asked(says("r1")), asked(says("r1")), ...turn.map(happens), asked(says("r1"))]);
    expect(shown(state)).toEqual(expected);
  });

  it("of which one is missing are left to the history", () => {
    const state = fold([asked(says("r1")), ...turn.filter(({ seq }) => seq !== 2).map(happens)]);
    expect([state.threads[conversationId]?.load, state.turns["r1"]?.state]).toEqual(["needed", "ended"]);
  });
});

describe("a turn of another tab", () => {
  it("appears like one's own, and what that tab changes is changed here when the runtime has agreed", async () => {
    const screen = openScreen();
    screen.session.open();
    const { currentId } = screen.session.store.getState();
    screen.greet();
    await screen.settled();
    screen.overhear({ ...says("r1"), metadata: { conversationId: currentId } } as AnyAgentRequest);
    sayAll(screen, turn);
    await screen.settled();
    const state = () => screen.session.store.getState();
    expect(state().threads[currentId]?.messages).toMatchObject(expected.map(({ at: _at, ...message }) => message));
    const change = async (request: AnyAgentRequest, type: "done" | "error"): Promise<void> => {
      screen.overhear(request);
      screen.say({ type, id: request.id, ...(type === "error" && { error: "a turn runs" }) });
      await screen.settled();
    };
    await change({ id: "x", kind: "rename_conversation", conversationId: currentId, title: "Boats" }, "error");
    expect(state().threads[currentId]?.title).toBe("hello");
    await change({ id: "y", kind: "rename_conversation", conversationId: currentId, title: "Boats" }, "done");
    expect(state().threads[currentId]?.title).toBe("Boats");
    await change({ id: "z", kind: "truncate_conversation", conversationId: currentId, after: "m1" }, "done");
    expect(state().threads[currentId]?.messages.map(({ messageId }) => messageId)).toEqual(["m1"]);
    await change({ id: "w", kind: "delete_conversation", conversationId: currentId }, "done");
    expect(state().threads[currentId]?.messages).toEqual([]);
    expect(screen.requests).toEqual([]);
    await screen.session.close();
  });

  it("R140: a line that is not JSON, and one that is no request, are on the wire view only", async () => {
    const screen = openScreen();
    screen.session.open();
    screen.greet();
    await screen.settled();
    const before = screen.session.store.getState();
    screen.overhear({ id: "x", kind: "from_the_future" } as unknown as AnyAgentRequest);
    await screen.settled();
    const { wire, ...after } = screen.session.store.getState();
    expect(wire.entries.at(-1)).toMatchObject({ direction: "other_tab", name: "from_the_future" });
    expect({ ...after, wire: before.wire }).toEqual(before);
    await screen.session.close();
  });
});

describe("a message that is sent while a `subscribe` is under way", () => {
  it("is not taken for ended when that answers that nothing runs", async () => {
    const screen = openScreen();
    screen.session.open(conversationId);
    screen.greet();
    await answerLoad(screen, []);
    const subscribe = await next(screen, "subscribe");
    screen.overhear(says("r1"));
    sayAll(screen, turn.slice(0, 2));
    screen.say({ type: "done", id: subscribe.id });
    sayAll(screen, turn.slice(2));
    await screen.settled();
    expect(facts(screen.session.store.getState())).toEqual(expectedFacts);
    await screen.session.close();
  });

  it("but one that was sent before it is", () => {
    const state = fold([asked(says("r1")), { type: "resumed", conversationId, running: undefined, known: ["r1"] }]);
    expect(state.turns["r1"]?.state).toBe("ended");
  });
});

describe("a page that is opened in the middle of a turn", () => {
  it.each([
    ["with what the history has of it", [user, half]],
    ["when the history has nothing of it", []],
  ])("shows all of it once, wherever the live events meet those that are sent again, %s", async (_title, history) => {
    await fc.assert(
      fc.asyncProperty(cuts(2), async ([atLoad = 0, atSubscribe = 0]) => {
        const screen = openScreen();
        screen.session.open(conversationId);
        screen.greet();
        await answerLoad(screen, history);
        sayAll(screen, turn.slice(atLoad, atSubscribe));
        const subscribe = await next(screen, "subscribe");
        sayAll(screen, turn.slice(Math.min(atLoad + 1, atSubscribe), atSubscribe));
        sayAll(screen, turn.slice(0, atSubscribe));
        screen.say({ type: "done", id: subscribe.id, data: { running: "r1" } });
        sayAll(screen, turn.slice(atSubscribe));
        await screen.settled();
        const state = facts(screen.session.store.getState());
        expect(state).toEqual(history.length === 0 ? expectedFacts.slice(1) : expectedFacts);
        await screen.session.close();
      }),
      { numRuns: 60 },
    );
  });

  it("learns that a turn has ended while it was not connected, and asks for the history", () => {
    const loaded: PageEvent = { type: "loaded", conversation: { conversationId, title: "", messages: [user, half] } };
    const none: PageEvent = { type: "resumed", conversationId, running: undefined, known: ["r1"] };
    const state = fold([asked(says("r1")), ...turn.slice(0, 3).map(happens), lost, back, ready(), loaded, none]);
    expect(state.turns["r1"]?.state).toBe("ended");
    expect(state.threads[conversationId]?.load).toBe("needed");
  });

  it("does not take a turn that waits behind another one for ended, and shows it when it runs", async () => {
    const screen = openScreen();
    screen.session.open(conversationId);
    screen.greet();
    await answerLoad(screen, []);
    screen.say({ type: "done", id: (await next(screen, "subscribe")).id });
    await screen.settled();
    screen.overhear(says("r1"));
    screen.overhear(says("r2", "and then"));
    await screen.settled();
    screen.lose();
    await screen.settled();
    screen.greet();
    await answerLoad(screen, [user, half]);
    const { id } = await next(screen, "subscribe");
    sayAll(screen, turn.slice(0, 2));
    screen.say({ type: "done", id, data: { running: "r1" } });
    await screen.settled();
    const state = () => screen.session.store.getState();
    expect(state().turns["r2"]?.state).toBe("running");
    expect(shown(state()).map(({ requestId }) => requestId)).toEqual(["r1", "r1", "r2", "r2"]);
    sayAll(screen, turn.slice(2));
    sayAll(screen, wholeTurn("r2"));
    await screen.settled();
    expect([state().turns["r1"]?.state, state().turns["r2"]?.state]).toEqual(["ended", "ended"]);
    expect(shown(state()).at(-1)?.parts).toEqual(expected[1]?.parts);
    await screen.session.close();
  });

  it("takes up a turn of a conversation that is not on the screen too", async () => {
    const screen = openScreen();
    screen.session.open();
    screen.greet();
    await screen.settled();
    screen.overhear(says("r1"));
    await screen.settled();
    screen.lose();
    await screen.settled();
    screen.greet();
    const kinds = async (): Promise<AnyAgentRequest[]> => {
      await screen.settled();
      return screen.requests.filter(({ kind }) => kind === "subscribe");
    };
    const subscribe = (await kinds()).find((request) => request.kind === "subscribe" && request.conversationId === conversationId);
    screen.say({ type: "done", id: subscribe!.id });
    await screen.settled();
    expect(screen.session.store.getState().turns["r1"]?.state).toBe("ended");
    await screen.session.close();
  });
});
