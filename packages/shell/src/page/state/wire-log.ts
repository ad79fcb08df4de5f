// The lines that passed, for the wire view: the latest ones, bounded in number and in size.

import { isRecord, limits } from "@hawser/wire";
import type { LineEvent } from "./page-event.ts";
import type { PageState, WireEntry, WireLog } from "./page-state.ts";

export function addWireEntry(state: PageState, event: LineEvent): PageState {
  const { entries, chars, dropped } = state.wire;
  const number = (entries.at(-1)?.number ?? dropped) + 1;
  const entry = toEntry(state, event, number);
  return { ...state, wire: bound({ entries: [...entries, entry], chars: chars + entry.chars, dropped }) };
}

export const clearWireLog = ({ entries, dropped }: WireLog): WireLog => ({
  entries: [],
  chars: 0,
  dropped: entries.at(-1)?.number ?? dropped,
});

function toEntry(state: PageState, { value, line, at, chars }: LineEvent, number: number): WireEntry {
  const record = isRecord(value) ? value : {};
  const name = record["kind"] ?? record["type"];
  const id = typeof record["id"] === "string" ? record["id"] : undefined;
  return {
    number,
    direction: line.direction,
    name: typeof name === "string" ? name : "(no message)",
    id,
    conversationId: conversationOf(state, record, id),
    at,
    chars,
    value,
  };
}

/** A response names its conversation by the request that it answers. */
function conversationOf(state: PageState, record: Readonly<Record<string, unknown>>, id: string | undefined): string | undefined {
  const { metadata, data, conversationId, target, permissionId } = record;
  for (const named of [conversationId, member(metadata, "conversationId"), member(data, "conversationId")])
    if (typeof named === "string") return named;
  if (typeof target === "string") return state.turns[target]?.conversationId;
  if (typeof permissionId === "string") return conversationOfPermission(state, permissionId);
  if (id === undefined) return undefined;
  const request = state.requests[id];
  return state.turns[id]?.conversationId ?? (request && conversationOf(state, request as unknown as Record<string, unknown>, undefined));
}

const member = (value: unknown, name: string): unknown => (isRecord(value) ? value[name] : undefined);

function conversationOfPermission({ threads }: PageState, permissionId: string): string | undefined {
  const holds = Object.values(threads).find(({ messages }) =>
    messages.at(-1)?.parts.some((part) => part.kind === "tool" && part.permission?.permissionId === permissionId),
  );
  return holds?.conversationId;
}

function bound({ entries, chars, dropped }: WireLog): WireLog {
  let first = 0;
  let left = chars;
  while (entries.length - first > limits.shellWireEntries || (left > limits.shellWireChars && first < entries.length - 1)) {
    left -= entries[first]?.chars ?? 0;
    first++;
  }
  return first === 0 ? { entries, chars, dropped } : { entries: entries.slice(first), chars: left, dropped: dropped + first };
}
