// What a turn says, and what a conversation has said, as session updates. Paths are made absolute, as editors want them.

import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import type { SessionUpdate, ToolCallContent, ToolCallLocation, ToolKind } from "@agentclientprotocol/sdk";
import { toolKindOf, toolNames } from "@hawser/agent/internal";
import type { TurnEvent } from "@hawser/agent/host/link";
import { cutText, isRecord, trustTool, type ConversationMessage, type MessagePart, type PlanData } from "@hawser/protocol/internal";
import { acpLimits } from "../limits.ts";

type UseData = Extract<TurnEvent, { type: "tool_use" }>["data"];
type ResultData = Extract<TurnEvent, { type: "tool_result" }>["data"];
type QuestionData = Extract<TurnEvent, { type: "permission_request" }>["data"];
type Diffs = NonNullable<ResultData["diffs"]>;

const text = (said: string) => ({ content: { type: "text" as const, text: said } });

/** Undefined for what ACP has no update for. */
export function toUpdate(event: TurnEvent, cwd: string): SessionUpdate | undefined {
  switch (event.type) {
    case "token":
      return { sessionUpdate: "agent_message_chunk", ...text(event.token) };
    case "reasoning":
      return { sessionUpdate: "agent_thought_chunk", ...text(event.data.text) };
    case "tool_use":
      return { sessionUpdate: "tool_call", ...toToolCall(event.data, cwd), status: "in_progress" };
    case "tool_result":
      return { sessionUpdate: "tool_call_update", ...toOutcome(event.data, cwd) };
    case "plan":
      return toPlan(event.data.entries);
    case "usage": {
      const { contextTokens: used, contextWindow: size, costUsd } = event.data;
      if (used === undefined || size === undefined) return undefined;
      return { sessionUpdate: "usage_update", used, size, ...(costUsd !== undefined && { cost: { amount: costUsd, currency: "USD" } }) };
    }
    default:
      return undefined;
  }
}

const toPlan = (entries: PlanData["entries"]): SessionUpdate => ({
  sessionUpdate: "plan",
  entries: entries.map((entry) => ({ ...entry, priority: "medium" })),
});

/** The updates that tell a message again, in order. */
export function* toReplay({ role, parts }: ConversationMessage, cwd: string): Generator<SessionUpdate> {
  const results = new Map(parts.flatMap((part) => (part.type === "tool_result" ? [[part.toolId, part] as const] : [])));
  for (const part of parts) {
    if (part.type === "tool_use") {
      const result = results.get(part.toolId);
      yield { sessionUpdate: "tool_call", ...toToolCall(part, cwd), ...(result ? toOutcome(result, cwd) : { status: "failed" }) };
    } else if (part.type === "steer") {
      yield { sessionUpdate: "user_message_chunk", ...text(part.message) };
    } else if (part.type === "reasoning") {
      yield { sessionUpdate: "agent_thought_chunk", ...text(part.text) };
    } else if (part.type === "plan") {
      yield toPlan(part.entries);
    } else if (part.type === "text" || part.type === "attachment") {
      yield { sessionUpdate: role === "user" ? "user_message_chunk" : "agent_message_chunk", ...text(toSaid(part)) };
    }
  }
}

const toSaid = (part: Extract<MessagePart, { type: "text" | "attachment" }>): string =>
  part.type === "text" ? part.text : `[attached: ${part.path}]`;

/** What is asked about, with the change that it would make. */
export function toAsked(data: QuestionData, cwd: string) {
  const { reason, diffs } = data;
  const shown = diffs ? toDiffs(diffs, cwd) : diffOf(data, cwd);
  const said = [...broughtBy(data), reason].map((line) => ({ type: "content" as const, ...text(line) }));
  return { ...toToolCall(data, cwd), content: [...shown, ...said] };
}

/** Most editors show no arguments, and trust is given to what a folder brings. Lines of a text are quoted: none is an entry of the list. */
const broughtBy = ({ toolName, input }: QuestionData): string[] =>
  toolName === trustTool && isRecord(input) && Array.isArray(input["brings"])
    ? [input["brings"].map((thing) => `- ${String(thing).replaceAll("\n", "\n  > ")}`).join("\n")]
    : [];

function toToolCall({ toolId, toolName, input, title, kind, locations }: UseData, cwd: string) {
  return {
    toolCallId: toolId,
    title: title ?? toTitle(toolName, input),
    name: toolName,
    kind: (kind as ToolKind | undefined) ?? toolKindOf(toolName),
    rawInput: input,
    locations: toLocations(locations ?? locationsOf(input), cwd),
  };
}

function toOutcome({ toolId, result, isError, error, diffs }: ResultData, cwd: string) {
  const said = isError ? (error ?? "failed") : typeof result === "string" ? result : JSON.stringify(result, undefined, 2);
  const content: ToolCallContent[] = [
    ...toDiffs(diffs ?? [], cwd),
    { type: "content", ...text(cutText(said ?? "", acpLimits.acpShownChars)) },
  ];
  return {
    toolCallId: toolId,
    status: isError ? ("failed" as const) : ("completed" as const),
    content,
    rawOutput: isError ? { error } : result,
  };
}

const titleChars = 200;

function toTitle(toolName: string, input: unknown): string {
  const { command, args, path, pattern } = isRecord(input) ? input : {};
  const words = typeof command === "string" ? [command, ...(Array.isArray(args) ? args.map(String) : [])] : [pattern, path];
  const about = words.filter((word) => typeof word === "string").join(" ");
  return cutText(about === "" ? toolName : `${toolName}: ${about}`, titleChars).replaceAll(/[\r\n]+/g, " ");
}

const locationsOf = (input: unknown): { path: string }[] =>
  isRecord(input) && typeof input["path"] === "string" ? [{ path: input["path"] }] : [];

const toLocations = (locations: NonNullable<UseData["locations"]>, cwd: string): ToolCallLocation[] =>
  locations.map(({ path, line }) => ({ path: resolve(cwd, path), ...(line !== undefined && { line }) }));

const toDiffs = (diffs: Diffs, cwd: string): ToolCallContent[] =>
  diffs.map(({ path, oldText, newText }) => ({ type: "diff", path: resolve(cwd, path), oldText: oldText ?? null, newText }));

/** What our own file tools would change: what is asked about can still be looked up. */
function diffOf({ toolName, input }: QuestionData, cwd: string): ToolCallContent[] {
  const { path, content, oldText, newText } = isRecord(input) ? input : {};
  if (typeof path !== "string") return [];
  const change = { type: "diff" as const, path: resolve(cwd, path) };
  if (toolName === toolNames.editFile && typeof oldText === "string" && typeof newText === "string")
    return [{ ...change, oldText, newText }];
  if (toolName !== toolNames.writeFile || typeof content !== "string") return [];
  return [{ ...change, oldText: readOld(change.path, cwd) ?? null, newText: content }];
}

/** Only a file inside of the session's folder: the question itself must not read elsewhere, nor wait for what a pipe gives. */
function readOld(path: string, cwd: string): string | undefined {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    if (!path.startsWith(`${cwd}/`) || !found?.isFile() || found.size > acpLimits.acpShownChars) return undefined;
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
