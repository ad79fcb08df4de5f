// A language model of the AI SDK as ours: one call per step, no tool run, no second loop. What fails before anything was
// delivered is tried again, and the waiting user is told; what fails later ends the step with one error. Pulled by the
// reader: a slow one slows the vendor's connection.

import { setTimeout as pause } from "node:timers/promises";
import { HawserError, toHawserError } from "@hawser/protocol";
import type { LanguageModel, ToolSet } from "ai";
import { createArgumentWatch } from "./exact-arguments.ts";
import { createRetries, describePause, toModelError, type ErrorOrigin, type RetryBounds } from "./model-error.ts";
import type { Model, ModelEvent, ModelStep, ModelTool } from "./model.ts";
import { toModelEvents, type EventContext } from "./to-model-events.ts";
import { toModelMessages, type ConversionOptions } from "./to-model-messages.ts";
import { createToolNames, createUniqueIds, type ToolNames } from "./vendor-names.ts";

/** A model itself, not the name of one that some other company would be asked for. */
export type AiSdkLanguageModel = Exclude<LanguageModel, string>;

export interface AiSdkModelOptions {
  /** Keys, which no error may show. */
  readonly secrets?: readonly string[];
  /** The variable that holds the key, for errors about it. */
  readonly keyName?: string | undefined;
  readonly retries?: RetryBounds;
  /** False for one that takes text only as the result of a tool. */
  readonly takesToolImages?: boolean;
  /** It remembers the conversation by itself. */
  readonly ownsContext?: boolean | undefined;
  /** As `Model` has it. */
  readonly takesSteers?: boolean;
}

export function createAiSdkModel(name: string, languageModel: AiSdkLanguageModel, options: AiSdkModelOptions = {}): Model {
  const { secrets = [], keyName, takesToolImages = true, takesSteers } = options;
  const origin: ErrorOrigin = { name, secrets, keyName };

  async function* stream(step: ModelStep): AsyncGenerator<ModelEvent> {
    const retries = createRetries(options.retries);
    for (;;) {
      let isDelivered = false;
      try {
        for await (const event of callOnce(languageModel, step, { origin, takesToolImages })) {
          isDelivered ||= event.type !== "tool_input";
          yield event;
        }
        if (step.signal.aborted) throw cancelled(step.signal);
        return;
      } catch (thrown) {
        if (step.signal.aborted) throw cancelled(step.signal);
        const error = toModelError(thrown, origin);
        const ms = isDelivered ? undefined : retries.next(error);
        if (ms === undefined) throw error;
        yield { type: "notice", message: `${name}: ${String(error.facts["summary"])}; trying again in ${describePause(ms)}` };
        await pause(ms, undefined, { signal: step.signal }).catch(() => undefined);
        if (step.signal.aborted) throw cancelled(step.signal);
      }
    }
  }

  return { name, takesSteers, stream, ...(options.ownsContext && { ownsContext: true, takesEffort: false }) };
}

type CallOptions = Pick<EventContext, "origin"> & Pick<ConversionOptions, "takesToolImages">;

async function* callOnce(model: AiSdkLanguageModel, step: ModelStep, { origin, takesToolImages }: CallOptions): AsyncGenerator<ModelEvent> {
  // Ends a request that its reader leaves. One that has ended by itself is let be: a model that hands out calls of tools
  // may wait for their results, and has the signal of the step until then.
  const left = new AbortController();
  let isComplete = false;
  try {
    // The package would print its warnings; what it prints to is not ours.
    Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });
    const { experimental_streamLanguageModelCall: streamCall, jsonSchema, wrapLanguageModel } = await import("ai");
    const names = createToolNames(step.tools);
    const { middleware, inexact } = createArgumentWatch();
    const { stream } = await streamCall({
      // Without tools there are no calls to look at.
      model:
        step.tools.length > 0 ? wrapLanguageModel({ model: model as Parameters<typeof wrapLanguageModel>[0]["model"], middleware }) : model,
      ...(step.instructions.trim() !== "" && { instructions: step.instructions }),
      messages: toModelMessages(step, { names, takesToolImages }),
      ...(step.tools.length > 0 && { tools: toToolSet(step.tools, names, jsonSchema) }),
      ...(step.effort !== undefined && { reasoning: step.effort }),
      abortSignal: AbortSignal.any([step.signal, left.signal]),
      // Nothing of a conversation is left with the vendor.
      providerOptions: { openai: { store: false } },
      _internal: { collectContent: false },
    });
    yield* toModelEvents(stream, { origin, names, inexact, uniqueId: idsBeside(step) });
    isComplete = true;
  } finally {
    if (!isComplete) left.abort();
  }
}

function toToolSet(tools: readonly ModelTool[], names: ToolNames, jsonSchema: typeof import("ai").jsonSchema): ToolSet {
  return Object.fromEntries(
    tools.map(({ name, description, inputSchema }) => [
      names.toVendor(name),
      { description, inputSchema: jsonSchema({ type: "object", ...inputSchema }) },
    ]),
  );
}

/** Ids for new calls, apart from those that the conversation has already. */
function idsBeside({ messages }: ModelStep): (wanted: string) => string {
  const uniqueId = createUniqueIds();
  for (const { parts } of messages) for (const part of parts) if (part.type === "tool_use") uniqueId(part.toolId);
  return uniqueId;
}

const cancelled = ({ reason }: AbortSignal): HawserError =>
  HawserError.isInstance(reason) ? reason : new HawserError("cancelled", toHawserError(reason).message || "the step was cancelled");
