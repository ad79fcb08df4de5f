// An answer of the offline model is a generator: it says paragraphs, asks for tools, and goes on with what
// they return. It keeps nothing between steps; offline-model.ts runs it again from the start with the
// results that the conversation holds.

import { cutText, isRecord, joinTexts, type ConversationMessage } from "@hawser/protocol/internal";
import { agentLimits } from "../limits.ts";
import type { AttachedContent, ModelTool } from "../model/model.ts";
import type { OfflineRequest } from "./parse-request.ts";
import { describeContent, isMcpResult } from "../tool-value.ts";
import { toolNames } from "../tools/tool-table.ts";

export type Move =
  | { readonly type: "say"; readonly text: string }
  | { readonly type: "call"; readonly toolName: string; readonly input: Readonly<Record<string, unknown>> };

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

/** How each kind of request is answered. */
export type Answers = Partial<Record<OfflineRequest["kind"], (request: OfflineRequest, scene: Scene) => Answer>>;

export function* say(text: string): Answer {
  yield { type: "say", text };
}

/** Calls a tool that is offered; says so when it is not, or has failed. */
export function* callTool(scene: Scene, toolName: string, input: Readonly<Record<string, unknown>>, intent: string): Answer<Outcome> {
  if (!scene.tools.some(({ name }) => name === toolName)) {
    const how = toolName === toolNames.runCommand ? " Start me with `--allow-command <program>` for each program that I may run." : "";
    yield* say(`${intent} needs the tool \`${toolName}\`, which I am not offered here.${how}`);
    return { ok: false, error: "not offered" };
  }
  yield* say(`${intent}.`);
  const outcome = (yield { type: "call", toolName, input }) ?? { ok: false, error: "it has no result" };
  if (!outcome.ok) yield* say(`That did not work. \`${toolName}\`: ${shorten(outcome.error, 2_000)}`);
  return outcome;
}

/** The tool that is meant by this name: letter for letter, without case, or without what stands before it. */
export function findTool(scene: Scene, wanted: string): ModelTool | undefined {
  const lower = wanted.toLowerCase();
  const endings = scene.tools.filter(({ name }) => name.toLowerCase().endsWith(`_${lower}`));
  return (
    scene.tools.find(({ name }) => name === wanted) ??
    scene.tools.find(({ name }) => name.toLowerCase() === lower) ??
    (endings.length === 1 ? endings[0] : undefined)
  );
}

export const textOfMessage = ({ parts }: ConversationMessage): string =>
  joinTexts(parts.map((part) => (part.type === "text" ? part.text : undefined)));

/** The beginning of a text, with a note about the rest. */
export function shorten(text: string, maxChars: number = agentLimits.offlineRepeatChars): string {
  const shown = cutText(text, maxChars, "").toWellFormed();
  return shown.length < text.length ? `${shown}… (${text.length - shown.length} more characters)` : shown;
}

/** A short text in one line. */
export const quote = (text: string, maxChars = 120): string =>
  `“${shorten(text.slice(0, 10_000).replaceAll(/\s+/g, " ").trim(), maxChars)}”`;

/** As a block of its own; its fence is longer than any that the text holds. */
export function toBlock(text: string): string {
  const shown = shorten(text.endsWith("\n") ? text.slice(0, -1) : text);
  const longest = (shown.match(/`{3,}/g) ?? []).reduce((max, fence) => Math.max(max, fence.length), 2);
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${shown}\n${fence}`;
}

/** One line each, with a note about those that are left out. */
export function toList(lines: readonly string[]): string {
  const shown = lines.slice(0, agentLimits.offlineListEntries).map((line) => `- ${shorten(line.replaceAll("\n", " "), 400)}`);
  const left = lines.length - shown.length;
  return [...shown, ...(left > 0 ? [`- … and ${left} more`] : [])].join("\n");
}

/** Any result of a tool: text as it is, anything else as JSON. */
export function showResult(result: unknown): string {
  if (typeof result === "string") return toBlock(result);
  if (isMcpResult(result)) return toBlock(describeContent(result));
  return toBlock(JSON.stringify(result, null, 2) ?? "null");
}

/** The first list that a result has: itself, or one of these members. */
export function listIn(result: unknown, ...names: readonly string[]): readonly unknown[] | undefined {
  if (Array.isArray(result)) return result as readonly unknown[];
  if (!isRecord(result)) return undefined;
  const name = names.find((candidate) => Array.isArray(result[candidate]));
  return name === undefined ? undefined : (result[name] as readonly unknown[]);
}

/** The first text that a result has: itself, or one of these members. */
export function textIn(result: unknown, ...names: readonly string[]): string | undefined {
  if (typeof result === "string") return result;
  if (!isRecord(result)) return undefined;
  const name = names.find((candidate) => typeof result[candidate] === "string");
  return name === undefined ? undefined : (result[name] as string);
}

export const countOf = (count: number, singular: string, plural = `${singular}s`): string => `${count} ${count === 1 ? singular : plural}`;
