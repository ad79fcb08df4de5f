// What a list shows of a conversation's file, from its two ends: the id is in the first line, the rest at
// the end of the last. Only a file whose last line is not whole is read through. Needs no lock, changes nothing.

import type { FileHandle } from "node:fs/promises";
import { limits, type ConversationSummary } from "@hawser/wire";
import { isJournalName, toFileName } from "./file-name.ts";
import { loadJournal } from "./load-journal.ts";
import { openPrivateFile, unusable, type PrivateFile } from "./private-file.ts";
import { parseHeader, parseSummary } from "./record.ts";
import type { StoreLimits } from "./store-limits.ts";
import { summaryOf } from "./transcript.ts";

// An id may be written with six characters for each of its own.
const headBytes = limits.agentConversationIdChars * 6 + 256;
// The title with all of its escapes, and the numbers.
const tailBytes = limits.conversationTitleChars * 12 + 256;

/** Undefined when there is nothing to show. Throws why it can't be read. */
export async function readSummary(path: string, name: string, storeLimits: StoreLimits): Promise<ConversationSummary | undefined> {
  const file = await openPrivateFile(path, "read");
  if (!file) return undefined;
  try {
    if (file.size === 0) return undefined;
    const conversationId = await readId(file.handle, path, name);
    const summary = (await readTail(file)) ?? (await readWhole(file, path, conversationId, storeLimits));
    return { conversationId, ...summary };
  } finally {
    await file.handle.close();
  }
}

async function readId(handle: FileHandle, path: string, name: string): Promise<string> {
  // Most ids are short, and there may be thousands of files.
  const head = (await readLine(handle, 512)) ?? (await readLine(handle, headBytes));
  const header = head === undefined ? undefined : parseHeader(head);
  if (header?.kind === "newer") throw unusable(path, "a newer version of this program has written it");
  if (header?.kind !== "ours" || !isJournalName(name) || toFileName(header.conversationId) !== name)
    throw unusable(path, "its first line is not the one of this conversation");
  return header.conversationId;
}

async function readLine(handle: FileHandle, maxBytes: number): Promise<string | undefined> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(maxBytes), 0, maxBytes, 0);
  const end = buffer.subarray(0, bytesRead).indexOf(0x0a);
  return end === -1 ? undefined : buffer.toString("utf8", 0, end);
}

async function readTail({ handle, size }: PrivateFile): Promise<Omit<ConversationSummary, "conversationId"> | undefined> {
  const length = Math.min(size, tailBytes);
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, size - length);
  const tail = buffer.toString("utf8", 0, bytesRead);
  if (!tail.endsWith("\n")) return undefined;
  return parseSummary(tail.slice(tail.lastIndexOf("\n", tail.length - 2) + 1, -1));
}

async function readWhole(
  { handle, size, mtimeMs }: PrivateFile,
  path: string,
  conversationId: string,
  storeLimits: StoreLimits,
): Promise<Omit<ConversationSummary, "conversationId">> {
  const { transcript } = await loadJournal({ handle, size, path, conversationId }, storeLimits);
  const summary = summaryOf(transcript);
  return { ...summary, updatedAt: summary.updatedAt || Math.round(mtimeMs) };
}
