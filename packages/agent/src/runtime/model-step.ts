// One step of a model: its text goes to the host as it comes, its tool calls are announced, and all of it
// is collected for the history. A long text is handed over in pieces while it comes, so that little of it is
// held here. What the model said before a failure is not lost: the caller finds it in `parts`.

import { agentLimits } from "../limits.ts";
import { exceedsDepth, replaceHalfPairs, taken, wireLimits } from "@hawser/wire/internal";
import { cutText, HawserError, type MessagePart, type ResponseBody, type TextGap } from "@hawser/protocol/internal";
import type { Model, ModelEvent, ModelStep, PlacedThought } from "../model/model.ts";
import { createAbortGuard } from "./abort-guard.ts";
import { createSpokenText } from "./spoken-text.ts";
import { createThoughtText } from "./thought-text.ts";
import type { RequestedCall } from "./tool-runner.ts";
import { envelopeDepth } from "../tool-value.ts";

/** What a turn has used so far; shared by its steps. */
export interface TurnTotals {
  textBytes: number;
  thoughtBytes: number;
  /** What the conversation takes in the model's context, after its last step; 0 until it says so. */
  contextTokens: number;
  inputTokens: number;
  outputTokens: number;
  cachedInputTokens: number;
  /** As the model says itself; undefined until it does. */
  costUsd: number | undefined;
  readonly toolIds: Set<string>;
  /** What was thought, by the first call that followed it. */
  readonly thoughts: Map<string, readonly PlacedThought[]>;
  /** Between what is said in one step and in the next. */
  readonly gap: TextGap;
}

export type StepRun = ReturnType<typeof createStepRun>;

export interface StepRunOptions {
  readonly model: Model;
  readonly step: ModelStep;
  readonly totals: TurnTotals;
  emit(event: ResponseBody): Promise<void>;
  /** Arguments are coming that are held until they are complete; resolves when there may be more. */
  growInput(chars: number): Promise<void>;
  /** Takes over what has come so far; a text that goes on continues the last one. */
  keep(parts: readonly MessagePart[]): Promise<void>;
}

export function createStepRun({ model, step, totals, emit, growInput, keep }: StepRunOptions) {
  const parts: MessagePart[] = [];
  const calls: RequestedCall[] = [];
  const spoken = createSpokenText({ totals, parts, emit, keep });
  const thought = createThoughtText({ totals, parts, emit, keep });
  const thoughts: PlacedThought[] = [];
  /** Texts and calls until now. */
  let saidCount = 0;
  let isInText = false;
  let hasSpoken = false;
  let inputTokens: number | undefined;
  totals.gap.interrupt();

  async function onCall(call: RequestedCall): Promise<void> {
    if (calls.length >= agentLimits.agentStepCalls)
      throw new HawserError("overloaded", `the model asked for more than ${agentLimits.agentStepCalls} tool calls at once`);
    const { input, problem } = toFittingInput(call);
    const toolId = uniqueId(call.toolId, totals.toolIds);
    const toolName = cutText(call.toolName, maxToolIdChars, "").toWellFormed();
    await spoken.end();
    await thought.end();
    totals.gap.interrupt();
    if (calls.length === 0 && thoughts.length > 0) totals.thoughts.set(toolId, thoughts);
    saidCount++;
    calls.push({ toolId, toolName, input, problem });
    parts.push({ type: "tool_use", toolId, toolName, input });
    await emit({ type: "tool_use", data: { toolId, toolName, input } });
  }

  /** Thoughts stand between texts in the history, and a vendor wants them back where they were. */
  async function onThought(event: Extract<ModelEvent, { type: "reasoning" | "thought" }>): Promise<void> {
    await spoken.end();
    isInText = false;
    if (event.type === "reasoning") return thought.push(event.text);
    await thought.end();
    thoughts.push({ ...event.thought, at: saidCount });
  }

  function onText(text: string): Promise<void> {
    hasSpoken = true;
    if (isInText) return spoken.push(text);
    isInText = true;
    saidCount++;
    return spoken.push(text);
  }

  async function onEvent(event: Exclude<ModelEvent, { type: "text" }>): Promise<void> {
    if (event.type !== "notice" && event.type !== "usage") hasSpoken = true;
    if (event.type === "reasoning" || event.type === "thought") return onThought(event);
    if (event.type === "tool_call") return onCall(event);
    if (event.type === "tool_input") return growInput(event.chars);
    if (event.type === "notice") return emit({ type: "progress", data: { message: event.message } });
    inputTokens = event.inputTokens ?? inputTokens;
    // A step is told the whole conversation, and what it says is part of the next one.
    if (event.inputTokens !== undefined) totals.contextTokens = event.inputTokens + (event.outputTokens ?? 0);
    totals.inputTokens += event.inputTokens ?? 0;
    totals.outputTokens += event.outputTokens ?? 0;
    totals.cachedInputTokens += event.cachedInputTokens ?? 0;
    if (event.costUsd !== undefined) totals.costUsd = (totals.costUsd ?? 0) + event.costUsd;
  }

  return {
    /** What was not handed over, in the order of the model; complete when `run` has ended. */
    parts,
    calls,
    /** Whether the host was told something of it. */
    get hasSpoken() {
      return hasSpoken;
    },
    /** What it was told, in the model's own count; undefined where it does not count. */
    get inputTokens() {
      return inputTokens;
    },
    /** Throws what the model throws, or that a limit was reached. */
    async run(): Promise<void> {
      const iterator = model.stream(step)[Symbol.asyncIterator]();
      // Over as soon as the signal says so, whether the model listens to it or not.
      const guarded = createAbortGuard(step.signal);
      try {
        for (let next = await guarded(iterator.next()); !next.done; next = await guarded(iterator.next())) {
          const event = next.value;
          const told = event.type === "text" ? onText(event.text) : onEvent(event);
          if (told !== taken) await told;
        }
        await spoken.end();
        await thought.end();
      } catch (error) {
        await spoken.end().catch(() => {});
        await thought.end().catch(() => {});
        throw error;
      } finally {
        // Not awaited: a generator that hangs would hang here too.
        void iterator.return?.().catch(() => {});
      }
    },
  };
}

/** A use of a tool and its result find each other by this; a model that repeats one would cross them. */
export function uniqueId(wanted: string, known: Set<string>): string {
  const base = wanted === "" ? "call" : cutText(wanted, maxToolIdChars, "").toWellFormed();
  let toolId = base;
  for (let count = 2; known.has(toolId); count++) toolId = `${base}-${count}`;
  known.add(toolId);
  return toolId;
}

export const maxToolIdChars = 200;

/**
 * Arguments go into the history and onto lines of ours. Too deep ones become a text, which no tool takes; too long ones throw.
 * Half a character is replaced here, so that the tool gets what the user was shown.
 */
function toFittingInput({ toolName, input, problem }: RequestedCall): { readonly input: unknown; readonly problem?: string | undefined } {
  const written = JSON.stringify(input) ?? "null";
  const text = replaceHalfPairs(written);
  if (Buffer.byteLength(text) > agentLimits.agentToolInputBytes)
    throw new HawserError(
      "too_large",
      `the arguments for "${cutText(toolName, maxToolIdChars)}" are longer than ${agentLimits.agentToolInputBytes} bytes`,
    );
  if (!exceedsDepth(text, wireLimits.maxWriteDepth - envelopeDepth)) return { input: text === written ? input : JSON.parse(text), problem };
  return { input: text, problem: problem ?? "the arguments are nested too deep; flatten them" };
}
