// The words that the rpc scenarios share: requests, answers, and the API behind the server. Answers are
// described by the six members of the contract; what else a server says in them is its own.

import type { Step } from "../scenario.ts";
import type { Answer, Setup } from "../setup.ts";

export const request = (id: unknown, op: string, args?: unknown): Step => ({ send: { id, op, ...(args !== undefined && { args }) } });

export const call = (id: unknown, args: object): Step => request(id, "call", args);

export const get = (id: unknown, path: string, more: object = {}): Step => call(id, { method: "GET", path, ...more });

const noError = { error: { $absent: true } };

export const succeeded = (id: unknown, more: object = {}): object => ({ id, ok: true, code: 0, ...noError, ...more });

export const failed = (id: unknown, code: 2 | 6 | 7, more: object = {}): object => ({
  ...{ id, ok: false, code, error: { $type: "string", $length: { min: 1 } } },
  ...more,
});

/** A call whose API answered with this status and a body like this. */
export const answered = (id: unknown, status: number, body: unknown = { $any: true }): object =>
  succeeded(id, { status, data: { response: { status, body } } });

// --- the API

/** Answers a path, or paths that a pattern fits. */
export const at = (path: unknown, answer: Omit<Answer, "when">): Answer => ({ when: { path }, ...answer });

/** Answers every path below /echo with that path. */
const echoesPath: Answer = {
  when: { path: { $regex: "^/echo", $bind: "path" } },
  send: { status: 200, body: { path: { $same: "path" } } },
};

const hangs: Answer = at({ $regex: "^/hang" }, {});

export const withStatus = (status: number, more: Omit<Answer, "when"> = {}): Answer =>
  at(`/status/${status}`, { send: { status, body: { words: `answer ${status}` } }, ...more });

/** The usual API, with these answers before the usual ones, behind a server with these flags. */
export const setupWith = (answers: readonly Answer[] = [], ...flags: string[]): Setup => ({
  answers: [...answers, echoesPath, hangs],
  ...(flags.length > 0 && { flags }),
});

/** For calls that hang or are many: they don't end by their time, however long the rest takes. */
export const setupInNoHurry = (...flags: string[]): Setup => setupWith([], "--timeout", "60s", ...flags);

/** What has come to the API until now: since the calls were answered, there is nothing to wait for. */
export const seen = (facts: object): Step => ({ expectFacts: facts, withinMs: 1 });
