// Everything that can reach the state, in any order and any number of times: events of two turns, what other tabs
// say, histories, greetings, lost links. The state is never broken, whatever a runtime or a network makes of it.

import fc from "fast-check";
import { limits, type AnyAgentRequest, type ConversationMessage } from "@hawser/wire";
import { describe, expect, it } from "vitest";
import type { PageEvent } from "../../src/page/state/page-event.ts";
import { initialState, type PageState } from "../../src/page/state/page-state.ts";
import { reduce } from "../../src/page/state/reduce.ts";
import { conversationId, fold, opened, ready, received, says, sent, shown, wholeTurn } from "./lines.ts";

const load: AnyAgentRequest = { id: "l", kind: "load_conversation", conversationId };
const subscribe: AnyAgentRequest = { id: "s", kind: "subscribe", conversationId, since: 0 };
const remember = (messageId: string, role: "user" | "assistant", requestId: string): ConversationMessage => ({
  messageId,
  role,
  requestId,
  timestamp: 1,
  parts: [{ type: "text", text: messageId }],
});
const history = [remember("m1", "user", "r1"), remember("m2", "assistant", "r1"), remember("m3", "user", "r2")];
const link = (phase: "open" | "closed", runtime: "running" | "restarting"): PageEvent => ({ type: "link", link: { phase, runtime } });

const pool: readonly PageEvent[] = [
  ...wholeTurn("r1").map((event) => received(event)),
  ...wholeTurn("r2").map((event) => received(event)),
  sent(says("r1")),
  sent(says("r1"), "other_tab"),
  sent(says("r2")),
  sent(load),
  received({ type: "conversation", id: "l", timestamp: 1, data: { conversationId, messages: history } }),
  received({ type: "done", id: "l", timestamp: 1 }),
  received({ type: "error", id: "l", error: "no", timestamp: 1 }),
  sent(subscribe),
  received({ type: "done", id: "s", timestamp: 1, data: { running: "r1" } }),
  received({ type: "done", id: "s", timestamp: 1 }),
  received({ type: "error", id: "r1", error: "broke", seq: 4, timestamp: 1 }),
  sent({ id: "x", kind: "cancel", target: "r1" }),
  sent({ id: "p", kind: "permission_response", permissionId: "p1", decision: "deny" }),
  sent({ id: "d", kind: "delete_conversation", conversationId }),
  received({ type: "done", id: "d", timestamp: 1 }),
  sent({ id: "t", kind: "truncate_conversation", conversationId, after: "m1" }),
  received({ type: "done", id: "t", timestamp: 1 }),
  ready(1),
  ready(2),
  link("open", "running"),
  link("open", "restarting"),
  link("closed", "running"),
  { type: "opened", conversationId, isNew: false },
  { type: "opened", conversationId: "c2", isNew: true },
  { type: "turn_given_up", id: "r1", text: "silence" },
  { type: "permission_expired", permissionId: "p1" },
  { type: "wire_cleared" },
  { type: "line", at: 1, chars: 3, value: "???", line: { direction: "received", message: undefined } },
];

const chaos = fc.array(fc.constantFrom(...pool), { maxLength: 120 });

/** What is there twice, or out of its bounds. */
function faultsOf(state: PageState): string[] {
  const messages = Object.values(state.threads).flatMap((thread) => [
    ...twice(thread.messages.map(({ key }) => key)),
    ...thread.messages.flatMap(({ parts }) => twice(parts.flatMap((part) => (part.kind === "tool" ? [part.toolId] : [])))),
  ]);
  const turns = Object.values(state.turns).filter(
    ({ held, seq }) => Object.keys(held).length > limits.shellHeldEntries || Object.keys(held).some((early) => Number(early) <= seq),
  );
  return [...messages, ...turns.map(({ id }) => id)];
}

const twice = (names: readonly string[]): string[] => names.filter((name, at) => names.indexOf(name) !== at);

describe("whatever comes, in whatever order", () => {
  it("no message, no tool and no event is there twice, and nothing throws", () => {
    fc.assert(
      fc.property(chaos, (events) => {
        for (const start of [opened, initialState]) expect(faultsOf(fold(events, start))).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  it("an event leaves the state before it as it was", () => {
    fc.assert(
      fc.property(chaos, fc.constantFrom(...pool), (events, last) => {
        const before = fold(events);
        const copy = structuredClone(before);
        reduce(before, last);
        expect(before).toEqual(copy);
      }),
    );
  });

  it("a history that is loaded afterwards makes it whole, once no turn runs", () => {
    fc.assert(
      fc.property(chaos, (events) => {
        const ends: PageEvent[] = [
          link("open", "restarting"),
          link("open", "running"),
          ready(9),
          { type: "opened", conversationId, isNew: false },
          sent({ ...load, id: "l9" }),
          received({ type: "conversation", id: "l9", timestamp: 1, data: { conversationId, messages: history } }),
          received({ type: "done", id: "l9", timestamp: 1 }),
        ];
        const state = fold([...events, ...ends]);
        expect(state.threads[conversationId]?.load).toBe("done");
        expect(
          shown(state)
            .filter(({ messageId }) => messageId !== undefined)
            .map(({ messageId }) => messageId),
        ).toEqual(["m1", "m2", "m3"]);
        expect(Object.values(state.turns).filter((turn) => turn.state === "running")).toEqual([]);
      }),
    );
  });
});
