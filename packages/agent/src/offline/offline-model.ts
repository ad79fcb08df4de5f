// The embedded model. It isn't a language model and says so: it understands the requests of request-table.ts
// and uses the tools that it is offered, through the same turn as every other model. It is deterministic
// and keeps no state: a step runs the whole answer again with the results that the conversation holds, is
// silent until the last of them, and ends with the next tool call or with the answer.

import { setTimeout as wait } from "node:timers/promises";
import { HawserError, type ConversationMessage, type MessagePart } from "@hawser/protocol";
import { agentLimits } from "../limits.ts";
import { estimateRequest } from "../context/estimate-tokens.ts";
import { saidInSummary } from "../context/mechanical-summary.ts";
import type { Model, ModelEvent, ModelStep } from "../model/model.ts";
import { withSteersApart } from "../model/steers-apart.ts";
import { fileAnswers } from "./answer-files.ts";
import { talkAnswers } from "./answer-talk.ts";
import { toolAnswers } from "./answer-tools.ts";
import { say, textOfMessage, type Answer, type Answers, type Move, type Outcome, type Scene } from "./answer.ts";
import { parseRequest, type OfflineRequest } from "./parse-request.ts";

export interface OfflineModelOptions {
  /** The clock; for tests. */
  readonly now?: (() => Date) | undefined;
  /** A pause after each word, for demonstrations; none unless given. */
  readonly pauseMs?: number | undefined;
  /** How many tokens its context holds; as many as there are unless given. */
  readonly window?: number | undefined;
}

export function createOfflineModel(options: OfflineModelOptions = {}): Model {
  const { now = () => new Date(), pauseMs = 0, window = Infinity } = options;

  async function* stream(step: ModelStep): AsyncGenerator<ModelEvent> {
    const inputTokens = estimateRequest(step);
    if (inputTokens > window) throw tooLong(inputTokens, window);
    let saidChars = 0;
    // What the user says while it works is what it does next; it leaves undone what it had not begun.
    for (const move of nextMoves({ ...step, messages: withSteersApart(step.messages) }, now())) {
      saidChars += move.type === "call" ? JSON.stringify(move.input).length : move.text.length;
      if (move.type === "call") {
        refuseWhenAborted(step.signal);
        yield { type: "tool_call", toolId: move.toolId, toolName: move.toolName, input: move.input };
        continue;
      }
      // Words with the blanks that follow them.
      for (const [piece] of move.text.matchAll(/\S{1,64}\s*|\s+/gu)) {
        refuseWhenAborted(step.signal);
        yield { type: "text", text: piece };
        if (pauseMs > 0) await wait(pauseMs, undefined, { signal: step.signal }).catch(() => {});
      }
    }
    refuseWhenAborted(step.signal);
    yield { type: "usage", inputTokens, outputTokens: Math.ceil(saidChars / charsPerToken) };
  }

  return { name: "offline", stream, isTurnWhole: true, writesSummaries: false, takesEffort: false, isFree: true };
}

/** It has no vocabulary; this is about what language models need for English. */
const charsPerToken = 4;

const tooLong = (tokens: number, window: number): HawserError =>
  new HawserError("too_large", `offline: the conversation does not fit into the model's context: ${tokens} tokens > ${window} maximum`, {
    facts: { isOverflow: true, window },
  });

function refuseWhenAborted(signal: AbortSignal): void {
  if (signal.aborted) throw new HawserError("cancelled", "the offline model was cancelled", { cause: signal.reason });
}

type NextMove = { readonly type: "say"; readonly text: string } | (Extract<Move, { type: "call" }> & { readonly toolId: string });

/** What is to be said and called now, after what has happened in this turn. */
function* nextMoves(step: ModelStep, now: Date): Generator<NextMove> {
  const at = step.messages.findLastIndex(({ role }) => role === "user");
  const asked = step.messages[at];
  if (!asked) return;
  const done = callsIn(step.messages.slice(at + 1));
  const answer = answerMessage(textOfMessage(asked), toScene(step, at, asked, now));
  let calls = 0;
  let paragraphs = 0;
  let outcome: Outcome | undefined;
  for (let move = answer.next(outcome); !move.done; move = answer.next(outcome)) {
    const { value } = move;
    if (value.type === "say") {
      // The runtime parts what is said in one step from what was said in the one before.
      if (calls >= done.length) yield { type: "say", text: paragraphs++ === 0 ? value.text : `\n\n${value.text}` };
      continue;
    }
    const earlier = done[calls++];
    if (!earlier) {
      yield { ...value, toolId: `${asked.messageId}-${calls}` };
      return;
    }
    // Tools come and go; what was done for one request isn't a result of another.
    if (earlier.toolName !== value.toolName) {
      yield { type: "say", text: "The tools have changed meanwhile. Please ask me again." };
      return;
    }
    ({ outcome } = earlier);
  }
}

function toScene(step: ModelStep, at: number, asked: ConversationMessage, now: Date): Scene {
  const paths = asked.parts.flatMap((part) => (part.type === "attachment" ? [part.path] : []));
  const attachments = paths.map((path) => step.attachments.get(path) ?? { path });
  return {
    tools: step.tools,
    earlier: [...toldBefore(step), ...step.messages.slice(0, at)],
    before: [],
    attachments,
    listings: new Map(),
    now,
  };
}

/** What a summary says that the user said. */
const toldBefore = ({ summary = "" }: ModelStep): ConversationMessage[] =>
  saidInSummary(summary).map((text, at) => ({ messageId: `summary-${at}`, role: "user", parts: [{ type: "text", text }], timestamp: 0 }));

interface DoneCall {
  readonly toolName: string;
  readonly outcome: Outcome;
}

function callsIn(messages: readonly ConversationMessage[]): readonly DoneCall[] {
  const parts = messages.flatMap(({ parts }) => parts);
  const results = new Map(parts.flatMap((part) => (part.type === "tool_result" ? [[part.toolId, part] as const] : [])));
  return parts.flatMap((part) =>
    part.type === "tool_use" ? [{ toolName: part.toolName, outcome: toOutcome(results.get(part.toolId)) }] : [],
  );
}

function toOutcome(part: Extract<MessagePart, { type: "tool_result" }> | undefined): Outcome {
  if (!part) return { ok: false, error: "it has no result" };
  return part.isError === true ? { ok: false, error: part.error ?? "it failed" } : { ok: true, result: part.result };
}

const answers: Required<Answers> = { ...talkAnswers, ...fileAnswers, ...toolAnswers };

function* answerMessage(text: string, scene: Scene): Answer {
  if (text.length > agentLimits.offlineMessageChars) {
    const sizes = `Your message has ${text.length} characters; the offline model reads at most ${agentLimits.offlineMessageChars}.`;
    yield* say(`${sizes} Send less, or put the text in a file and say for example \`read the file notes.txt\`.`);
    return;
  }
  const parsed = parseRequest(text);
  const requests = parsed.flatMap((request) => (request.kind === "again" ? requestsBefore(scene) : [request]));
  const taken = requests.slice(0, agentLimits.offlineRequestEntries);
  if (taken.length === 0) yield* answers.unknown({ kind: "unknown", captures: {}, said: "" }, scene);
  for (const [at, request] of taken.entries()) yield* answers[request.kind](request, { ...scene, before: taken.slice(0, at) });
  if (requests.length > taken.length)
    yield* say(`I take on ${agentLimits.offlineRequestEntries} requests of one message; the rest is left undone.`);
}

/** How many messages back "again" looks. */
const maxLookedAt = 20;

function requestsBefore({ earlier }: Scene): readonly OfflineRequest[] {
  const texts = earlier
    .filter(({ role }) => role === "user")
    .slice(-maxLookedAt)
    .map(textOfMessage);
  for (const text of texts.toReversed()) {
    if (text.length > agentLimits.offlineMessageChars) continue;
    const requests = parseRequest(text).filter(({ kind }) => kind !== "again" && kind !== "repeated");
    if (requests.length > 0) return requests;
  }
  return [{ kind: "again", captures: {}, said: "again" }];
}
