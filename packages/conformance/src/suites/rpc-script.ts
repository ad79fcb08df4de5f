// What the rpc scenarios share: requests, answers, and the API behind the server. Answers are described by the six members of the
// contract; anything else that a server adds is up to it.

import type { Answer, Setup, Step } from "../scenario.ts";

interface Request {
  readonly send: { readonly id: unknown };
}

export const request = (id: unknown, op: string, args?: unknown): Request => ({
  send: { id, op, ...(args !== undefined && { args }) } as Request["send"],
});

export const call = (id: unknown, args: object): Request => request(id, "call", args);

export const get = (id: unknown, path: string, more: object = {}): Request => call(id, { method: "GET", path, ...more });

export const succeeded = (id: unknown, more: object = {}): object => ({ id, ok: true, code: 0, error: { $absent: true }, ...more });

type FailureCode = 2 | 6 | 7;

export const failed = (id: unknown, code: FailureCode, more: object = {}): object => ({
  ...{ id, ok: false, code, error: { $type: "string", $length: { min: 1 } } },
  ...more,
});

/** A call that the API answered with this status and a body like this. */
export const answered = (id: unknown, status: number, body: unknown = { $any: true }): object =>
  succeeded(id, { status, data: { response: { status, body } } });

// --- a request and its answer, which comes next

export const succeeds = (step: Request, more?: object): Step[] => [step, { expect: succeeded(step.send.id, more) }];
export const fails = (step: Request, code: FailureCode, more?: object): Step[] => [step, { expect: failed(step.send.id, code, more) }];
export const answers = (step: Request, status: number, body?: unknown): Step[] => [step, { expect: answered(step.send.id, status, body) }];

/** A call that is under way at the API and gets no answer. */
export const hangs = (id: string): Step[] => [get(id, "/hang"), { expectFacts: { running: 1 } }];

// --- the API

/** Answers a path, or all paths that match a pattern. */
export const at = (path: unknown, answer: Omit<Answer, "when">): Answer => ({ when: { path }, ...answer });

/** Answers every path below /echo with that path. */
const echoesPath: Answer = {
  when: { path: { $regex: "^/echo", $bind: "path" } },
  send: { status: 200, body: { path: { $same: "path" } } },
};

export const withStatus = (status: number, more: Omit<Answer, "when"> = {}): Answer =>
  at(`/status/${status}`, { send: { status, body: { words: `answer ${status}` } }, ...more });

/** The usual API, with these answers before the usual ones, behind a server with these flags. */
export const setupWith = (first: readonly Answer[] = [], ...flags: string[]): Setup => ({
  answers: [...first, echoesPath, at({ $regex: "^/hang" }, {})],
  ...(flags.length > 0 && { flags }),
});

/** For calls that hang or are many: none of them times out, however long the rest takes. */
export const setupInNoHurry = (...flags: string[]): Setup => setupWith([], "--timeout", "60s", ...flags);

/** What the API has received: since the calls were answered, there is nothing to wait for. */
export const seen = (facts: object): Step => ({ expectFacts: facts, withinMs: 1 });
