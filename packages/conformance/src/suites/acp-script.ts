// What the ACP scenarios share: requests, answers, permission, and what may come between them.

import type { Leave, Step } from "../scenario.ts";

const jsonrpc = "2.0";
export const same = (name: string): object => ({ $same: name });

export const request = (id: unknown, method: string, params?: unknown): object => ({
  jsonrpc,
  id,
  method,
  ...(params !== undefined && { params }),
});
export const call = (id: unknown, method: string, params?: unknown): Step => ({ send: request(id, method, params) });
export const notify = (method: string, params: unknown): Step => ({ send: { jsonrpc, method, params } });

export const answered = (id: unknown, result: unknown = { $any: true }): object => ({ jsonrpc, id, result, error: { $absent: true } });
export const refused = (id: unknown, code: unknown = { $type: "integer" }): object => ({
  jsonrpc,
  id,
  error: { code },
  result: { $absent: true },
});
/** A response of either kind. */
export const settled = (id: unknown): object => ({ jsonrpc, id, method: { $absent: true } });

export const isRefused = (id: string, method: string, params?: unknown, code?: unknown): Step[] => [
  call(id, method, params),
  { expect: refused(id, code), skipping: housekeeping },
];

// --- updates

const kindsOfHousekeeping = [
  "available_commands_update",
  "current_mode_update",
  "config_option_update",
  "session_info_update",
  "usage_update",
];

/** May come at any time, in a turn or between two. */
export const housekeeping = {
  $either: [
    { method: "session/update", params: { update: { sessionUpdate: { $either: kindsOfHousekeeping } } } },
    { method: { $regex: "^_" }, id: { $absent: true } },
    // Of a question of its own that no longer matters.
    { method: "$/cancel_request" },
  ],
};

export const update = (sessionUpdate: unknown, more: object = {}, session = "session"): object => ({
  method: "session/update",
  params: { sessionId: same(session), update: { sessionUpdate, ...more } },
});

/** Whatever a turn says before its end. */
export const during = (session = "session"): object => update({ $type: "string" }, {}, session);

// --- permission

const question = (session: string, more: object): object => ({
  ...{ method: "session/request_permission", id: { $bind: "question" } },
  params: { sessionId: same(session), ...more },
});
const decision = (outcome: object): object => ({ jsonrpc, id: same("question"), result: { outcome } });
export const selected = (optionId: unknown): object => decision({ outcome: "selected", optionId });
export const cancelledAnswer = decision({ outcome: "cancelled" });

const optionOf = (...kinds: string[]): object => ({ options: { $some: { kind: { $either: kinds }, optionId: { $bind: "option" } } } });
const allowing = optionOf("allow_once", "allow_always");
const rejecting = optionOf("reject_once", "reject_always");

/** Its question, with the id of an option that allows, or that rejects. */
export const asksToAllow = (session = "session"): object => question(session, allowing);
export const asksToReject = (session = "session"): object => question(session, rejecting);
const asksAnything = (session = "session"): object => question(session, {});

interface Answering {
  readonly when: object;
  readonly send: object;
}
export const allowed = (session = "session"): Answering => ({ when: asksToAllow(session), send: selected(same("option")) });
export const cancelled = (session = "session"): Answering => ({ when: asksAnything(session), send: cancelledAnswer });

// --- steps

const client = { name: "hawser-conform", title: "Hawser's conformance suite", version: "1.0.0" };
const offersNothing = { fs: { readTextFile: false, writeTextFile: false }, terminal: false };
export const helloRequest = (id: unknown, more: object = {}): object =>
  request(id, "initialize", { protocolVersion: 1, clientCapabilities: offersNothing, clientInfo: client, ...more });

/** The handshake; what the agent said is bound to `agent`. */
export const hello = (more: object = {}, on?: string): Step[] => [
  { send: helloRequest("hello", more), ...at(on) },
  { expect: answered("hello", { $bind: "agent" }), ...at(on) },
];
const at = (on: string | undefined): { on?: string } => (on === undefined ? {} : { on });

const authRequired = -32_000;
const noSession: Leave = {
  outcome: "skipped",
  reason: "session/new asks for authentication: log in first, or give what it needs with --env",
};

/** A session whose id is bound to its name, and all of the result to `opened`. */
export const open = (session = "session", params: object = {}): Step[] => [
  call(`new-${session}`, "session/new", { cwd: same("cwd"), mcpServers: [], ...params }),
  {
    expect: answered(`new-${session}`, { $bind: "opened" }),
    skipping: housekeeping,
    leaving: [{ when: refused(`new-${session}`, authRequired), ...noSession }],
  },
  { given: { opened: { sessionId: { $type: "string", $bind: session } } } },
];

/** The name of the prompt that is bound, or content of our own. */
type Prompt = "prompt" | "toolPrompt" | "permissionPrompt" | "slowPrompt" | readonly object[];

const promptRequest = (id: unknown, prompt: Prompt, session = "session"): object =>
  request(id, "session/prompt", {
    sessionId: same(session),
    prompt: typeof prompt === "string" ? [{ type: "text", text: same(prompt) }] : prompt,
  });

export const say = (id: unknown, prompt: Prompt = "prompt", session = "session"): Step[] => [
  ...(typeof prompt === "string" ? [isGiven(prompt)] : []),
  { send: promptRequest(id, prompt, session) },
];

const isGiven = (prompt: string): Step => ({
  given: { [prompt]: { $length: { min: 1 } } },
  otherwise: { outcome: "skipped", reason: `${optionNames[prompt]} is empty` },
});
const optionNames: Readonly<Record<string, string>> = {
  prompt: "--prompt",
  toolPrompt: "--tool-prompt",
  permissionPrompt: "--permission-prompt",
  slowPrompt: "--slow-prompt",
};

export const ended = (id: unknown, stopReason: unknown = { $type: "string" }): object => answered(id, { stopReason });

/** The turn says what it likes, may use what it asks for, and ends. */
export const ends = (id: unknown, stopReason?: unknown, session = "session"): Step => ({
  expect: ended(id, stopReason),
  skipping: during(session),
  answering: [allowed(session), cancelled(session)],
});

/** A turn from its prompt to its end. */
export const turn = (id: unknown, prompt: Prompt = "prompt", session = "session"): Step[] => [
  ...say(id, prompt, session),
  ends(id, "end_turn", session),
];

const skippedBy = (option: string, what: string): Leave => ({
  outcome: "skipped",
  reason: `what ${option} says made it ${what}; give a prompt that does`,
});

/** A turn that asks; its question is bound. The scenario doesn't apply when the turn ends without one. */
export const turnThatAsks = (id: string, asks: object = asksAnything()): Step[] => [
  ...say(id, "permissionPrompt"),
  { expect: asks, skipping: during(), leaving: [{ when: settled(id), ...skippedBy("--permission-prompt", "ask for no permission") }] },
];

export const leavesWithoutTool = (id: string): object & Leave & { when: object } => ({
  when: settled(id),
  ...skippedBy("--tool-prompt", "use no tool"),
});
export const leavesUnlessSlow = (id: string): Leave & { when: object } => ({
  when: ended(id, { $not: "cancelled" }),
  ...skippedBy("--slow-prompt", "end before the cancel reached it"),
});

/** The scenario goes on only if the agent advertises this. */
export const needs = (agentCapabilities: object, name: string): Step => ({
  given: { agent: { agentCapabilities } },
  otherwise: { outcome: "unsupported", reason: `it does not advertise ${name}` },
});
export const needsOfSession = (name: string): Step =>
  needs({ sessionCapabilities: { [name]: { $type: "object" } } }, `sessionCapabilities.${name}`);
