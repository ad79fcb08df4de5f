// Nothing lost, nothing doubled: however the events of a turn are cut by lost connections, repeated by
// `subscribe` and mixed with live ones, the screen shows the same.

import { limits } from "@hawser/wire";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { AnyAgentRequest, ConversationMessage } from "@hawser/wire";
import type { PageEvent } from "../../src/page/state/page-event.ts";
import type { PageState, TurnResponse } from "../../src/page/state/page-state.ts";
import { conversationId, fold, ready, received, says, sent, shown, turnOf, wholeTurn } from "./lines.ts";

const turn = wholeTurn("r1");
const expected = shown(fold([sent(says("r1")), ...turn.map((event) => received(event))]));

const lines = (events: readonly TurnResponse[]): PageEvent[] => events.map((event) => received(event));
const lost: PageEvent = { type: "link", link: { phase: "closed", runtime: "running" } };
const back: PageEvent = { type: "link", link: { phase: "open", runtime: "running" } };

/** Between 0 and the length of the turn, in order. */
const cuts = (count: number) =>
  fc.array(fc.nat({ max: turn.length }), { minLength: count, maxLength: count }).map((places) => places.toSorted((a, b) => a - b));

describe("events of a turn", () => {
  it("may come twice, and in any order before the end, and make the same", () => {
    const beforeEnd = turn.slice(0, -1);
    const mixed = fc.shuffledSubarray([...beforeEnd, ...beforeEnd, ...beforeEnd], {
      minLength: 3 * beforeEnd.length,
      maxLength: 3 * beforeEnd.length,
    });
    fc.assert(
      fc.property(mixed, (events) => {
        const running = fold([sent(says("r1")), ...lines(events)]);
        expect(running.turns["r1"]).toMatchObject({ seq: beforeEnd.length });
        expect(Object.keys(running.turns["r1"]?.held ?? {})).toEqual([]);
        expect(shown(fold(lines(turn.slice(-1)), running))).toEqual(expected);
      }),
    );
  });

  it("that were missed while the connection was lost come again, mixed with live ones", () => {
    fc.assert(
      fc.property(cuts(3), fc.nat({ max: turn.length }), ([seen = 0, missed = 0, live = 0], from) => {
        // Live ones up to `live` come before what was missed is sent again, from anywhere before it.
        const again = turn.slice(Math.min(from, seen), live);
        const events = [
          ...lines(turn.slice(0, seen)),
          lost,
          back,
          ready(),
          ...lines(turn.slice(missed, live)),
          ...lines(again),
          ...lines(turn.slice(live)),
        ];
        const state = fold([sent(says("r1")), ...events]);
        const isWhole = state.threads[conversationId]?.load === "done" || live < turn.length || missed <= seen;
        if (isWhole) expect(shown(state)).toEqual(expected);
        // An end that came before what was missed: the history is asked instead.
        else expect(state.threads[conversationId]?.load).toBe("needed");
      }),
    );
  });

  it("of requests that were seen twice make one message", () => {
    const state = fold([sent(says("r1")), sent(says("r1"), "other_tab"), ...lines(turn), sent(says("r1"), "other_tab")]);
    expect(shown(state)).toEqual(expected);
  });

  it("that are more than can be held are left to the history", () => {
    const many = turnOf(
      "r1",
      Array.from({ length: limits.shellHeldEntries + 20 }, (_, at) => ({ type: "token" as const, token: `${at} ` })),
    );
    const state = fold([sent(says("r1")), ...lines(many.slice(1))]);
    expect(Object.keys(state.turns["r1"]?.held ?? {})).toHaveLength(limits.shellHeldEntries);
    const ended = fold(lines([{ type: "done", id: "r1", seq: limits.shellHeldEntries + 21, timestamp: 1 }]), state);
    expect([ended.threads[conversationId]?.load, ended.turns["r1"]?.held]).toEqual(["needed", {}]);
  });
});

describe("a message that is sent while a `subscribe` is under way", () => {
  const subscribe: AnyAgentRequest = { id: "s1", kind: "subscribe", conversationId };
  const answered = received({ type: "done", id: "s1", timestamp: 1 });

  it("is not taken for ended when that answers that nothing runs", () => {
    fc.assert(
      fc.property(fc.nat({ max: turn.length - 1 }), (at) => {
        const events = [...lines(turn.slice(0, at)), answered, ...lines(turn.slice(at))];
        expect(shown(fold([sent(subscribe), sent(says("r1")), ...events]))).toEqual(expected);
      }),
    );
  });

  it("but one that was sent before it is", () => {
    const state = fold([sent(says("r1")), sent(subscribe), answered]);
    expect(state.turns["r1"]?.state).toBe("ended");
  });
});

describe("a page that is opened in the middle of a turn", () => {
  const load: AnyAgentRequest = { id: "l", kind: "load_conversation", conversationId };
  const subscribe: AnyAgentRequest = { id: "s", kind: "subscribe", conversationId, since: 0 };
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
  const loaded = (messages: ConversationMessage[]): PageEvent[] => [
    sent(load),
    received({ type: "conversation", id: "l", timestamp: 1, data: { conversationId, messages } }),
    received({ type: "done", id: "l", timestamp: 1 }),
  ];
  const running = received({ type: "done", id: "s", timestamp: 1, data: { running: "r1" } });
  const facts = (state: PageState) => shown(state).map(({ role, parts, messageId, state: stands }) => ({ role, parts, messageId, stands }));

  it("shows all of it once, wherever the live events meet those that are sent again", () => {
    fc.assert(
      fc.property(cuts(2), ([atLoad = 0, atSubscribe = 0]) => {
        const state = fold([
          ...loaded([user, half]),
          ...lines(turn.slice(Math.min(atLoad, turn.length - 1), Math.min(atSubscribe, turn.length - 1))),
          sent(subscribe),
          ...lines(turn.slice(0, Math.min(atSubscribe, turn.length - 1))),
          running,
          ...lines(turn.slice(Math.min(atSubscribe, turn.length - 1))),
        ]);
        expect(facts(state)).toEqual(facts(fold([sent(says("r1")), ...lines(turn)])));
      }),
    );
  });

  it("keeps events whose turn is named only afterwards", () => {
    const state = fold([...loaded([]), sent(subscribe), ...lines(turn.slice(0, 2)), running, ...lines(turn.slice(2))]);
    expect(shown(state)).toMatchObject([{ role: "assistant", state: "ended", parts: expected[1]!.parts }]);
    expect(state.unclaimed).toEqual([]);
  });

  it("keeps no more of such events than it may, and none when nobody has asked", () => {
    const strange = turnOf(
      "r7",
      Array.from({ length: limits.shellHeldEntries + 5 }, () => ({ type: "token" as const, token: "x" })),
    );
    expect(fold([...loaded([]), ...lines(strange)]).unclaimed).toEqual([]);
    expect(fold([...loaded([]), sent(subscribe), ...lines(strange)]).unclaimed).toHaveLength(limits.shellHeldEntries);
  });

  it("learns that a turn has ended while it was not connected, and asks for the history", () => {
    const none = received({ type: "done", id: "s", timestamp: 1 });
    const state = fold([sent(says("r1")), ...lines(turn.slice(0, 3)), lost, back, ready(), ...loaded([user, half]), sent(subscribe), none]);
    expect(state.turns["r1"]?.state).toBe("ended");
    expect(state.threads[conversationId]?.load).toBe("needed");
  });

  it("does not take a turn that waits behind another one for ended", () => {
    const state = fold([sent(says("r1")), sent(says("r2")), lost, back, ready(), ...loaded([user, half]), sent(subscribe), running]);
    expect(state.turns["r2"]?.state).toBe("running");
    expect(shown(state).map(({ requestId }) => requestId)).toEqual(["r1", "r1", "r2", "r2"]);
  });
});
