// The history of a runtime that keeps none on disk: the same behaviour, gone with the process.

import type { ConversationStore } from "./conversation-store.ts";
import { toFileName } from "./file-name.ts";
import { createOpenConversation, type OpenConversation } from "./open-conversation.ts";
import { createSharedConversations } from "./shared-conversations.ts";
import { createHeldBytes, toStoreLimits, type StoreLimits } from "./store-limits.ts";
import { createTranscript, repairTranscript, summaryOf, type Transcript } from "./transcript.ts";

export function createMemoryStore(given?: Partial<StoreLimits>): ConversationStore {
  const limits = toStoreLimits(given);
  const held = createHeldBytes(limits.maxOpenConversationBytes);
  /** Those that were closed and may be opened again. */
  const closed = new Map<string, Transcript>();

  function keep(conversationId: string, transcript: Transcript): void {
    if (transcript.updatedAt === 0) return;
    repairTranscript(transcript);
    closed.set(conversationId, transcript);
    held.take(transcript.bytes);
  }

  async function load(conversationId: string): Promise<OpenConversation> {
    // Refuses the ids that a folder would refuse.
    toFileName(conversationId);
    const transcript = closed.get(conversationId) ?? createTranscript();
    if (closed.delete(conversationId)) held.take(-transcript.bytes);
    const onClosed = (last: Transcript): void => keep(conversationId, last);
    return createOpenConversation({ conversationId, transcript, journal: undefined, limits, held, onNotice: () => {}, onClosed });
  }

  const conversations = createSharedConversations(load);

  return {
    open: (conversationId) => conversations.open(conversationId),
    async list() {
      const open = (await conversations.all()).map((conversation) => [conversation.conversationId, conversation.transcript] as const);
      return [...new Map([...closed, ...open])]
        .filter(([, { updatedAt }]) => updatedAt > 0)
        .map(([conversationId, transcript]) => ({ conversationId, ...summaryOf(transcript) }))
        .sort((one, other) => other.updatedAt - one.updatedAt);
    },
    async lengthOf(conversationId) {
      const open = (await conversations.all()).find((conversation) => conversation.conversationId === conversationId);
      return (open?.transcript ?? closed.get(conversationId))?.entries.length ?? 0;
    },
    delete: (conversationId) =>
      conversations.take(conversationId, async () => {
        const transcript = closed.get(conversationId);
        if (closed.delete(conversationId)) held.take(-(transcript?.bytes ?? 0));
      }),
    close: () => conversations.close(),
  };
}
