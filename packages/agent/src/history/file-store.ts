// The history in a folder: one journal for each conversation, locked while it is open. The folder is made
// and looked through at the first use, so that a runtime is ready before any disk has answered, and made again when
// it was removed. Where it can't be written, or a journal can't, conversations are read without a lock and take nothing new.

import { readdir, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { describeThrown, HawserError } from "@hawser/protocol";
import { createByteBudget, wireLimits } from "@hawser/wire/internal";
import { isSilent, isUnwritable, judgeHolder } from "@hawser/wire/internal/node";
import { lockConversation, sweepLock, type ConversationLock } from "./conversation-lock.ts";
import { createConversationList } from "./conversation-list.ts";
import { toStoreLimits, type ConversationStore, type StoreLimits } from "./conversation-store.ts";
import { isMissing, preparePrivateFolder, rethrow, toFileName, toShownId, unwritableFile, unwritableFolder } from "./conversation-files.ts";
import { toFork } from "./fork-transcript.ts";
import { createJournal, damagedMark, newFileMark, openJournal, readJournal } from "./journal.ts";
import { checkOpenBytes, createOpenConversation, type OpenConversation } from "./open-conversation.ts";
import { toHeaderLine } from "./record.ts";
import { hasFullTextIndex } from "./search-database.ts";
import { createSearchIndex } from "./search-index.ts";
import { createSharedConversations } from "./shared-conversations.ts";
import { toLines, type Transcript } from "./transcript.ts";

export interface FileStoreOptions {
  readonly folder: string;
  /** A line about what was repaired, set aside or left out. */
  onNotice(message: string): void;
  readonly limits?: Partial<StoreLimits> | undefined;
}

const lockMark = ".lock";

export function createFileStore(options: FileStoreOptions): ConversationStore {
  const { onNotice } = options;
  const folder = resolve(options.folder);
  const limits = toStoreLimits(options.limits);
  const budget = createByteBudget(limits.maxOpenConversationBytes);
  const folderList = createConversationList({ folder, limits, onNotice });
  const index = createSearchIndex({ folder, limits, onNotice });
  let preparing: Promise<void> | undefined;

  async function prepare(): Promise<void> {
    if (preparing && (await isMissing(folder))) preparing = undefined;
    preparing ??= preparePrivateFolder(folder, onNotice)
      .then(() => sweep(folder))
      .catch((error: unknown) => {
        // The next one tries again: a disk may be there by then.
        preparing = undefined;
        throw error;
      });
    return preparing;
  }

  async function lock(conversationId: string): Promise<ConversationLock> {
    await prepare();
    const path = join(folder, toFileName(conversationId));
    return lockConversation(path + lockMark, toShownId(conversationId)).catch((error: unknown) => {
      throw isUnwritable(error) ? unwritableFolder(folder, error) : error;
    });
  }

  async function load(conversationId: string): Promise<OpenConversation> {
    const path = join(folder, toFileName(conversationId));
    const source = { path, conversationId, limits, onNotice };
    const onRemoved = (): Promise<void> =>
      index
        .forget(toFileName(conversationId))
        .catch((error: unknown) => onNotice(`removed text may still be in the search index: ${describeThrown(error)}`));
    const shared = { conversationId, limits, budget, onNotice, onRemoved };
    const read = async (reason: HawserError): Promise<OpenConversation> =>
      createOpenConversation({ ...shared, ...(await readJournal(source, reason)), onClosed: () => {} });
    let held: ConversationLock;
    try {
      held = await lock(conversationId);
    } catch (error) {
      if (isForReading(error)) return read(error);
      throw error;
    }
    // Its folder may be removed under it, or another process may have taken this one for dead.
    const ensureLock = async (): Promise<boolean> => {
      if (await held.isHeld()) return true;
      held.release();
      held = await lock(conversationId);
      return false;
    };
    try {
      checkOpenBytes(budget, 0, limits);
      return createOpenConversation({ ...shared, ...(await openJournal({ ...source, ensureLock })), onClosed: () => held.release() });
    } catch (error) {
      held.release();
      if (isForReading(error)) return read(unwritableFile(path, error.cause));
      throw error;
    }
  }

  /** Written beside its place and then put there: a process that is killed leaves all of it or none. */
  async function writeFork(conversationId: string, transcript: Transcript): Promise<void> {
    const held = await lock(conversationId);
    try {
      const path = join(folder, toFileName(conversationId));
      if (!(await isMissing(path))) throw new HawserError("duplicate_id", `there is a conversation ${toShownId(conversationId)} already`);
      const journal = createJournal({ path, headerLine: toHeaderLine(conversationId) });
      try {
        await journal.rewrite(toLines(transcript));
      } finally {
        await journal.close();
      }
    } finally {
      held.release();
    }
  }

  const conversations = createSharedConversations((conversationId) => load(conversationId).catch(rethrow(conversationId)));

  return {
    open: (conversationId) => conversations.open(conversationId),
    async list() {
      await prepare();
      return folderList.list();
    },
    canSearch: hasFullTextIndex(),
    async search(query, limit) {
      await prepare();
      return index.search(query, limit);
    },
    async lengthOf(conversationId) {
      const open = conversations.ifOpen(conversationId);
      if (open) return open.messages.length;
      await prepare();
      return folderList.lengthOf(conversationId);
    },
    delete: (conversationId) =>
      conversations.take(conversationId, () =>
        lock(conversationId)
          .then((held) => removeAll(folder, join(folder, toFileName(conversationId))).finally(() => held.release()))
          .then(() => index.forget(toFileName(conversationId)))
          .catch(rethrow(conversationId)),
      ),
    fork: (conversationId, { conversationId: forkId, after }) =>
      conversations
        .transcriptOf(conversationId)
        .then((transcript) => writeFork(forkId, toFork(transcript, after)))
        .catch(rethrow(conversationId)),
    async close() {
      await conversations.close();
      await index.close();
    },
  };
}

/** What can't be written can perhaps be read. */
const isForReading = (error: unknown): error is HawserError => HawserError.isInstance(error) && isUnwritable(error.cause);

/** The journal, and what was set aside of it: a user who deletes a conversation means all of it. */
async function removeAll(folder: string, path: string): Promise<void> {
  await rm(path, { force: true });
  for (const name of await readdir(folder)) {
    const other = join(folder, name);
    if (other.startsWith(path + damagedMark) || other.startsWith(path + newFileMark)) await rm(other, { force: true });
  }
}

/** Removes the locks and unfinished files of processes that were killed. */
async function sweep(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    if (name.endsWith(`.jsonl${lockMark}`)) await sweepLock(path);
    const [, holder] = name.split(newFileMark);
    const state = holder === undefined ? undefined : judgeHolder(holder);
    const isLeftBehind = state === "gone" || (state === "unsure" && (await isSilent(path, wireLimits.staleFolderMs)));
    // Where nothing can be removed, everything else still works.
    if (isLeftBehind) await rm(path, { force: true }).catch(() => {});
  }
}
