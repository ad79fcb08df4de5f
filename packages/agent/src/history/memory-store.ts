// The history of a runtime that keeps none on disk: the same behaviour, gone with the process.

import { createByteBudget, type Share } from "@hawser/wire/internal";
import { toStoreLimits, type ConversationStore, type StoreLimits } from "./conversation-store.ts";
import { toFileName } from "./conversation-files.ts";
import { toFork } from "./fork-transcript.ts";
import { checkOpenBytes, createOpenConversation, type OpenConversation } from "./open-conversation.ts";
import { searchMemory } from "./search-memory.ts";
import { createSharedConversations } from "./shared-conversations.ts";
import { createTranscript, repairTranscript, summaryOf, type Transcript } from "./transcript.ts";

export function createMemoryStore(given?: Partial<StoreLimits>): ConversationStore {
  const limits = toStoreLimits(given);
  const budget = createByteBudget(limits.maxOpenConversationBytes);
  /** Those that were closed and may be opened again. */
  const closed = new Map<string, { readonly transcript: Transcript; readonly share: Share }>();

  function keep(conversationId: string, transcript: Transcript): void {
    if (transcript.updatedAt === 0) return;
    repairTranscript(transcript);
    const share = budget.openShare();
    share.set(transcript.bytes);
    closed.set(conversationId, { transcript, share });
  }

  function takeOut(conversationId: string): Transcript | undefined {
    const kept = closed.get(conversationId);
    closed.delete(conversationId);
    kept?.share.set(0);
    return kept?.transcript;
  }

  async function load(conversationId: string): Promise<OpenConversation> {
    // Refuses the ids that a folder would refuse.
    toFileName(conversationId);
    const transcript = takeOut(conversationId) ?? createTranscript();
    const onClosed = (last: Transcript): void => keep(conversationId, last);
    return createOpenConversation({ conversationId, transcript, journal: undefined, limits, budget, onNotice: () => {}, onClosed });
  }

  const conversations = createSharedConversations(load);

  return {
    open: (conversationId) => conversations.open(conversationId),
    async list() {
      const open = conversations.allOpen().map(({ conversationId, transcript }) => ({ conversationId, transcript }));
      return [...Array.from(closed, ([conversationId, { transcript }]) => ({ conversationId, transcript })), ...open]
        .filter(({ transcript }) => transcript.updatedAt > 0)
        .map(({ conversationId, transcript }) => ({ conversationId, ...summaryOf(transcript) }))
        .sort((one, other) => other.updatedAt - one.updatedAt);
    },
    async search(query, limit) {
      const open = conversations.allOpen().map(({ conversationId, transcript }) => ({ conversationId, transcript }));
      const held = [...Array.from(closed, ([conversationId, { transcript }]) => ({ conversationId, transcript })), ...open];
      return { matches: searchMemory(held, query, limit), pending: 0 };
    },
    async lengthOf(conversationId) {
      return (conversations.ifOpen(conversationId)?.transcript ?? closed.get(conversationId)?.transcript)?.entries.length ?? 0;
    },
    delete: (conversationId) => conversations.take(conversationId, async () => void takeOut(conversationId)),
    async fork(conversationId, { conversationId: forkId, after }) {
      const transcript = toFork(await conversations.transcriptOf(conversationId), after);
      checkOpenBytes(budget, transcript.bytes, limits);
      await conversations.take(forkId, async () => keep(forkId, transcript));
    },
    close: () => conversations.close(),
  };
}
