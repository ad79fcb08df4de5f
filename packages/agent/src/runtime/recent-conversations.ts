// The conversations that this runtime used last stay open, with their locks, as far as they fit: the next turn need not
// read them again. The store counts who uses a conversation; this is one more user of each that stays. A large one stays
// until another one is used: a user who works in one conversation for long does not wait for it in each turn, and no more
// is held than while it was in use.

import type { Conversation, ConversationStore } from "../history/conversation-store.ts";
import { agentLimits } from "../limits.ts";

export type RecentConversations = ReturnType<typeof createRecentConversations>;

export function createRecentConversations(store: ConversationStore) {
  /** In the order of last use. */
  const recent = new Map<string, Conversation>();
  let inUse = 0;

  /** Keeps this one instead of the same one from its last use. */
  async function keep(conversation: Conversation): Promise<void> {
    const { conversationId } = conversation;
    const before = recent.get(conversationId);
    recent.delete(conversationId);
    recent.set(conversationId, conversation);
    await before?.close();
    await letGo();
  }

  /** Of what does not fit; not of the one that is about to be used. */
  async function letGo(used?: string): Promise<void> {
    for (const [id, oldest] of recent) {
      if (id === used || (!oldest.isStale && !isTooMuch())) continue;
      recent.delete(id);
      await oldest.close();
    }
  }

  function isTooMuch(): boolean {
    const { agentOpenEntries, agentOpenBytes } = agentLimits;
    const isAlone = recent.size === 1 && inUse === 0;
    const bytes = [...recent.values()].reduce((sum, conversation) => sum + conversation.bytes, 0);
    return recent.size > agentOpenEntries || (bytes > agentOpenBytes && !isAlone);
  }

  return {
    /** Opens it if it isn't open, and keeps it open at least until the action is over. */
    async use<Result>(conversationId: string, action: (conversation: Conversation) => Promise<Result>): Promise<Result> {
      let conversation: Conversation | undefined;
      inUse++;
      try {
        await letGo(conversationId);
        conversation = await store.open(conversationId);
        return await action(conversation);
      } finally {
        inUse--;
        if (conversation) await keep(conversation);
      }
    },
    /** Removes it with its file. The next use begins a new one. */
    async delete(conversationId: string): Promise<void> {
      recent.delete(conversationId);
      await store.delete(conversationId);
    },
    async close(): Promise<void> {
      for (const conversation of recent.values()) await conversation.close();
      await store.close();
    },
  };
}
