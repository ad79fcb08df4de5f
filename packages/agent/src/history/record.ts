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
const VERSION = 2;

export type JournalRecord =
  /** `isComplete` is for an answer that is written once it is finished. */
  | { readonly type: "message"; readonly message: ConversationMessage; readonly isComplete?: boolean }
  | { readonly type: "parts"; readonly messageId: string; readonly parts: readonly MessagePart[] }
  | { readonly type: "finish"; readonly messageId: string; readonly interrupted?: string | undefined }
  /** `isSuggested`: by the agent, so that one of the user stays. */
  | { readonly type: "title"; readonly title: string; readonly isSuggested?: boolean }
  /** Since version 2. */
  | ({ readonly type: "agent" } & AgentSession)
  /** Since version 2. */
  | { readonly type: "folders"; readonly folders: readonly string[] }
  | { readonly type: "truncate"; readonly after: string | null }
  | { readonly type: "clear" };

/** The session in which an agent with a memory of its own holds this conversation. Since version 2. */
export interface AgentSession {
  /** As models are named: `acp/codex`. */
  readonly agent: string;
  readonly sessionId: string;
  /** The last message that it knows. When another one is the last of the conversation, the two differ. */
  readonly through: string;
}

/** What a list shows of a conversation. */
export type Summary = Omit<ConversationSummary, "conversationId">;

export type Header =
  /** `isOld`: an earlier version's, which has to be written again before records of this one are added. */
  | { readonly kind: "known"; readonly conversationId: string; readonly isOld: boolean }
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
  return typeof conversationId === "string" ? { kind: "known", conversationId, isOld: version < VERSION } : { kind: "none" };
}

/** The record as JSON, still without its summary. */
export function toRecordText(record: JournalRecord): string {
  try {
    return JSON.stringify(record);
  } catch (cause) {
    throw new HawserError("not_serializable", `can't be kept in the history: ${describeThrown(cause)}`, { cause });
  }
}

/** Whether a journal of an earlier version has to be written again before it: that version would take it for damage. */
export const isOfThisVersion = (record: JournalRecord): boolean =>
  record.type === "agent" || record.type === "folders" || (record.type === "title" && record.isSuggested === true);

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
  const { type, message, messageId, parts, interrupted, title, folders, after, isComplete, isSuggested, agent, sessionId, through } = value;
  switch (type) {
    case "message":
      return isMessage(message) ? { type, message, ...(isComplete === true && { isComplete }) } : undefined;
    case "parts":
      return typeof messageId === "string" && isListOfParts(parts) ? { type, messageId, parts } : undefined;
    case "finish":
      if (typeof messageId !== "string" || !isOptionalText(interrupted)) return undefined;
      return { type, messageId, ...(interrupted !== undefined && { interrupted }) };
    case "title":
      return typeof title === "string" ? { type, title, ...(isSuggested === true && { isSuggested }) } : undefined;
    case "agent":
      if (typeof agent !== "string" || typeof sessionId !== "string" || typeof through !== "string") return undefined;
      return { type, agent, sessionId, through };
    case "folders":
      return isListOfTexts(folders) ? { type, folders } : undefined;
    case "truncate":
      return typeof after === "string" || after === null ? { type, after } : undefined;
    case "clear":
      return { type };
    default:
      return undefined;
  }
}

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
  const { type, text, path, mime, toolId, toolName, isError, error } = value;
  switch (type) {
    case "text":
      return typeof text === "string";
    case "attachment":
      return typeof path === "string" && typeof mime === "string";
    case "tool_use":
      return typeof toolId === "string" && typeof toolName === "string";
    case "tool_result":
      if (typeof toolId !== "string" || typeof toolName !== "string") return false;
      return (isError === undefined || typeof isError === "boolean") && isOptionalText(error);
    default:
      return false;
  }
}
