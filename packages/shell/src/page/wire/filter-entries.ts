// Which lines the wire view shows, and how they leave it as a file.

import { toJsonText } from "@hawser/wire";
import type { WireEntry } from "../state/page-state.ts";

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

/** One line per message, as it was on the wire, with when and which way it went. */
export function toNdjson(entries: readonly WireEntry[]): string {
  return entries.map(({ at, direction, value }) => `${toJsonText({ at, direction, message: value })}\n`).join("");
}
