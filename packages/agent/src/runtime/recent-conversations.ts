// The conversations that this runtime used last stay open, with their locks, as far as they fit: the next turn need not
// read them again. The store counts who uses a conversation; this is one more user of each that stays.

import type { Conversation, ConversationStore } from "../history/conversation-store.ts";
import { agentLimits } from "../limits.ts";

export type RecentConversations = ReturnType<typeof createRecentConversations>;

export function createRecentConversations(store: ConversationStore) {
  /** In the order of last use. */
  const recent = new Map<string, Conversation>();

  /** Keeps this one instead of the same one from its last use. */
  async function keep(conversation: Conversation): Promise<void> {
    const { conversationId } = conversation;
    const before = recent.get(conversationId);
    recent.delete(conversationId);
    recent.set(conversationId, conversation);
    await before?.close();
    for (const [id, oldest] of recent) {
      if (!oldest.isStale && !isTooMuch()) continue;
      recent.delete(id);
      await oldest.close();
    }
  }

  function isTooMuch(): boolean {
    const { agentOpenEntries, agentOpenBytes } = agentLimits;
    return recent.size > agentOpenEntries || [...recent.values()].reduce((sum, { bytes }) => sum + bytes, 0) > agentOpenBytes;
  }

  return {
    /** Opens it if it isn't open, and keeps it open at least until the action is over. */
    async use<Result>(conversationId: string, action: (conversation: Conversation) => Promise<Result>): Promise<Result> {
      const conversation = await store.open(conversationId);
      try {
        return await action(conversation);
      } finally {
        await keep(conversation);
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
