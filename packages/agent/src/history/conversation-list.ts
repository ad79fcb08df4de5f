// The list of a folder's conversations, those of other processes too. Needs no lock and changes nothing. A file is read
// again only when it has changed, and from its two ends only, unless its last line is not whole.

import { lstat, readdir, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { describeThrown, type ConversationSummary } from "@hawser/protocol";
import { createSemaphore } from "@hawser/wire/internal";
import { agentLimits } from "../limits.ts";
import { isJournalName, openPrivateFile, type PrivateFile, toFileName, unusable } from "./conversation-files.ts";
import { loadJournal, toFileLines, type JournalSource } from "./load-journal.ts";
import { parseHeader, parseSummary, type Summary } from "./record.ts";
import type { ConversationStore, StoreLimits } from "./conversation-store.ts";
import { summaryOf } from "./transcript.ts";

export interface ConversationListOptions {
  readonly folder: string;
  readonly limits: StoreLimits;
  onNotice(message: string): void;
}

const filesAtOnce = 8;

interface Known {
  readonly stamp: string;
  readonly summary: ConversationSummary | undefined;
}

interface Found {
  readonly name: string;
  readonly stamp: string;
  readonly mtimeMs: number;
}

/** Answers as `ConversationStore` does. */
export function createConversationList({
  folder,
  limits,
  onNotice,
}: ConversationListOptions): Pick<ConversationStore, "list" | "lengthOf"> {
  const { listedConversationEntries } = limits;
  const readers = createSemaphore(filesAtOnce);
  let known = new Map<string, Known>();
  let isShortenedKnown = false;

  async function look(name: string): Promise<Found | undefined> {
    const found = await lstat(join(folder, name)).catch(() => undefined);
    return found && { name, stamp: `${found.ino} ${found.size} ${found.mtimeMs}`, mtimeMs: found.mtimeMs };
  }

  async function read({ name, stamp }: Found): Promise<Known> {
    const before = known.get(name);
    if (before?.stamp === stamp) return before;
    try {
      return { stamp, summary: await readSummary(join(folder, name), name, limits) };
    } catch (error) {
      onNotice(`a conversation was left out of the list: ${describeThrown(error)}`);
      return { stamp, summary: undefined };
    }
  }

  async function list(): Promise<ConversationSummary[]> {
    const names = (await readdir(folder)).filter(isJournalName);
    const found = (await Promise.all(names.map((name) => readers.run(() => look(name))))).filter((file) => file !== undefined);
    found.sort((one, other) => other.mtimeMs - one.mtimeMs);
    const left = found.length - listedConversationEntries;
    if (left > 0 && !isShortenedKnown) onNotice(`the ${left} oldest conversations were left out of the list`);
    isShortenedKnown = left > 0;
    const latest = found.slice(0, listedConversationEntries);
    const entries = await Promise.all(latest.map((file) => readers.run(async () => [file.name, await read(file)] as const)));
    known = new Map(entries);
    return [...known.values()].flatMap(({ summary }) => summary ?? []).sort((one, other) => other.updatedAt - one.updatedAt);
  }

  async function lengthOf(conversationId: string): Promise<number> {
    const found = await look(toFileName(conversationId));
    if (!found) return 0;
    const entry = await read(found);
    known.set(found.name, entry);
    return entry.summary?.messages ?? 0;
  }

  // A file that has to be read whole takes memory.
  const reading = createSemaphore(1);
  return { list: shareNext(list), lengthOf: (conversationId) => reading.run(() => lengthOf(conversationId)) };
}

/** However many ask at once, one runs. Those that ask meanwhile share the next one, which sees what was done until now. */
function shareNext<Result>(action: () => Promise<Result>): () => Promise<Result> {
  let running: Promise<Result> | undefined;
  let next: Promise<Result> | undefined;

  function run(): Promise<Result> {
    next = undefined;
    running = action().finally(() => (running = undefined));
    return running;
  }

  return () => (running ? (next ??= running.then(run, run)) : run());
}

// An id may be written with six characters for each of its own.
const headBytes = agentLimits.agentConversationIdChars * 6 + 256;
// The title with all of its escapes, the numbers, and a folder of usual length; then one of any length.
const tailBytes = agentLimits.conversationTitleChars * 12 + 512;
const longTailBytes = tailBytes + agentLimits.maxPathBytes * 6;

/**
 * From its two ends: the id is in the first line, the rest at the end of the last. Undefined when there is
 * nothing to show. Throws why it can't be read.
 */
async function readSummary(path: string, name: string, limits: StoreLimits): Promise<ConversationSummary | undefined> {
  const file = await openPrivateFile(path, "read");
  if (!file) return undefined;
  try {
    if (file.size === 0) return undefined;
    const conversationId = await readId(file.handle, path, name);
    const summary =
      (await readTail(file, tailBytes)) ??
      (await readTail(file, longTailBytes)) ??
      (await readWhole(file, { path, conversationId, limits }));
    return { conversationId, ...summary };
  } finally {
    await file.handle.close();
  }
}

/** The id in the first line. Throws where it is not that of a journal of this name. */
export async function readId(handle: FileHandle, path: string, name: string): Promise<string> {
  // Most ids are short, and there may be thousands of files.
  const head = (await readLine(handle, 512)) ?? (await readLine(handle, headBytes));
  const header = head === undefined ? undefined : parseHeader(head);
  if (header?.kind === "newer") throw unusable(path, header.problem);
  if (header?.kind !== "known" || toFileName(header.conversationId) !== name)
    throw unusable(path, "its first line is not the one of this conversation");
  return header.conversationId;
}

async function readLine(handle: FileHandle, maxBytes: number): Promise<string | undefined> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(maxBytes), 0, maxBytes, 0);
  const end = buffer.subarray(0, bytesRead).indexOf(0x0a);
  return end === -1 ? undefined : buffer.toString("utf8", 0, end);
}

async function readTail({ handle, size }: PrivateFile, maxBytes: number): Promise<Summary | undefined> {
  const length = Math.min(size, maxBytes);
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, size - length);
  const tail = buffer.toString("utf8", 0, bytesRead);
  if (!tail.endsWith("\n")) return undefined;
  return parseSummary(tail.slice(tail.lastIndexOf("\n", tail.length - 2) + 1, -1));
}

async function readWhole(file: PrivateFile, source: JournalSource): Promise<Summary> {
  const summary = summaryOf((await loadJournal(toFileLines(file), source)).transcript);
  return { ...summary, updatedAt: summary.updatedAt || Math.round(file.mtimeMs) };
}
