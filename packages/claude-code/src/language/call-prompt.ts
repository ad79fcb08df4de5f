// A call of the AI SDK, taken apart: instructions, what was said before, what the user says now, and the
// results of tools if the prompt ends with them. Images, documents and texts go as blocks of the Messages
// API; what the command line can't take is described, and the caller is warned, as of settings that it can't follow.

import type {
  LanguageModelV4CallOptions,
  LanguageModelV4FilePart,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4ToolResultOutput,
  SharedV4Warning,
} from "@ai-sdk/provider";
import { conversationBlocks, joinInstructions, textBlock, type PreparedPrompt, type Utterance } from "../prompt.ts";

/** Results that the prompt ends with, by the id of their call. */
export function finalResults(prompt: LanguageModelV4Prompt): ReadonlyMap<string, LanguageModelV4ToolResultOutput> {
  const last = prompt.at(-1);
  const results = last?.role === "tool" ? last.content.filter((part) => part.type === "tool-result") : [];
  return new Map(results.map(({ toolCallId, output }) => [toolCallId, output]));
}

/** Calls anywhere in it. */
export function callIdsIn(prompt: LanguageModelV4Prompt): Set<string> {
  const parts = prompt.flatMap(({ role, content }) => (role === "assistant" ? content : []));
  return new Set(parts.flatMap((part) => (part.type === "tool-call" ? [part.toolCallId] : [])));
}

/** With `isResumed`, the session knows what was said before: only what is new is said. What can't be said is added to the warnings. */
export function prepareCallPrompt(prompt: LanguageModelV4Prompt, isResumed: boolean, warnings: SharedV4Warning[]): PreparedPrompt {
  const { system, earlier, now } = splitPrompt(prompt);
  const blocks = now.flatMap((message) => userBlocks(message, warnings));
  const before = isResumed ? [] : conversationBlocks(earlier.flatMap((message) => toUtterances(message)));
  return { system, blocks: [...before, ...(blocks.length > 0 ? blocks : [textBlock("Go on.")])] };
}

/** `now` holds the user's messages at the end. */
export function splitPrompt(prompt: LanguageModelV4Prompt): {
  readonly system: string | undefined;
  readonly earlier: LanguageModelV4Prompt;
  readonly now: LanguageModelV4Prompt;
} {
  const system = prompt.flatMap(({ role, content }) => (role === "system" ? [content as string] : []));
  const said = prompt.filter(({ role }) => role !== "system");
  const start = said.findLastIndex(({ role }) => role !== "user") + 1;
  return { system: joinInstructions(...system), earlier: said.slice(0, start), now: said.slice(start) };
}

function userBlocks(message: LanguageModelV4Message, warnings: SharedV4Warning[]): object[] {
  if (message.role !== "user") return [];
  return message.content.map((part) => (part.type === "text" ? textBlock(part.text) : fileBlock(part, warnings)));
}

function fileBlock(part: LanguageModelV4FilePart, warnings: SharedV4Warning[]): object {
  const { data, mediaType, filename = "a file" } = part;
  if (data.type === "text") return textBlock(`[${filename}, ${mediaType}:]\n${data.text}`);
  const kind = mediaType.startsWith("image/") ? "image" : mediaType === "application/pdf" ? "document" : undefined;
  if (data.type === "data" && kind !== undefined)
    return { type: kind, source: { type: "base64", media_type: mediaType, data: toBase64(data.data) } };
  if (data.type === "data" && mediaType.startsWith("text/")) return textBlock(`[${filename}, ${mediaType}:]\n${toText(data.data)}`);
  warnings.push({ type: "unsupported", feature: `file of type ${mediaType}`, details: `${filename} was left out` });
  return textBlock(`[${filename}, ${mediaType}, can't be shown]`);
}

export const toBase64 = (data: Uint8Array | string): string => (typeof data === "string" ? data : Buffer.from(data).toString("base64"));
const toText = (data: Uint8Array | string): string => Buffer.from(toBase64(data), "base64").toString("utf8");

function toUtterances(message: LanguageModelV4Message): Utterance[] {
  if (message.role === "system") return [];
  if (message.role === "user") {
    const texts = message.content.map((part) => (part.type === "text" ? part.text : `[${part.filename ?? part.mediaType}]`));
    return [{ speaker: "user", text: texts.join("\n") }];
  }
  return message.content.flatMap((part): Utterance[] => {
    if (part.type === "text") return [{ speaker: "assistant", text: part.text }];
    if (part.type === "tool-call") return [{ speaker: `assistant called ${part.toolName}`, text: JSON.stringify(part.input) }];
    return part.type === "tool-result" ? [{ speaker: `result of ${part.toolName}`, text: describeOutput(part.output) }] : [];
  });
}

function describeOutput(output: LanguageModelV4ToolResultOutput): string {
  if (output.type === "execution-denied") return `denied: ${output.reason ?? "no reason given"}`;
  if (output.type === "content") return output.value.map((part) => (part.type === "text" ? part.text : `[${part.type}]`)).join("\n");
  return typeof output.value === "string" ? output.value : JSON.stringify(output.value);
}

const unsupported = [
  "maxOutputTokens",
  "temperature",
  "topP",
  "topK",
  "presencePenalty",
  "frequencyPenalty",
  "stopSequences",
  "seed",
] as const satisfies readonly (keyof LanguageModelV4CallOptions)[];

/** Settings that the command line can't follow are warnings and not errors, since the AI SDK hands the same settings to every model. */
export function warningsFor(options: LanguageModelV4CallOptions): SharedV4Warning[] {
  const warnings: SharedV4Warning[] = unsupported
    .filter((feature) => options[feature] !== undefined)
    .map((feature) => ({ type: "unsupported", feature, details: "Claude Code decides it" }));
  const { toolChoice, tools = [], responseFormat } = options;
  if (toolChoice?.type === "required" || toolChoice?.type === "tool")
    warnings.push({ type: "unsupported", feature: "toolChoice", details: "the model is free to call a tool or not" });
  for (const tool of tools)
    if (tool.type !== "function") warnings.push({ type: "unsupported", feature: `tool ${tool.id}`, details: "tools of other providers" });
  if (responseFormat?.type === "json" && !responseFormat.schema)
    warnings.push({ type: "compatibility", feature: "responseFormat", details: "JSON without a schema is asked for in words" });
  return warnings;
}
