// A search over all journals of a folder, also those that other processes write. The index is brought up at each search: only what has
// changed is read, for a bounded time, and the rest goes on behind the answer. The journals stay the truth. Where their folder can't be
// written, the index is a temporary one, for this process.

import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { createSemaphore, isSettledWithin } from "@hawser/wire/internal";
import { createPrivateFolder, isUnwritable, type PrivateFolder } from "@hawser/wire/internal/node";
import { cutText, describeThrown, type ConversationMessage, type HawserError } from "@hawser/protocol/internal";
import { agentLimits } from "../limits.ts";
import { isJournalName, isMissing, openPrivateFile } from "./conversation-files.ts";
import { readId } from "./conversation-list.ts";
import type { SearchOutcome, StoreLimits } from "./conversation-store.ts";
import { loadJournal, toFileLines } from "./load-journal.ts";
import { openSearchDatabase, type SearchDatabase, type SearchedMessage } from "./search-database.ts";
import { textOfMessage, toWords } from "./search-words.ts";
import { summaryOf } from "./transcript.ts";

export interface SearchIndexOptions {
  readonly folder: string;
  readonly limits: StoreLimits;
  onNotice(message: string): void;
}

const indexName = "search-index.sqlite";
const filesAtOnce = 16;

export function createSearchIndex({ folder, limits, onNotice }: SearchIndexOptions) {
  const path = join(folder, indexName);
  const looks = createSemaphore(filesAtOnce);
  /** One reads and writes at a time. */
  const inTurn = createSemaphore(1);
  let database: SearchDatabase | undefined;
  let updating: Promise<void> | undefined;
  let pending = 0;
  let isClosed = false;

  let temporary: PrivateFolder | undefined;

  const opened = async (): Promise<SearchDatabase> => (database ??= await openSearchDatabase(path).catch(openElsewhere));

  function openElsewhere(error: HawserError): Promise<SearchDatabase> {
    if (!isUnwritable(error.cause)) throw error;
    temporary ??= createPrivateFolder("search");
    return openSearchDatabase(join(temporary.path, indexName));
  }

  async function look(name: string) {
    const found = await lstat(join(folder, name)).catch(() => undefined);
    return found && { name, stamp: `${found.ino} ${found.size} ${found.mtimeMs}`, mtimeMs: found.mtimeMs };
  }

  async function update(): Promise<void> {
    const index = await opened();
    const stamps = index.stamps();
    const names = (await readdir(folder)).filter(isJournalName);
    const found = (await Promise.all(names.map((name) => looks.run(() => look(name))))).filter((file) => file !== undefined);
    const present = new Set(names);
    const gone = [...stamps.keys()].filter((name) => !present.has(name));
    if (gone.length > 0) index.forget(gone);
    // The oldest first: what is written last is found first.
    const changed = found.filter(({ name, stamp }) => stamps.get(name) !== stamp).sort((one, other) => one.mtimeMs - other.mtimeMs);
    pending = changed.length;
    for (const file of changed) {
      if (isClosed) return;
      await readFile(index, file.name, file.stamp).catch((error: unknown) =>
        onNotice(`a conversation is left out of the search: ${describeThrown(error)}`),
      );
      pending--;
    }
  }

  async function readFile(index: SearchDatabase, name: string, stamp: string): Promise<void> {
    const filePath = join(folder, name);
    const file = await openPrivateFile(filePath, "read");
    if (!file) return;
    try {
      const conversationId = await readId(file.handle, filePath, name);
      const { transcript } = await loadJournal(toFileLines(file), { path: filePath, conversationId, limits });
      const { title } = summaryOf(transcript);
      index.put(
        { name, stamp, conversationId, title },
        transcript.entries.map(({ message }) => toSearched(message)),
      );
    } finally {
      await file.handle.close();
    }
  }

  return {
    async search(query: string, limit: number): Promise<SearchOutcome> {
      updating ??= inTurn.run(update).finally(() => (updating = undefined));
      await isSettledWithin(updating, agentLimits.searchUpdateMs);
      const words = toWords(query);
      const matches = words.length === 0 ? [] : (await opened()).find(words, limit);
      return { matches, pending };
    },
    /** What was removed from a conversation is not to be found on the disk any more. */
    async forget(name: string): Promise<void> {
      if (!database && (await isMissing(path))) return;
      await inTurn.run(async () => (await opened()).forget([name]));
    },
    async close(): Promise<void> {
      isClosed = true;
      await updating?.catch(() => {});
      database?.close();
      database = undefined;
      temporary?.remove();
    },
  };
}

const toSearched = (message: ConversationMessage): SearchedMessage => {
  const { messageId, role, timestamp } = message;
  return { messageId, role, timestamp: Math.round(timestamp), text: cutText(textOfMessage(message), agentLimits.searchTextChars, "") };
};
