// Values as the offline model repeats them in an answer: within bounds, and never half a character.

import { cutText, isRecord, limits } from "@hawser/wire";
import { describeContent, isMcpResult } from "../mcp-result.ts";

/** The beginning of a text, with a note about the rest. */
export function shorten(text: string, maxChars: number = limits.offlineRepeatChars): string {
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
  const shown = lines.slice(0, limits.offlineListEntries).map((line) => `- ${shorten(line.replaceAll("\n", " "), 400)}`);
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
