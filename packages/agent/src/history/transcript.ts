// What a conversation is after a sequence of records. The same function applies a record that is being
// written and one that is read again, so that what is loaded is what was there.

import { agentLimits } from "../limits.ts";
import { HawserError, type ConversationMessage, type MessagePart } from "@hawser/protocol";
import { weighMembers } from "@hawser/wire/internal";
import { toShownId } from "./conversation-files.ts";
import { dropSteers, holdSteer, type HeldSteer } from "./held-steers.ts";
import {
  toRecordLine,
  toRecordText,
  type AgentSession,
  type HistorySummary,
  type JournalRecord,
  type Summary,
  type Used,
} from "./record.ts";
import type { StoreLimits } from "./conversation-store.ts";

/** Never changed once it is in a list: readers of an earlier list keep what they have. */
export interface Entry {
  readonly message: ConversationMessage;
  readonly isComplete: boolean;
  /** What it takes in memory, about. */
  readonly bytes: number;
}

/** Also its weight. */
type HeldSummary = HistorySummary & { readonly bytes: number };

export interface Transcript {
  entries: Entry[];
  /** In the order in which they were made; each stands for what the one before stood for, and more. */
  summaries: readonly HeldSummary[];
  /** By all turns, also those whose messages are gone. */
  used: Used;
  /** What the model has not seen yet, in the order in which it was said. */
  steers: readonly HeldSteer[];
  /** Given by a user, or suggested by an agent; empty when none was. */
  title: string;
  /** In which it works; empty for those of the runtime. */
  folders: readonly string[];
  isTitleSuggested: boolean;
  agentSession: AgentSession | undefined;
  bytes: number;
  updatedAt: number;
}

export const nothingUsed: Used = { tokens: 0, usd: 0, ms: 0 };

// A message of one word is still some objects.
const entryBytes = 512;

export const createTranscript = (): Transcript => ({
  entries: [],
  summaries: [],
  used: nothingUsed,
  steers: [],
  title: "",
  isTitleSuggested: false,
  folders: [],
  agentSession: undefined,
  bytes: 0,
  updatedAt: 0,
});

export const copyTranscript = (transcript: Transcript): Transcript => ({ ...transcript, entries: [...transcript.entries] });

/** What a record adds to a transcript. Several records weigh at least as much as one that stands for all of them. */
export const weighRecord = (recordText: string): number => weighMembers(recordText) + Buffer.byteLength(recordText) + entryBytes;

/** Throws `usage` when the record does not fit what is there; the transcript is then unchanged. */
export function applyRecord(transcript: Transcript, record: JournalRecord, bytes: number): void {
  const { entries } = transcript;
  switch (record.type) {
    case "message": {
      const { message, isComplete = false } = record;
      entries.push({ message, isComplete: isComplete || message.role === "user" || message.interrupted !== undefined, bytes });
      transcript.bytes += bytes;
      dropSteers(transcript, (steerId) => message.role === "user" && message.requestId === steerId);
      return;
    }
    case "parts":
      return addParts(transcript, record, bytes);
    case "finish": {
      const last = openAnswer(transcript, record.messageId);
      const { interrupted } = record;
      entries[entries.length - 1] = {
        ...last,
        message: interrupted === undefined ? last.message : { ...last.message, interrupted },
        isComplete: true,
      };
      transcript.used = addUsed(transcript.used, record.used);
      return;
    }
    case "title":
      transcript.title = record.title;
      transcript.isTitleSuggested = record.isSuggested === true;
      return;
    case "agent":
      transcript.agentSession = { agent: record.agent, sessionId: record.sessionId, through: record.through };
      return;
    case "folders":
      transcript.folders = record.folders;
      return;
    case "summary": {
      const { type: _, ...summary } = record;
      transcript.summaries = [...transcript.summaries, { ...summary, bytes }];
      transcript.bytes += bytes;
      return;
    }
    case "used":
      transcript.used = addUsed(transcript.used, record);
      return;
    case "steer":
      return holdSteer(transcript, record, bytes);
    case "withdraw":
      return dropSteers(transcript, (steerId) => steerId === record.steerId);
    case "truncate":
      return keepFirst(transcript, record.after === null ? 0 : indexOf(transcript, record.after) + 1);
    case "clear":
      transcript.used = nothingUsed;
      dropSteers(transcript, () => true);
      return keepFirst(transcript, 0);
    // About who writes, not about what was said.
    case "claim":
    case "call":
  }
}

function addParts(transcript: Transcript, { messageId, parts, used }: Extract<JournalRecord, { type: "parts" }>, bytes: number): void {
  const last = openAnswer(transcript, messageId);
  const message = { ...last.message, parts: joinParts(last.message.parts, parts) };
  transcript.entries[transcript.entries.length - 1] = { message, isComplete: false, bytes: last.bytes + bytes };
  transcript.bytes += bytes;
  dropSteers(transcript, (steerId) => parts.some((part) => part.type === "steer" && part.steerId === steerId));
  transcript.used = addUsed(transcript.used, used);
}

const addUsed = (one: Used, other: Used = nothingUsed): Used => ({
  tokens: one.tokens + other.tokens,
  usd: one.usd + other.usd,
  ms: one.ms + other.ms,
});

/** A long text, said or thought, is written in pieces while it comes; it is one text. */
function joinParts(before: readonly MessagePart[], more: readonly MessagePart[]): MessagePart[] {
  const [first, ...rest] = more;
  const last = before.at(-1);
  if (last?.type === "text" && first?.type === "text")
    return [...before.slice(0, -1), { type: "text", text: last.text + first.text }, ...rest];
  if (last?.type === "reasoning" && first?.type === "reasoning")
    return [...before.slice(0, -1), { type: "reasoning", text: last.text + first.text }, ...rest];
  return [...before, ...more];
}

function openAnswer({ entries }: Transcript, messageId: string): Entry {
  const last = entries.at(-1);
  if (last?.message.messageId === messageId && !last.isComplete) return last;
  throw new HawserError("usage", `message ${toShownId(messageId)} is not an answer in the making`);
}

function indexOf({ entries }: Transcript, messageId: string): number {
  const index = entries.findLastIndex(({ message }) => message.messageId === messageId);
  if (index === -1) throw new HawserError("usage", `there is no message ${toShownId(messageId)} in this conversation`);
  return index;
}

function keepFirst(transcript: Transcript, count: number): void {
  const removed = transcript.entries.slice(count);
  const removedIds = new Set(removed.map(({ message }) => message.messageId));
  // One that stands for something that is gone tells of it. Of messages that were left out as too old it is all that there is.
  const told = transcript.summaries.filter(({ through }) => count === 0 || removedIds.has(through));
  for (const { bytes } of [...removed, ...told]) transcript.bytes -= bytes;
  transcript.summaries = transcript.summaries.filter((summary) => !told.includes(summary));
  transcript.entries.length = count;
  // Whatever it knows beyond them can't be taken back.
  if (transcript.entries.at(-1)?.message.messageId !== transcript.agentSession?.through) transcript.agentSession = undefined;
}

/** Drops the oldest messages until the rest fits and begins with a user's; the last one stays. Returns how many went. */
export function dropOldest(transcript: Transcript, maxBytes: number): number {
  const { entries } = transcript;
  let count = 0;
  let { bytes } = transcript;
  while (count < entries.length - 1 && (bytes > maxBytes || (count > 0 && entries[count]?.message.role !== "user"))) {
    bytes -= entries[count]?.bytes ?? 0;
    count++;
  }
  entries.splice(0, count);
  transcript.bytes = bytes;
  return count;
}

/** Closes what a killed process left open. The same journal always gives the same repair. */
export function repairTranscript(transcript: Transcript): void {
  transcript.entries = transcript.entries.map((entry) => {
    const message = repairAnswer(entry.message, entry.isComplete);
    return message === entry.message && entry.isComplete ? entry : { ...entry, message, isComplete: true };
  });
}

/** The message itself when nothing is missing; an answer without an end gets a reason for it. */
export function repairAnswer(message: ConversationMessage, isComplete: boolean): ConversationMessage {
  const parts = withAllResults(message.parts);
  const isEnded = isComplete || message.role === "user" || message.interrupted !== undefined;
  if (isEnded && parts.length === message.parts.length) return message;
  return { ...message, parts, ...(!isEnded && { interrupted: "the process ended before the answer did" }) };
}

/**
 * A use of a tool without a result gets one that says so, since no model's API takes a history without it. It goes to the end of its
 * step, where the others are: before the next thing that is said or done.
 */
function withAllResults(parts: readonly MessagePart[]): MessagePart[] {
  const results = Map.groupBy(
    parts.filter((part) => part.type === "tool_result"),
    ({ toolId }) => toolId,
  );
  const repaired: MessagePart[] = [];
  const missing: MessagePart[] = [];
  let hadResult = false;
  for (const part of parts) {
    const isResult = part.type === "tool_result";
    if (hadResult && !isResult) repaired.push(...missing.splice(0));
    hadResult = isResult;
    if (part.type === "tool_use" && !results.get(part.toolId)?.shift())
      missing.push(toLostResult(part, "the process ended before the tool did"));
    repaired.push(part);
  }
  return [...repaired, ...missing];
}

export const toLostResult = ({ toolId, toolName }: { readonly toolId: string; readonly toolName: string }, error: string): MessagePart => ({
  type: "tool_result",
  toolId,
  toolName,
  result: null,
  isError: true,
  error,
});

export function summaryOf({ entries, title, folders: [folder], updatedAt }: Transcript): Summary {
  return { title: title || titleOfFirst(entries), messages: entries.length, updatedAt, ...(folder !== undefined && { folder }) };
}

function titleOfFirst(entries: readonly Entry[]): string {
  const first = entries.find(({ message }) => message.role === "user")?.message.parts ?? [];
  for (const part of first) {
    const title = part.type === "text" ? toTitle(part.text) : part.type === "attachment" ? toTitle(part.path) : "";
    if (title !== "") return title;
  }
  return "";
}

// What would break the line, hide in it or turn its direction; but not what joins several signs to one picture.
const unprintable = /(?:(?!\u200d)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\s])+/gu;

/** One line, without control characters, cut at a whole character. */
export function toTitle(text: string): string {
  const { conversationTitleChars } = agentLimits;
  // A character that is removed or joined is at most two units long; a few times the length is enough to look at.
  const line = text
    .slice(0, conversationTitleChars * 16)
    .replaceAll(unprintable, " ")
    .trim();
  const characters = Array.from(line);
  if (characters.length <= conversationTitleChars) return line;
  return `${characters
    .slice(0, conversationTitleChars - 1)
    .join("")
    .trimEnd()}…`;
}

/** Whether a journal is worth being written again: most of it is about messages that are no longer there. */
export const isMuchLarger = (journalBytes: number, { bytes }: Transcript, { journalSlackBytes }: StoreLimits): boolean =>
  journalBytes > 2 * bytes + journalSlackBytes;

/** The shortest sequence of lines that gives this transcript. */
export function* toLines(transcript: Transcript): Generator<readonly string[]> {
  const { entries, summaries, used, steers, title, isTitleSuggested: isSuggested, folders, agentSession } = transcript;
  const summary = summaryOf(transcript);
  if (used.tokens > 0 || used.ms > 0) yield toRecordLine(toRecordText({ type: "used", ...used }), { ...summary, messages: 0 });
  if (folders.length > 0) yield toRecordLine(toRecordText({ type: "folders", folders }), { ...summary, messages: 0 });
  if (title !== "")
    yield toRecordLine(toRecordText({ type: "title", title, ...(isSuggested && { isSuggested }) }), { ...summary, messages: 0 });
  for (const [index, { message, isComplete }] of entries.entries()) {
    const text = toRecordText({ type: "message", message, ...(isComplete && { isComplete }) });
    yield toRecordLine(text, { ...summary, messages: index + 1 });
  }
  for (const { bytes: _, ...each } of summaries) yield toRecordLine(toRecordText({ type: "summary", ...each }), summary);
  if (agentSession) yield toRecordLine(toRecordText({ type: "agent", ...agentSession }), summary);
  for (const { steerId, target, message } of steers) yield toRecordLine(toRecordText({ type: "steer", steerId, target, message }), summary);
}
