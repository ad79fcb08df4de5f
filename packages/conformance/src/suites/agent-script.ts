// What the agent scenarios share: requests, answers, and what may come between them.

import type { Step } from "../scenario.ts";

const timestamp = { $number: { min: 1_000_000_000_000, max: 9_999_999_999_999 } };
const anyType = (...types: string[]): object => ({ type: { $either: types } });

/** The first line of every runtime. */
export const ready: Step = { expect: { type: "ready", id: { $absent: true }, timestamp }, withinMs: 15_000 };

export const say = (id: unknown, message: string, more: object = {}): Step => ({ send: { id, kind: "user_message", message, ...more } });

export const inConversation = (conversationId: string): object => ({ metadata: { conversationId } });

export const ask = (id: unknown, kind: string, more: object = {}): Step => ({ send: { id, kind, ...more } });

export const done = (id: unknown, more: object = {}): object => ({ type: "done", id, timestamp, ...more });
export const failed = (id: unknown, more: object = {}): object => ({ type: "error", id, error: { $regex: "." }, timestamp, ...more });
export const ended = (id: unknown): object => ({ ...anyType("done", "error"), id, timestamp });
export const status = (id: unknown, data: object = {}): object => ({ type: "status", id, data, timestamp });

const named = { toolId: { $type: "string" }, toolName: { $type: "string" } };

/** What a turn may say before its end: each with the turn's id, a time, and the members of its type. */
export const during = (id: unknown): object => ({
  $either: [
    { type: "token", id, token: { $type: "string" }, timestamp },
    { type: "tool_use", id, data: { ...named, input: { $any: true } }, timestamp },
    { type: "tool_result", id, data: { ...named, result: { $any: true } }, timestamp },
    { type: "tool_result", id, data: { ...named, isError: true, error: { $type: "string" } }, timestamp },
    { ...anyType("progress", "usage"), id, timestamp },
  ],
});

/** Comes after anything else that the turn says. */
export const eventually = (id: unknown, expected: object): Step => ({ expect: expected, skipping: during(id), withinMs: 30_000 });

export const endsWell = (id: unknown): Step => eventually(id, done(id));

/** A piece of what it says has this in it. */
export const says = (id: unknown, pattern: string): Step => eventually(id, { type: "token", id, token: { $regex: pattern } });

/** A turn that ends well. */
export const turn = (id: unknown, message: string, more: object = {}): Step[] => [say(id, message, more), endsWell(id)];

export const asksFirst = 'write "hello" to hawser-conform-note.txt';

/** A turn in which our agent asks before it writes, and so waits as long as we like. */
export const waitingTurn = (id: string, more: object = {}, message = asksFirst): Step[] => [
  say(id, message, more),
  eventually(id, {
    type: "permission_request",
    id,
    data: { ...named, permissionId: { $type: "string", $bind: `permission-${id}` }, reason: { $type: "string" } },
    timestamp,
  }),
];

/** The answer to its question, and what the turn says to it. */
export const decides = (turnId: string, decision: "allow" | "deny", said: object): Step[] => [
  ask("p", "permission_response", { permissionId: { $same: `permission-${turnId}` }, decision }),
  { expectAll: [done("p"), said], skipping: during(turnId) },
];

/** A request that ends the turn `t`, and itself with done. */
export const endsTurn = (id: string, kind: string, more: object, error?: object): Step[] => [
  ask(id, kind, more),
  { expectAll: [failed("t", error), done(id)], skipping: during("t") },
];

/** A request that is refused. */
export const fails = (id: string, kind: string, more?: object, error?: object): Step[] => [
  ask(id, kind, more),
  { expect: failed(id, error) },
];

export const isDone = (id: string, kind: string, more?: object): Step[] => [ask(id, kind, more), { expect: done(id) }];

/** A request that is answered with one message of data, and then with done. */
export const returns = (
  request: { readonly id: string; readonly kind: string } & Record<string, unknown>,
  type: string,
  data: object,
): Step[] => [{ send: request }, { expect: { type, id: request.id, data } }, { expect: done(request.id) }];

export const hasStatus = (id: string, data?: object, more?: object): Step[] => [ask(id, "get_status", more), { expect: status(id, data) }];
