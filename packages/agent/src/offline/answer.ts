// An answer of the offline model is a generator: it says paragraphs, asks for tools, and goes on with what
// they return. It keeps nothing between steps; offline-model.ts runs it again from the start with the
// results that the conversation holds.

import { isRecord, joinTexts, type ConversationMessage } from "@hawser/wire";
import type { AttachedContent, ModelTool } from "../model/model.ts";
import type { OfflineRequest } from "./parse-request.ts";
import { shorten } from "./show.ts";

export type Move =
  | { readonly type: "say"; readonly text: string }
  | { readonly type: "call"; readonly toolName: string; readonly input: Readonly<Record<string, unknown>> };

/** What became of a tool call. */
export type Outcome = { readonly ok: true; readonly result: unknown } | { readonly ok: false; readonly error: string };

export type Answer<Result = void> = Generator<Move, Result, Outcome | undefined>;

/** What an answer may look at. */
export interface Scene {
  readonly tools: readonly ModelTool[];
  /** The messages before the one that is answered. */
  readonly earlier: readonly ConversationMessage[];
  /** The requests of the same message that come before. */
  readonly before: readonly OfflineRequest[];
  readonly attachments: readonly (AttachedContent | { readonly path: string; readonly content?: undefined })[];
  /** Folders that were listed for an earlier request of the same message. */
  readonly listings: Map<string, readonly string[]>;
  readonly now: Date;
}

export function* say(text: string): Answer {
  yield { type: "say", text };
}

/** Calls a tool that is offered; says so when it is not, or has failed. */
export function* callTool(scene: Scene, toolName: string, input: Readonly<Record<string, unknown>>, intent: string): Answer<Outcome> {
  if (!scene.tools.some(({ name }) => name === toolName)) {
    const how = toolName === "run_command" ? " Start me with `--allow-command <program>` for each program that I may run." : "";
    yield* say(`${intent} needs the tool \`${toolName}\`, which I am not offered here.${how}`);
    return { ok: false, error: "not offered" };
  }
  yield* say(`${intent}.`);
  const outcome = (yield { type: "call", toolName, input }) ?? { ok: false, error: "it has no result" };
  if (!outcome.ok) yield* say(`That did not work. \`${toolName}\`: ${shorten(outcome.error, 2_000)}`);
  return outcome;
}

/** The tool that somebody means by this name: letter for letter, without case, or without what stands before it. */
export function findTool(scene: Scene, wanted: string): ModelTool | undefined {
  const lower = wanted.toLowerCase();
  const endings = scene.tools.filter(({ name }) => name.toLowerCase().endsWith(`_${lower}`));
  return (
    scene.tools.find(({ name }) => name === wanted) ??
    scene.tools.find(({ name }) => name.toLowerCase() === lower) ??
    (endings.length === 1 ? endings[0] : undefined)
  );
}

/** The properties that a tool takes, as far as its schema says. */
export const propertiesOf = ({ inputSchema }: ModelTool): readonly string[] =>
  isRecord(inputSchema["properties"]) ? Object.keys(inputSchema["properties"]) : [];

export const textOfMessage = ({ parts }: ConversationMessage): string =>
  joinTexts(parts.map((part) => (part.type === "text" ? part.text : undefined)));
