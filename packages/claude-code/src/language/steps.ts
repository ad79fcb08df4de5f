// One step of a run, as the parts that the AI SDK streams, or as a whole, which is the stream folded. It ends with the run, or when the
// model's message is complete and has calls of the caller's tools: then the run waits for them. After any other end nothing is left of it.

import { setTimeout as pause } from "node:timers/promises";
import type {
  JSONObject,
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4FinishReason,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
  SharedV4Warning,
} from "@ai-sdk/provider";
import type { SdkMessage } from "../agent-sdk.ts";
import { CLIInterruptedError, CLIResponseParseError } from "../errors.ts";
import type { OutputSchema } from "../options.ts";
import type { RunRecord } from "../result.ts";
import type { CliRun } from "../run-cli.ts";
import { readRunOutput } from "../structured-output.ts";
import type { KnownSession } from "./conversations.ts";
import type { HandedCall, HandedCalls } from "./handed-calls.ts";
import { createStepParts, type StepParts } from "./step-parts.ts";

export interface LanguageRun {
  readonly cli: CliRun;
  readonly handed: HandedCalls;
  /** The caller's tools, by the names that the command line knows them by. */
  readonly names: ReadonlyMap<string, string>;
  readonly schema: OutputSchema | undefined;
  readonly record: RunRecord;
  /** What the session that it resumes had cost before: the command line counts on from there. */
  readonly pastCostUsd: number;
  /** A message that was asked for and not taken yet. */
  pulled?: Promise<SdkMessage | undefined> | undefined;
  /** Handed out, and not answered yet. */
  calls: readonly HandedCall[];
}

export interface StepRequest {
  readonly run: LanguageRun;
  readonly call: LanguageModelV4CallOptions;
  readonly warnings: readonly SharedV4Warning[];
}

export interface StepHooks {
  /** The run waits for results now. */
  park(step: StepRequest): void;
  onFinished(prompt: LanguageModelV4CallOptions["prompt"], answer: string, session: KnownSession): void;
}

// From a call that reaches us to the rest of its message, where that was not streamed.
const settleMs = 100;

export async function* readStep(step: StepRequest, hooks: StepHooks): AsyncGenerator<LanguageModelV4StreamPart> {
  const { run, call } = step;
  const { cli, record } = run;
  const parts = createStepParts(run.names, run.schema !== undefined);
  let isParked = false;
  try {
    for (;;) {
      const message = await nextOrCalled(run, parts);
      if (message === "called") break;
      if (message === undefined) {
        yield* finishRun(step, parts, hooks);
        return;
      }
      record.add(message);
      if (call.includeRawChunks === true) yield { type: "raw", rawValue: message };
      if (message.type === "system" && message.subtype === "init") yield toResponseMetadata(message);
      yield* parts.add(message);
      if (parts.isComplete) break;
    }
    run.calls = [...parts.calls];
    isParked = true;
    hooks.park(step);
    yield toFinish(parts, { unified: "tool-calls", raw: "tool_use" }, {});
  } catch (error) {
    throw toCallError(call, error);
  } finally {
    if (!isParked) await cli.close();
  }
}

/** The AI SDK knows an abort by the signal's own reason. */
export const toCallError = ({ abortSignal }: LanguageModelV4CallOptions, error: unknown): unknown =>
  abortSignal?.aborted === true ? abortSignal.reason : error;

/** A message that was not streamed has no end of its own: it is over when the command line begins to call. */
async function nextOrCalled(run: LanguageRun, parts: StepParts): Promise<SdkMessage | undefined | "called"> {
  const pulled = (run.pulled ??= run.cli.next());
  // One that is left for the next step may fail before it is looked at.
  pulled.catch(() => {});
  const isOpenEnded = parts.calls.length > 0 && !parts.isStreaming;
  const first = isOpenEnded ? await Promise.race([pulled, whenCalled(run)]) : await pulled;
  if (first !== "called") run.pulled = undefined;
  return first;
}

async function whenCalled({ handed }: LanguageRun): Promise<"called"> {
  await handed.whenCalled();
  // The rest of the message may be behind the call, on its own way.
  return pause(settleMs, "called" as const, { ref: false });
}

function toResponseMetadata({ model, session_id }: SdkMessage): LanguageModelV4StreamPart {
  return {
    type: "response-metadata",
    timestamp: new Date(),
    ...(session_id !== undefined && { id: session_id }),
    ...(typeof model === "string" && { modelId: model }),
  };
}

async function* finishRun({ run, call }: StepRequest, parts: StepParts, hooks: StepHooks): AsyncGenerator<LanguageModelV4StreamPart> {
  const { record, schema } = run;
  const output = await readRunOutput(schema, record);
  const answer = schema === undefined ? parts.text || record.text() : JSON.stringify(output);
  if (parts.text === "" && answer !== "") {
    yield { type: "text-start", id: "answer" };
    yield { type: "text-delta", id: "answer", delta: answer };
    yield { type: "text-end", id: "answer" };
  }
  const metadata = record.metadata();
  // Not before everything is gone: a reader that sees the end may look for leftovers.
  await run.cli.close();
  hooks.onFinished(call.prompt, answer, metadata);
  const { usage: _, ...facts } = { ...metadata, runCostUsd: costWithoutPast(metadata.costUsd, run.pastCostUsd) };
  yield toFinish(parts, toFinishReason(metadata.stopReason), JSON.parse(JSON.stringify(facts)) as JSONObject);
}

/** A sum that is less than what there was before was counted from zero. */
const costWithoutPast = (costUsd: number, pastCostUsd: number): number => (costUsd < pastCostUsd ? costUsd : costUsd - pastCostUsd);

const toFinish = (parts: StepParts, finishReason: LanguageModelV4FinishReason, facts: JSONObject): LanguageModelV4StreamPart => ({
  type: "finish",
  usage: parts.usage,
  finishReason,
  providerMetadata: { "claude-code": facts },
});

function toFinishReason(raw: string | undefined): LanguageModelV4FinishReason {
  if (raw === "max_tokens") return { unified: "length", raw };
  if (raw === "refusal") return { unified: "content-filter", raw };
  return { unified: "stop", raw };
}

// --- the two forms that the AI SDK asks for

/** A reader that goes away before the end ends the run. What fails is the last part of the stream. */
export function toStepStream(
  parts: AsyncGenerator<LanguageModelV4StreamPart>,
  endRun: (reason: Error) => Promise<void>,
): ReadableStream<LanguageModelV4StreamPart> {
  return new ReadableStream<LanguageModelV4StreamPart>(
    {
      async pull(controller) {
        try {
          const { done, value } = await parts.next();
          if (done !== true) controller.enqueue(value);
          // Behind it, a run may wait for results; a reader that leaves now has seen the end.
          if (done === true || value.type === "finish") controller.close();
        } catch (error) {
          controller.enqueue({ type: "error", error });
          controller.close();
        }
      },
      async cancel() {
        await endRun(new CLIInterruptedError("the reader of the stream left"));
        await parts.return(undefined);
      },
    },
    // Nothing is asked for before it is read.
    { highWaterMark: 0 },
  );
}

export async function foldStep(
  parts: AsyncGenerator<LanguageModelV4StreamPart>,
  warnings: readonly SharedV4Warning[],
): Promise<LanguageModelV4GenerateResult> {
  const content: LanguageModelV4Content[] = [];
  const texts = new Map<string, { type: "text" | "reasoning"; text: string }>();
  let response: LanguageModelV4GenerateResult["response"];
  for await (const part of parts) {
    switch (part.type) {
      case "text-start":
      case "reasoning-start": {
        const block = { type: part.type === "text-start" ? ("text" as const) : ("reasoning" as const), text: "" };
        texts.set(part.id, block);
        content.push(block);
        break;
      }
      case "text-delta":
      case "reasoning-delta": {
        const block = texts.get(part.id);
        if (block) block.text += part.delta;
        break;
      }
      case "tool-call":
      case "tool-result":
        content.push(part);
        break;
      case "response-metadata":
        response = part;
        break;
      case "finish": {
        const { finishReason, usage, providerMetadata } = part;
        return {
          content,
          finishReason,
          usage,
          warnings: [...warnings],
          ...(providerMetadata && { providerMetadata }),
          ...(response && { response }),
        };
      }
      default:
    }
  }
  throw new CLIResponseParseError("the step ended without an end");
}
