// Everything that can reach the state, in any order and any number of times: events of two turns, what other tabs
// say, histories, greetings, lost links. The state is never broken, whatever a runtime or a network makes of it.

import fc from "fast-check";
import type { ConversationMessage } from "@hawser/protocol";
import { describe, expect, it } from "vitest";
import { initialState, type PageEvent, type PageState } from "../../src/page/state/page-state.ts";
import { reduce } from "../../src/page/state/reduce.ts";
import { asked, conversationId, fold, happens, opened, passed, ready, says, shown, wholeTurn } from "./lines.ts";

const remember = (messageId: string, role: "user" | "assistant", requestId: string): ConversationMessage => ({
  messageId,
  role,
  requestId,
  timestamp: 1,
  parts: [{ type: "text", text: messageId }],
});
const history = [remember("m1", "user", "r1"), remember("m2", "assistant", "r1"), remember("m3", "user", "r2")];
const link = (phase: "open" | "closed", runtime: "running" | "restarting"): PageEvent => ({ type: "link", link: { phase, runtime } });

const loaded: PageEvent = { type: "loaded", conversation: { conversationId, title: "T", messages: history } };

const pool: readonly PageEvent[] = [
  ...wholeTurn("r1").map(happens),
  ...wholeTurn("r2").map(happens),
  asked(says("r1")),
  asked(says("r2")),
  loaded,
  { type: "load_failed", conversationId },
  { type: "resumed", conversationId, running: "r1", known: [] },
  { type: "resumed", conversationId, running: "r2", known: ["r1"] },
  { type: "resumed", conversationId, running: undefined, known: ["r1", "r2"] },
  happens({ type: "error", id: "r1", error: "broke", seq: 4, timestamp: 1 }),
  asked({ id: "x", kind: "cancel", target: "r1" }),
  asked({ id: "p", kind: "permission_response", permissionId: "p1", decision: "deny" }),
  { type: "deleted", conversationId },
  { type: "truncated", conversationId, after: "m1" },
  { type: "renamed", conversationId, title: "Boats" },
  ready(1),
  ready(2),
  link("open", "running"),
  link("open", "restarting"),
  link("closed", "running"),
  { type: "opened", conversationId, isNew: false },
  { type: "opened", conversationId: "c2", isNew: true },
  { type: "turn_failed", id: "r1", failure: { text: "silence" } },
  { type: "permission_expired", permissionId: "p1" },
  passed(says("r1"), "other_tab"),
  { type: "wire_cleared" },
  { type: "line_passed", at: 1, chars: 3, value: "???", direction: "received" },
];

const chaos = fc.array(fc.constantFrom(...pool), { maxLength: 120 });

/** What is there twice. */
function faultsOf(state: PageState): string[] {
  return Object.values(state.threads).flatMap((thread) => [
    ...twice(thread.messages.map(({ key }) => key)),
    ...thread.messages.flatMap(({ parts }) => twice(parts.flatMap((part) => (part.kind === "tool" ? [part.toolId] : [])))),
  ]);
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
          loaded,
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
