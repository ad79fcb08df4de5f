// The lines of a journal: a header with the version of the format, then one record for each change, all of them JSON.
// A record ends with a summary of the conversation after it, so that a list needs only the end of each file. A line
// that doesn't have the shape of a record is read as undefined, never as half a message.

import {
  describeThrown,
  HawserError,
  isRecord,
  type ConversationMessage,
  type ConversationSummary,
  type MessagePart,
} from "@hawser/protocol/internal";

const FORMAT = "hawser-conversation";
/** Raise it when an older Hawser would misread what is written, and record a journal of the new version for the tests. */
const VERSION = 3;

export type JournalRecord =
  /** `isComplete` is for an answer that is written once it is finished. */
  | { readonly type: "message"; readonly message: ConversationMessage; readonly isComplete?: boolean }
  | { readonly type: "parts"; readonly messageId: string; readonly parts: readonly MessagePart[]; readonly used?: Used | undefined }
  | { readonly type: "finish"; readonly messageId: string; readonly interrupted?: string | undefined; readonly used?: Used | undefined }
  /** `isSuggested`: by the agent, so that one of the user stays. */
  | { readonly type: "title"; readonly title: string; readonly isSuggested?: boolean }
  /** Since version 2. */
  | ({ readonly type: "agent" } & AgentSession)
  /** Since version 2. */
  | { readonly type: "folders"; readonly folders: readonly string[] }
  /** Since version 3. */
  | ({ readonly type: "summary" } & HistorySummary)
  /** What the turns of a journal that was written again have used. Since version 3. */
  | ({ readonly type: "used" } & Used)
  /** What the model has not seen yet; one with a known id takes the place of that one. Since version 3. */
  | ({ readonly type: "steer" } & Steer)
  /** Since version 3. */
  | { readonly type: "withdraw"; readonly steerId: string }
  | { readonly type: "truncate"; readonly after: string | null }
  | { readonly type: "clear" }
  /** Only in a log that machines share: from here on it belongs to this one. */
  | { readonly type: "claim"; readonly by: string }
  /** Only in a log that machines share: this tool is about to run, so it never runs again. */
  | { readonly type: "call"; readonly toolId: string };

/** The session in which an agent with a memory of its own holds this conversation. Since version 2. */
export interface AgentSession {
  /** As models are named: `acp/codex`. */
  readonly agent: string;
  readonly sessionId: string;
  /** The last message that it knows. When another one is the last of the conversation, the two differ. */
  readonly through: string;
}

/** Stands for the beginning of a conversation in a model's context; the messages themselves stay. Since version 3. */
export interface HistorySummary {
  /** The last message that it stands for, together with all before it. */
  readonly through: string;
  /** How many parts of that message, where it was still being made; otherwise all. */
  readonly parts?: number | undefined;
  /** What the model is told instead. */
  readonly text: string;
  /** Whole messages that it stands for. */
  readonly messages: number;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  readonly timestamp: number;
}

/** What turns have used together. */
export interface Used {
  readonly tokens: number;
  readonly usd: number;
  readonly ms: number;
}

/**
 * What the user said to a turn, until the model sees it: then it is a part of the answer, or a message whose `requestId` is the
 * `steerId`. Since version 3.
 */
export interface Steer {
  readonly steerId: string;
  /** The request whose turn it was said to. */
  readonly target: string;
  readonly message: string;
}

/** What a list shows of a conversation. */
export type Summary = Omit<ConversationSummary, "conversationId">;

export type Header =
  /** One of an earlier version has to be written again before records that it does not know are added. */
  | { readonly kind: "known"; readonly conversationId: string; readonly version: number }
  /** Written by a newer Hawser; `problem` says what to do. Such a file is never changed. */
  | { readonly kind: "newer"; readonly problem: string }
  | { readonly kind: "none" };

/** The same id always gives the same bytes, so that a torn one is known for what it is. */
export const toHeaderLine = (conversationId: string, version = VERSION): string =>
  `${JSON.stringify({ format: FORMAT, version, conversationId })}\n`;

/** Also one of an earlier version. */
export function isTornHeader(bytes: Buffer, conversationId: string): boolean {
  const versions = Array.from({ length: VERSION }, (_, index) => index + 1);
  return versions.some((version) => Buffer.from(toHeaderLine(conversationId, version)).subarray(0, bytes.length).equals(bytes));
}

export function parseHeader(text: string): Header {
  const value = parseOrUndefined(text);
  if (!isRecord(value) || value["format"] !== FORMAT) return { kind: "none" };
  // A header without a version counts as the first one.
  const { version = 1, conversationId } = value;
  if (typeof version !== "number" || version > VERSION) {
    const written = `format ${JSON.stringify(version)}, and this version knows formats up to ${VERSION}`;
    return { kind: "newer", problem: `a newer version of Hawser wrote it (${written}); install a newer Hawser to open it` };
  }
  return typeof conversationId === "string" ? { kind: "known", conversationId, version } : { kind: "none" };
}

/** The record as JSON, still without its summary. */
export function toRecordText(record: JournalRecord): string {
  try {
    return JSON.stringify(record);
  } catch (cause) {
    throw new HawserError("not_serializable", `can't be kept in the history: ${describeThrown(cause)}`, { cause });
  }
}

/** The first version that knows such a record: an earlier one would take it for damage, so its journal is written again before. */
export function versionOf(record: JournalRecord): number {
  switch (record.type) {
    case "agent":
    case "folders":
      return 2;
    case "title":
      return record.isSuggested === true ? 2 : 1;
    case "summary":
    case "used":
    case "steer":
    case "withdraw":
      return 3;
    case "message":
      return versionOfParts(record.message.parts);
    case "parts":
      return versionOfParts(record.parts);
    default:
      return 1;
  }
}

const partsOfVersion3: ReadonlySet<string> = new Set(["steer", "reasoning", "plan"]);

const versionOfParts = (parts: readonly MessagePart[]): number => (parts.some(({ type }) => partsOfVersion3.has(type)) ? 3 : 1);

/** In two pieces: put together, a long one would be there twice. */
export const toRecordLine = (recordText: string, summary: Summary): readonly string[] => [
  recordText.slice(0, -1),
  `,"summary":${JSON.stringify(summary)}}\n`,
];

/** A line that was not written to its end begins like this, as far as it goes. */
export const recordBeginning = '{"type":"';

export const parseRecord = (text: string): JournalRecord | undefined => checkRecord(parseOrUndefined(text));

/**
 * What a later start will read of a record, which is what is kept in memory; undefined for what isn't a record. A copy, except for
 * texts: those are the same when they come back, and may be long.
 */
export function toKeptRecord(record: JournalRecord): JournalRecord | undefined {
  const checked = checkRecord(record);
  if (checked?.type === "parts") return { ...checked, parts: checked.parts.map(toKeptPart) };
  if (checked?.type !== "message") return checked;
  return { ...checked, message: { ...checked.message, parts: checked.message.parts.map(toKeptPart) } };
}

function toKeptPart(part: MessagePart): MessagePart {
  return part.type === "text" ? { type: "text", text: part.text } : (JSON.parse(JSON.stringify(part)) as MessagePart);
}

function checkRecord(value: unknown): JournalRecord | undefined {
  if (!isRecord(value)) return undefined;
  const { type, message, messageId, parts, interrupted, title, folders, after, isComplete, isSuggested } = value;
  const { agent, sessionId, through, steerId, target, by, toolId } = value;
  switch (type) {
    case "message":
      return isMessage(message) ? { type, message, ...(isComplete === true && { isComplete }) } : undefined;
    case "parts":
      if (typeof messageId !== "string" || !isListOfParts(parts)) return undefined;
      return { type, messageId, parts, ...(isUsed(value["used"]) && { used: value["used"] }) };
    case "finish":
      if (typeof messageId !== "string" || !isOptionalText(interrupted)) return undefined;
      return { type, messageId, ...(interrupted !== undefined && { interrupted }), ...(isUsed(value["used"]) && { used: value["used"] }) };
    case "title":
      return typeof title === "string" ? { type, title, ...(isSuggested === true && { isSuggested }) } : undefined;
    case "agent":
      if (typeof agent !== "string" || typeof sessionId !== "string" || typeof through !== "string") return undefined;
      return { type, agent, sessionId, through };
    case "folders":
      return isListOfTexts(folders) ? { type, folders } : undefined;
    case "summary":
      return checkSummary(value);
    case "used":
      return isUsed(value) ? { type, tokens: value.tokens, usd: value.usd, ms: value.ms } : undefined;
    case "steer":
      if (typeof steerId !== "string" || typeof target !== "string" || typeof message !== "string") return undefined;
      return { type, steerId, target, message };
    case "withdraw":
      return typeof steerId === "string" ? { type, steerId } : undefined;
    case "truncate":
      return typeof after === "string" || after === null ? { type, after } : undefined;
    case "clear":
      return { type };
    case "claim":
      return typeof by === "string" ? { type, by } : undefined;
    case "call":
      return typeof toolId === "string" ? { type, toolId } : undefined;
    default:
      return undefined;
  }
}

function checkSummary({ through, parts, text, ...rest }: Readonly<Record<string, unknown>>): JournalRecord | undefined {
  const { messages, tokensBefore, tokensAfter, timestamp } = rest;
  if (typeof through !== "string" || typeof text !== "string" || (parts !== undefined && !isCount(parts))) return undefined;
  if (!isCount(messages) || !isCount(tokensBefore) || !isCount(tokensAfter) || !isCount(timestamp)) return undefined;
  return { type: "summary", through, ...(parts !== undefined && { parts }), text, messages, tokensBefore, tokensAfter, timestamp };
}

const isCount = (value: unknown): value is number => typeof value === "number" && value >= 0;

const isUsed = (value: unknown): value is Used => isRecord(value) && [value["tokens"], value["usd"], value["ms"]].every(isCount);

// Inside of a string the quotes would be escaped, and in a nested value it would not be the last one.
const findSummary = (line: string): number => line.lastIndexOf(',"summary":{');

/** The text of a record as it was before its summary was added. */
export function withoutSummary(line: string): string {
  const at = findSummary(line);
  return at === -1 ? line : `${line.slice(0, at)}}`;
}

/** The summary at the end of a line, of which the beginning may be missing. */
export function parseSummary(lineEnd: string): Summary | undefined {
  const at = findSummary(lineEnd);
  const value = at === -1 ? undefined : parseOrUndefined(lineEnd.slice(at + ',"summary":'.length, -1));
  if (!isRecord(value)) return undefined;
  const { title, messages, updatedAt, folder } = value;
  if (typeof title !== "string" || typeof messages !== "number" || typeof updatedAt !== "number") return undefined;
  return { title, messages, updatedAt, ...(typeof folder === "string" && { folder }) };
}

function parseOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const isListOfTexts = (value: unknown): value is string[] => Array.isArray(value) && value.every((item) => typeof item === "string");

const isOptionalText = (value: unknown): value is string | undefined => value === undefined || typeof value === "string";

function isMessage(value: unknown): value is ConversationMessage {
  if (!isRecord(value) || !isListOfParts(value["parts"])) return false;
  const { messageId, role, timestamp, requestId, model, interrupted } = value;
  if (typeof messageId !== "string" || typeof timestamp !== "number" || (role !== "user" && role !== "assistant")) return false;
  return [requestId, model, interrupted].every(isOptionalText);
}

const isListOfParts = (value: unknown): value is MessagePart[] => Array.isArray(value) && value.every(isPart);

function isPart(value: unknown): value is MessagePart {
  if (!isRecord(value)) return false;
  const { type, text, path, mime, toolId, toolName, isError, error, entries, steerId, message } = value;
  switch (type) {
    case "text":
    case "reasoning":
      return typeof text === "string";
    case "plan":
      return Array.isArray(entries) && entries.every(isPlanEntry);
    case "attachment":
      return typeof path === "string" && typeof mime === "string";
    case "tool_use":
      return typeof toolId === "string" && typeof toolName === "string";
    case "tool_result":
      if (typeof toolId !== "string" || typeof toolName !== "string") return false;
      return (isError === undefined || typeof isError === "boolean") && isOptionalText(error);
    case "steer":
      return typeof steerId === "string" && typeof message === "string";
    default:
      return false;
  }
}

const isPlanEntry = (value: unknown): boolean =>
  isRecord(value) && typeof value["content"] === "string" && ["pending", "in_progress", "completed"].includes(value["status"] as string);
