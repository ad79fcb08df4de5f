// The words that the agent scenarios share: requests, answers, and what may come between them.

import type { Step } from "../scenario.ts";

const timestamp = { $number: { min: 1_000_000_000_000, max: 9_999_999_999_999 } };
const anyType = (...types: string[]): object => ({ type: { $either: types } });

/** The first line of every runtime. */
export const ready: Step = { expect: { type: "ready", id: { $absent: true }, timestamp }, withinMs: 15_000 };

export const say = (id: string, message: string, more: object = {}): Step => ({ send: { id, kind: "user_message", message, ...more } });

export const inConversation = (conversationId: string): object => ({ metadata: { conversationId } });

export const ask = (id: unknown, kind: string, more: object = {}): Step => ({ send: { id, kind, ...more } });

export const done = (id: unknown, more: object = {}): object => ({ type: "done", id, timestamp, ...more });
export const failed = (id: unknown, more: object = {}): object => ({ type: "error", id, error: { $regex: "." }, timestamp, ...more });
export const ended = (id: unknown): object => ({ ...anyType("done", "error"), id, timestamp });
export const status = (id: unknown, data: object = {}): object => ({ type: "status", id, data, timestamp });

const named = { toolId: { $type: "string" }, toolName: { $type: "string" } };

/** What a turn may say before its end: every one of them with its id, a time, and the members that its type has. */
export const during = (id: unknown): object => ({
  $either: [
    { type: "token", id, token: { $type: "string" }, timestamp },
    { type: "tool_use", id, data: { ...named, input: { $any: true } }, timestamp },
    { type: "tool_result", id, data: { ...named, result: { $any: true } }, timestamp },
    { type: "tool_result", id, data: { ...named, isError: true, error: { $type: "string" } }, timestamp },
    { ...anyType("progress", "usage"), id, timestamp },
  ],
});

/** This comes, after anything else that the turn of the id says. */
export const eventually = (id: unknown, expected: object, more: object = {}): Step => ({
  expect: expected,
  skipping: during(id),
  withinMs: 30_000,
  ...more,
});

/** A turn that ends well. */
export const turn = (id: string, message: string, more: object = {}): Step[] => [say(id, message, more), eventually(id, done(id))];

/** One of ours: a turn in which the agent asks before it writes, and so waits as long as we like. */
export const waitingTurn = (id: string, more: object = {}, message = 'write "hello" to hawser-conform-note.txt'): Step[] => [
  say(id, message, more),
  eventually(id, {
    type: "permission_request",
    id,
    data: {
      permissionId: { $type: "string", $bind: `permission-${id}` },
      toolId: { $type: "string" },
      toolName: { $type: "string" },
      reason: { $type: "string" },
    },
    timestamp,
  }),
];

export const answerPermission = (id: string, turnId: string, decision: string): Step =>
  ask(id, "permission_response", { permissionId: { $same: `permission-${turnId}` }, decision });
