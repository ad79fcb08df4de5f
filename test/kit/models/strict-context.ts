// A model behind a vendor's API that is as strict as the real ones: a request that is longer than its context, or that parts a use of
// a tool from its result, is refused in the vendor's own words. It counts four bytes of a request as a token. It uses a tool in every
// turn, knows nothing but what it is told, and writes summaries that keep the facts it finds: words such as `FACT-7=amber`.

import type { Script, ScriptedAnswer, ScriptedFailure, ScriptedRequest, ScriptedStep } from "./scripted-server.ts";

export type ContextApi = "messages" | "responses" | "chat";

export interface StrictOptions {
  readonly window: number;
  /** How much a tool returns is the test's; this much is said in each answer. */
  readonly answerChars?: number;
  /** The name of the tool that it uses. */
  readonly tool: string;
}

export interface StrictModel {
  readonly script: Script;
  /** What was refused because of the order of its messages: must stay empty. */
  readonly faults: readonly string[];
  readonly overflows: number;
  readonly summaries: number;
  /** The longest request that was taken. */
  readonly largest: number;
}

// oxlint-disable-next-line typescript/no-explicit-any -- requests are looked into without ceremony
type Body = any;

export function createStrictModel(api: ContextApi, { window, answerChars = 200, tool }: StrictOptions): StrictModel {
  const faults: string[] = [];
  const state = { overflows: 0, summaries: 0, largest: 0 };
  let calls = 0;

  function answer({ body }: ScriptedRequest): ScriptedStep {
    const text = JSON.stringify(body);
    const tokens = Math.ceil(Buffer.byteLength(text) / 4);
    if (tokens > window) {
      state.overflows++;
      return overflow(api, tokens, window);
    }
    state.largest = Math.max(state.largest, tokens);
    const fault = faultIn(api, body);
    if (fault !== undefined) {
      faults.push(fault);
      return { status: 400, body: { error: { type: "invalid_request_error", message: fault } } };
    }
    return { ...respond(body, text), usage: { input: tokens, output: 20 } };
  }

  function respond(body: Body, text: string): ScriptedAnswer {
    if (isSummary(body)) {
      state.summaries++;
      return { text: `The facts: ${[...new Set(text.match(/FACT-\d+=[a-z]+/g))].join(" ")}` };
    }
    const { said, isAnswered } = lastOf(api, body);
    const asked = /what is (FACT-\d+)\?/.exec(said)?.[1];
    if (asked !== undefined) return { text: `${new RegExp(`${asked}=[a-z]+`).exec(text)?.[0] ?? `${asked} is unknown`}.` };
    if (isAnswered) return { text: `Done. ${"a".repeat(answerChars)}` };
    return { text: "Looking.", calls: [{ id: `call_${++calls}`, name: tool, input: { turn: calls } }] };
  }

  return {
    script: answer,
    faults,
    get overflows() {
      return state.overflows;
    },
    get summaries() {
      return state.summaries;
    },
    get largest() {
      return state.largest;
    },
  };
}

const isSummary = (body: Body): boolean => body.tools === undefined && JSON.stringify(body).includes("You summarise a conversation");

function overflow(api: ContextApi, tokens: number, window: number): ScriptedStep {
  if (api === "messages") {
    const message = `prompt is too long: ${tokens} tokens > ${window} maximum`;
    return { status: 400, body: { type: "error", error: { type: "invalid_request_error", message }, request_id: "req_011C" } };
  }
  const code = "context_length_exceeded";
  if (api === "responses") {
    // In the stream, as its first event.
    const message = "Your input exceeds the context window of this model. Please adjust your input and try again.";
    const error = { type: "invalid_request_error", code, message, param: "input" };
    const event = { type: "error", sequence_number: 2, error };
    return { raw: `event: error\ndata: ${JSON.stringify(event)}\n\n`, finish: null };
  }
  const message = `This model's maximum context length is ${window} tokens. However, your messages resulted in ${tokens} tokens. Please reduce the length of the messages.`;
  return { status: 400, body: { error: { message, type: "invalid_request_error", param: "messages", code } } } satisfies ScriptedFailure;
}

/** What the user said last, and whether a tool has answered since then. */
function lastOf(api: ContextApi, body: Body): { readonly said: string; readonly isAnswered: boolean } {
  const items: Body[] = api === "responses" ? body.input : body.messages;
  const isResult = (item: Body): boolean =>
    item.type === "function_call_output" || item.role === "tool" || JSON.stringify(item.content ?? "").includes('"tool_result"');
  const at = items.findLastIndex((item) => item.role === "user" && !isResult(item));
  const content: Body = items[at]?.content ?? "";
  const last: Body = Array.isArray(content) ? content.at(-1) : { text: content };
  return { said: last?.text ?? "", isAnswered: items.slice(at + 1).some(isResult) };
}

const checks: Readonly<Record<ContextApi, (body: Body) => string | undefined>> = {
  messages: checkMessages,
  responses: checkResponses,
  chat: checkChat,
};

const faultIn = (api: ContextApi, body: Body): string | undefined => checks[api](body);

const blocksOf = (message: Body): Body[] => (Array.isArray(message?.content) ? message.content : []);
const idsOf = (blocks: Body[], type: string, member: string): string[] =>
  blocks.filter((each) => each.type === type).map((each) => each[member] as string);

function checkMessages({ messages }: Body): string | undefined {
  if (messages[0]?.role !== "user") return 'messages: first message must use the "user" role';
  for (const [at, message] of messages.entries()) {
    if (blocksOf(message).length === 0 && typeof message.content !== "string") return `messages.${at}: content must not be empty`;
    const [before, after] = [messages[at - 1], messages[at + 1]];
    const results = idsOf(blocksOf(after), "tool_result", "tool_use_id");
    const unanswered = idsOf(blocksOf(message), "tool_use", "id").find((id) => !results.includes(id));
    if (unanswered !== undefined)
      return `messages.${at}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${unanswered}`;
    const uses = idsOf(blocksOf(before), "tool_use", "id");
    const unasked = idsOf(blocksOf(message), "tool_result", "tool_use_id").find((id) => !uses.includes(id));
    if (unasked !== undefined) return `messages.${at}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${unasked}`;
  }
  return undefined;
}

function checkResponses({ input }: Body): string | undefined {
  const uses = idsOf(input, "function_call", "call_id");
  const results = idsOf(input, "function_call_output", "call_id");
  const unanswered = uses.find((id) => !results.includes(id));
  if (unanswered !== undefined) return `No tool output found for function call ${unanswered}.`;
  const unasked = results.find((id) => !uses.includes(id));
  return unasked === undefined ? undefined : `No tool call found for function call output with call_id ${unasked}.`;
}

function checkChat({ messages }: Body): string | undefined {
  const open = new Set<string>();
  for (const message of messages) {
    if (message.role === "tool" && !open.delete(message.tool_call_id))
      return "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.";
    if (message.role !== "tool" && open.size > 0)
      return `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id': ${[...open].join(", ")}`;
    for (const call of message.tool_calls ?? []) open.add(call.id);
  }
  return open.size > 0 ? "An assistant message with 'tool_calls' must be followed by tool messages" : undefined;
}
