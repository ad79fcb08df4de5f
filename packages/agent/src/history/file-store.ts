// The history in a folder: one journal for each conversation, locked while it is open. The folder is made
// and looked through at the first use, so that a runtime is ready before any disk has answered.

import { readdir, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { describeThrown, HawserError } from "@hawser/wire";
import { lockConversation, sweepLock, type ConversationLock } from "./conversation-lock.ts";
import { createConversationList } from "./conversation-list.ts";
import type { ConversationStore } from "./conversation-store.ts";
import { toFileName, toShownId } from "./file-name.ts";
import { newFileMark } from "./journal.ts";
import { createOpenConversation, type OpenConversation } from "./open-conversation.ts";
import { damagedMark, openJournal } from "./open-journal.ts";
import { preparePrivateFolder } from "./private-files.ts";
import { isHolderAlive } from "./process-identity.ts";
import { createSharedConversations } from "./shared-conversations.ts";
import { createHeldBytes, toStoreLimits, type StoreLimits } from "./store-limits.ts";

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
  const held = createHeldBytes(limits.maxOpenConversationBytes);
  const folderList = createConversationList({ folder, limits, onNotice });
  let preparing: Promise<void> | undefined;

  function prepare(): Promise<void> {
    preparing ??= preparePrivateFolder(folder, onNotice)
      .then(() => sweep(folder))
      .catch((error: unknown) => {
        // The next one tries again: a disk may be there by then.
        preparing = undefined;
        throw error;
      });
    return preparing;
  }

  async function withLock<Result>(
    conversationId: string,
    action: (path: string, lock: ConversationLock) => Promise<Result>,
  ): Promise<Result> {
    const path = join(folder, toFileName(conversationId));
    await prepare();
    const lock = await lockConversation(path + lockMark, toShownId(conversationId));
    try {
      return await action(path, lock);
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  const load = (conversationId: string): Promise<OpenConversation> =>
    withLock(conversationId, async (path, lock) => {
      held.checkRoom(0);
      const { journal, transcript } = await openJournal({ path, conversationId, limits, onNotice });
      return createOpenConversation({ conversationId, transcript, journal, limits, held, onNotice, onClosed: () => lock.release() });
    });

  const conversations = createSharedConversations((conversationId) => load(conversationId).catch(rethrow(conversationId)));

  return {
    open: (conversationId) => conversations.open(conversationId),
    async list() {
      await prepare();
      return folderList.list();
    },
    async lengthOf(conversationId) {
      await prepare();
      return folderList.lengthOf(conversationId);
    },
    delete: (conversationId) =>
      conversations.take(conversationId, () =>
        withLock(conversationId, async (path, lock) => {
          await removeAll(folder, path);
          lock.release();
        }).catch(rethrow(conversationId)),
      ),
    close: () => conversations.close(),
  };
}

function rethrow(conversationId: string): (error: unknown) => never {
  return (error) => {
    if (HawserError.isInstance(error)) throw error;
    throw new HawserError("internal", `conversation ${toShownId(conversationId)} can't be used: ${describeThrown(error)}`, {
      cause: error,
    });
  };
}

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
    if (holder !== undefined && (await isHolderAlive(holder)) === false) await rm(path, { force: true });
  }
}
