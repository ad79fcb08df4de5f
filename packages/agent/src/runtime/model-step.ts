// One step of a model: its text goes to the host as it comes, its tool calls are announced, and all of it
// is collected for the history. What the model has said before a failure is not lost: the caller gets it
// from `parts`, whatever happens.

import { HawserError, limits, untilAborted, type MessagePart } from "@hawser/wire";
import type { Model, ModelEvent, ModelStep } from "../model/model.ts";
import type { TurnEvent } from "./replay.ts";
import type { RequestedCall } from "./tool-runner.ts";

/** What a turn has used so far; shared by its steps. */
export interface TurnTotals {
  chars: number;
  inputTokens: number;
  outputTokens: number;
  cachedInputTokens: number;
  readonly toolIds: Set<string>;
}

export interface StepRun {
  /** In the order of the model; complete when `run` has resolved. */
  readonly parts: MessagePart[];
  readonly calls: RequestedCall[];
  /** Throws what the model throws, or that a limit was reached. */
  run(): Promise<void>;
}

export function createStepRun(model: Model, step: ModelStep, totals: TurnTotals, emit: (event: TurnEvent) => Promise<void>): StepRun {
  const parts: MessagePart[] = [];
  const calls: RequestedCall[] = [];

  async function onText(text: string): Promise<void> {
    totals.chars += text.length;
    if (totals.chars > limits.agentTurnChars)
      throw new HawserError("too_large", `the answer is longer than ${limits.agentTurnChars} characters; ask for less`);
    const last = parts.at(-1);
    if (last?.type === "text") last.text += text;
    else parts.push({ type: "text", text });
    for (const piece of cutIntoTokens(text)) await emit({ type: "token", token: piece });
  }

  async function onCall(call: RequestedCall): Promise<void> {
    if (calls.length >= limits.agentStepCalls)
      throw new HawserError("overloaded", `the model asked for more than ${limits.agentStepCalls} tool calls at once`);
    const toolId = uniqueId(call.toolId, totals.toolIds);
    const { toolName, input, problem } = call;
    calls.push({ toolId, toolName, input, problem });
    parts.push({ type: "tool_use", toolId, toolName, input });
    await emit({ type: "tool_use", data: { toolId, toolName, input } });
  }

  return {
    parts,
    calls,
    async run() {
      for await (const event of obeying(step.signal, model.stream(step))) {
        if (event.type === "text") await onText(event.text.toWellFormed());
        else if (event.type === "tool_call") await onCall(event);
        else if (event.type === "notice") await emit({ type: "progress", data: { message: event.message } });
        else {
          totals.inputTokens += event.inputTokens ?? 0;
          totals.outputTokens += event.outputTokens ?? 0;
          totals.cachedInputTokens += event.cachedInputTokens ?? 0;
        }
      }
    },
  };
}

/** The same events, but over as soon as the signal says so, whether the model listens to it or not. */
async function* obeying(signal: AbortSignal, events: AsyncIterable<ModelEvent>): AsyncGenerator<ModelEvent> {
  const iterator = events[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await untilAborted(signal, iterator.next());
      if (next.done) return;
      yield next.value;
    }
  } finally {
    // Not awaited: a generator that hangs would hang here too.
    void iterator.return?.().catch(() => {});
  }
}

/** A use of a tool and its result find each other by this; a model that repeats one would cross them. */
function uniqueId(wanted: string, taken: Set<string>): string {
  const base = wanted === "" ? "call" : wanted.slice(0, maxToolIdChars).toWellFormed();
  let toolId = base;
  for (let count = 2; taken.has(toolId); count++) toolId = `${base}-${count}`;
  taken.add(toolId);
  return toolId;
}

const maxToolIdChars = 200;

/** A model may send its text in one piece; a line of ours has a limit, and half a character is none. */
function* cutIntoTokens(text: string): Generator<string> {
  const max = limits.agentTokenChars;
  for (let at = 0; at < text.length;) {
    let end = Math.min(at + max, text.length);
    const unit = text.charCodeAt(end - 1);
    if (end < text.length && unit >= 0xd800 && unit < 0xdc00) end--;
    yield text.slice(at, end);
    at = end;
  }
}
