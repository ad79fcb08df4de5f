// What the tests of summaries share: a runtime with a scripted model that notes what it is told.

import type { AnyAgentResponse } from "@hawser/protocol";
import { createMemoryStore } from "../../src/history/memory-store.ts";
import { createContextWindows } from "../../src/model/context-windows.ts";
import type { Model, ModelEvent, ModelStep } from "../../src/model/model.ts";
import { openStage, say, saidBy, type Stage, type StageOptions } from "./stage.ts";

export const isSummary = (step: ModelStep): boolean => step.instructions.startsWith("You summarise");

export type Answer = (step: ModelStep, count: number) => Iterable<ModelEvent> | AsyncIterable<ModelEvent>;

export interface Rig extends Disposable {
  readonly stage: Stage;
  /** What the model was told, in order. */
  readonly steps: readonly ModelStep[];
}

interface RigOptions extends Partial<Omit<Model, "stream" | "name">>, Pick<StageOptions, "tools"> {
  readonly window?: number;
  readonly answer?: Answer;
}

export const plainAnswer: Answer = (step) => [{ type: "text", text: isSummary(step) ? "They met." : `You said: ${saidBy(step)}` }];

export function openRig({ window, answer = plainAnswer, tools = [], ...traits }: RigOptions = {}): Rig {
  const steps: ModelStep[] = [];
  const model: Model = {
    name: "scripted",
    ...traits,
    async *stream(step) {
      steps.push(step);
      yield* answer(step, steps.length);
    },
  };
  const windows = createContextWindows({ given: window });
  const models = { current: model.name, windows, pick: async () => model, list: async () => [] };
  const stage = openStage({ models, store: createMemoryStore(), tools });
  return { stage, steps, [Symbol.dispose]: () => stage.input.end() };
}

export async function turn(stage: Stage, id: string, message = `message ${id}`): Promise<AnyAgentResponse> {
  stage.send(say(id, message, "c"));
  return stage.endOf(id);
}

export async function compact(stage: Stage, id = "compact"): Promise<AnyAgentResponse> {
  stage.send({ id, kind: "compact_conversation", conversationId: "c" });
  return stage.endOf(id);
}

export async function load(stage: Stage, include?: readonly string[]) {
  const id = `load-${stage.responses.length}`;
  stage.send({ id, kind: "load_conversation", conversationId: "c", ...(include && { include }) });
  await stage.endOf(id);
  return stage.of(id).flatMap((response) => (response.type === "conversation" ? response.data.messages : []));
}

export const textsOf = (step: ModelStep | undefined): string[] =>
  step?.messages.flatMap(({ parts }) => parts.flatMap((part) => (part.type === "text" ? [part.text] : []))) ?? [];

export const ofType = <Type extends AnyAgentResponse["type"]>(stage: Stage, type: Type): Extract<AnyAgentResponse, { type: Type }>[] =>
  stage.responses.filter((response): response is Extract<AnyAgentResponse, { type: Type }> => response.type === type);
