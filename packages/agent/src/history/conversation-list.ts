// The list of a folder's conversations, those of other processes too. A file is read again only when its
// time or size has changed, a few files at a time, and a file that can't be read is reported once.

import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { describeThrown, type ConversationSummary } from "@hawser/wire";
import { isJournalName } from "./file-name.ts";
import { readSummary } from "./read-summary.ts";
import type { StoreLimits } from "./store-limits.ts";

export interface ConversationListOptions {
  readonly folder: string;
  readonly limits: StoreLimits;
  onNotice(message: string): void;
}

interface Known {
  readonly stamp: string;
  readonly summary: ConversationSummary | undefined;
}

interface Found {
  readonly name: string;
  readonly stamp: string;
  readonly mtimeMs: number;
}

const readers = 8;

/** Returns a function that lists them, the latest first. */
export function createConversationList(options: ConversationListOptions): () => Promise<ConversationSummary[]> {
  const { folder, limits, onNotice } = options;
  let known = new Map<string, Known>();
  /** Whether it was said already that older ones are left out. */
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

  return async function list() {
    const names = (await readdir(folder)).filter(isJournalName);
    const found = (await mapSome(names, look)).filter((file) => file !== undefined);
    found.sort((one, other) => other.mtimeMs - one.mtimeMs);
    const left = found.length - limits.listedConversationEntries;
    if (left > 0 && !isShortenedKnown) onNotice(`the ${left} oldest conversations were left out of the list`);
    isShortenedKnown = left > 0;
    const latest = found.slice(0, limits.listedConversationEntries);
    const entries = await mapSome(latest, async (file) => [file.name, await read(file)] as const);
    known = new Map(entries);
    return [...known.values()].flatMap(({ summary }) => summary ?? []).sort((one, other) => other.updatedAt - one.updatedAt);
  };
}

/** A few at a time, in order. */
async function mapSome<Item, Result>(items: readonly Item[], action: (item: Item) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  const rest = items.entries();
  const work = async (): Promise<void> => {
    for (const [index, item] of rest) results[index] = await action(item);
  };
  await Promise.all(Array.from({ length: readers }, work));
  return results;
}
