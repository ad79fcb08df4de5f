// The conversations that this runtime has open, each with its lock. Those in use stay; of the others the
// ones used last stay too, as far as they fit, so that the next turn need not read them again. One that is stale
// does not stay.

import { limits } from "@hawser/wire";
import type { Conversation, ConversationStore } from "../history/conversation-store.ts";

export interface OpenConversations {
  /** Opens it if it is not open, and keeps it open at least until the action is over. */
  use<Result>(conversationId: string, action: (conversation: Conversation) => Promise<Result>): Promise<Result>;
  /** How long it is, as far as that is known without opening it. */
  lengthOf(conversationId: string): Promise<number>;
  /** Removes it with its file, once those who use it now are done; whoever comes meanwhile gets a new one. */
  delete(conversationId: string): Promise<void>;
  close(): Promise<void>;
}

interface Entry {
  readonly opening: Promise<Conversation>;
  /** Once it is open. */
  conversation: Conversation | undefined;
  users: number;
  onUnused(): void;
}

export function createOpenConversations(store: ConversationStore): OpenConversations {
  /** In the order of last use. */
  const entries = new Map<string, Entry>();
  /** What must be over before the next one opens it. */
  const deleting = new Map<string, Promise<void>>();

  function open(conversationId: string): Promise<Conversation> {
    const before = deleting.get(conversationId);
    const again = (): Promise<Conversation> => store.open(conversationId);
    return before ? before.then(again, again) : again();
  }

  function enter(conversationId: string): Entry {
    const entry = entries.get(conversationId) ?? createEntry(conversationId);
    entries.delete(conversationId);
    entries.set(conversationId, entry);
    entry.users++;
    return entry;
  }

  function createEntry(conversationId: string): Entry {
    const entry: Entry = { opening: open(conversationId), conversation: undefined, users: 0, onUnused: () => {} };
    entry.opening.then(
      (conversation) => (entry.conversation = conversation),
      // It could not be opened; whoever wanted to use it knows why.
      () => entries.get(conversationId) === entry && entries.delete(conversationId),
    );
    return entry;
  }

  async function leave(entry: Entry): Promise<void> {
    entry.users--;
    if (entry.users === 0) entry.onUnused();
    await closeUnused();
  }

  async function closeUnused(): Promise<void> {
    const { agentOpenEntries, agentOpenBytes } = limits;
    const isTooMuch = (): boolean =>
      entries.size > agentOpenEntries ||
      [...entries.values()].reduce((sum, { conversation }) => sum + (conversation?.bytes ?? 0), 0) > agentOpenBytes;
    for (const [conversationId, entry] of entries) {
      if (entry.users === 0 && (entry.conversation?.isStale || isTooMuch())) await closeEntry(conversationId, entry);
    }
  }

  async function remove(conversationId: string): Promise<void> {
    const entry = entries.get(conversationId);
    if (entry) {
      entries.delete(conversationId);
      if (entry.users > 0) await new Promise<void>((resolve) => (entry.onUnused = resolve));
      await closeEntry(conversationId, entry);
    }
    await store.delete(conversationId);
  }

  async function closeEntry(conversationId: string, entry: Entry): Promise<void> {
    if (entries.get(conversationId) === entry) entries.delete(conversationId);
    await entry.opening.then(
      (conversation) => conversation.close(),
      () => {},
    );
  }

  return {
    async use(conversationId, action) {
      const entry = enter(conversationId);
      try {
        return await action(await entry.opening);
      } finally {
        await leave(entry);
      }
    },
    async lengthOf(conversationId) {
      const { conversation } = entries.get(conversationId) ?? {};
      return conversation ? conversation.messages.length : store.lengthOf(conversationId);
    },
    async delete(conversationId) {
      const removed = remove(conversationId);
      deleting.set(conversationId, removed);
      await removed.finally(() => deleting.delete(conversationId));
    },
    async close() {
      for (const [conversationId, entry] of entries) await closeEntry(conversationId, entry);
      await store.close();
    },
  };
}
