// The lines that passed, for the wire view: the latest ones, bounded in number and in size; which of them are shown, and
// how they leave as a file.

import { isRecord } from "@hawser/protocol/internal";
import { shellLimits } from "../../limits.ts";
import type { PageState, PassedLine, WireEntry, WireLog } from "./page-state.ts";
import { conversationOfPermission } from "./threads.ts";
import { toJsonText } from "@hawser/wire/internal";

export function addWireEntry(state: PageState, { direction, value, chars, at }: PassedLine): PageState {
  const { wire } = state;
  const record = isRecord(value) ? value : {};
  const name = record["kind"] ?? record["type"];
  const entry: WireEntry = {
    number: (wire.entries.at(-1)?.number ?? wire.dropped) + 1,
    direction,
    name: typeof name === "string" ? name : "(no message)",
    id: typeof record["id"] === "string" ? record["id"] : undefined,
    conversationId: conversationOf(state, record),
    at,
    chars,
    value,
  };
  return { ...state, wire: bound({ entries: [...wire.entries, entry], chars: wire.chars + chars, dropped: wire.dropped }) };
}

export const clearWireLog = ({ entries, dropped }: WireLog): WireLog => ({
  entries: [],
  chars: 0,
  dropped: entries.at(-1)?.number ?? dropped,
});

/** The one that a line names; otherwise that of the turn or the request that it belongs to. */
function conversationOf(state: PageState, record: Readonly<Record<string, unknown>>): string | undefined {
  const { id, metadata, data, conversationId, target, permissionId } = record;
  for (const named of [conversationId, member(metadata, "conversationId"), member(data, "conversationId")])
    if (typeof named === "string") return named;
  if (typeof target === "string") return state.turns[target]?.conversationId;
  if (typeof permissionId === "string") return conversationOfPermission(state, permissionId);
  if (typeof id !== "string") return undefined;
  return state.turns[id]?.conversationId ?? state.wire.entries.findLast((entry) => entry.id === id)?.conversationId;
}

const member = (value: unknown, name: string): unknown => (isRecord(value) ? value[name] : undefined);

function bound({ entries, chars, dropped }: WireLog): WireLog {
  let first = 0;
  let left = chars;
  while (entries.length - first > shellLimits.shellWireEntries || (left > shellLimits.shellWireChars && first < entries.length - 1)) {
    left -= entries[first]?.chars ?? 0;
    first++;
  }
  return first === 0 ? { entries, chars, dropped } : { entries: entries.slice(first), chars: left, dropped: dropped + first };
}

export interface WireFilter {
  /** Of all conversations when undefined. */
  readonly conversationId: string | undefined;
  /** Of every kind when empty. */
  readonly name: string;
  /** Anywhere in the line. */
  readonly text: string;
}

export function filterEntries(entries: readonly WireEntry[], { conversationId, name, text }: WireFilter): readonly WireEntry[] {
  const wanted = text.trim().toLowerCase();
  return entries.filter(
    (entry) =>
      // What belongs to no conversation belongs to all of them: greetings, lists, models.
      (conversationId === undefined || entry.conversationId === undefined || entry.conversationId === conversationId) &&
      (name === "" || entry.name === name) &&
      (wanted === "" || toJsonText(entry.value).toLowerCase().includes(wanted)),
  );
}

/** Messages that follow each other and belong together: the pieces of one answer are one row. */
export interface WireGroup {
  readonly first: WireEntry;
  readonly entries: readonly WireEntry[];
  readonly chars: number;
}

const pieces: readonly string[] = ["token", "reasoning"];

export function groupEntries(entries: readonly WireEntry[]): readonly WireGroup[] {
  const groups: { first: WireEntry; entries: WireEntry[]; chars: number }[] = [];
  for (const entry of entries) {
    const last = groups.at(-1);
    const isMore = last?.first.name === entry.name && last.first.id === entry.id && pieces.includes(entry.name);
    if (last && isMore) {
      last.entries.push(entry);
      last.chars += entry.chars;
    } else groups.push({ first: entry, entries: [entry], chars: entry.chars });
  }
  return groups;
}

/** What the pieces of a group say together, up to so many characters. */
export function textOfGroup({ entries }: WireGroup, maxChars: number): string {
  let text = "";
  for (const { value } of entries) {
    if (text.length >= maxChars) break;
    const piece = member(value, "token") ?? member(member(value, "data"), "text");
    if (typeof piece === "string") text += piece;
  }
  return text;
}

/** One line per message, as it was on the wire, with when and which way it went. */
export function toNdjson(entries: readonly WireEntry[]): string {
  return entries.map(({ at, direction, value }) => `${toJsonText({ at, direction, message: value })}\n`).join("");
}
