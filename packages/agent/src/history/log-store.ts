// The history of a runtime that shares its conversations with other machines: the same conversations as in a folder, over logs that
// somebody else keeps. What is open belongs to this machine, and is let go when it is closed.

import { HawserError, type ConversationMessage, type ConversationSummary } from "@hawser/protocol";
import { createByteBudget } from "@hawser/wire/internal";
import { rethrow, toFileName, toShownId } from "./conversation-files.ts";
import type { ConversationLogs } from "./conversation-log.ts";
import { toStoreLimits, type ConversationStore, type StoreLimits } from "./conversation-store.ts";
import { toFork } from "./fork-transcript.ts";
import { openLogJournal, readLog } from "./log-journal.ts";
import { checkOpenBytes, createOpenConversation, type OpenConversation } from "./open-conversation.ts";
import { parseSummary, toHeaderLine } from "./record.ts";
import { createLogSearch } from "./search-logs.ts";
import { createSharedConversations } from "./shared-conversations.ts";
import { toLines } from "./transcript.ts";

export interface LogStoreOptions {
  readonly logs: ConversationLogs;
  onNotice(message: string): void;
  /** A machine before this one has ended in the middle of an answer; its end is written now. */
  onInterrupted(conversationId: string, answer: ConversationMessage): void;
  readonly limits?: Partial<StoreLimits> | undefined;
}

export function createLogStore({ logs, onNotice, onInterrupted, ...options }: LogStoreOptions): ConversationStore {
  const limits = toStoreLimits(options.limits);
  const budget = createByteBudget(limits.maxOpenConversationBytes);

  async function load(conversationId: string): Promise<OpenConversation> {
    // Refuses the ids that a folder would refuse.
    toFileName(conversationId);
    checkOpenBytes(budget, 0, limits);
    const log = await logs.open(conversationId);
    try {
      const { journal, transcript, interrupted } = await openLogJournal({ log, conversationId, limits, onNotice });
      if (interrupted) onInterrupted(conversationId, interrupted);
      const shared = { conversationId, limits, budget, onNotice, onClosed: () => {} };
      return createOpenConversation({ ...shared, journal, transcript });
    } catch (error) {
      await log.close();
      throw error;
    }
  }

  const conversations = createSharedConversations((conversationId) => load(conversationId).catch(rethrow(conversationId)));

  async function list(): Promise<ConversationSummary[]> {
    const found: ConversationSummary[] = [];
    for await (const { conversationId, text } of logs.ends()) {
      const summary = parseSummary(text.trimEnd());
      // Without one it was claimed, and nothing was said in it yet.
      if (summary && summary.updatedAt > 0) found.push({ conversationId, ...summary });
      if (found.length === limits.listedConversationEntries) break;
    }
    return found.sort((one, other) => other.updatedAt - one.updatedAt);
  }

  return {
    open: (conversationId) => conversations.open(conversationId),
    list,
    async lengthOf(conversationId) {
      const open = conversations.ifOpen(conversationId);
      if (open) return open.messages.length;
      return parseSummary((await logs.endOf(conversationId))?.trimEnd() ?? "")?.messages ?? 0;
    },
    delete: (conversationId) =>
      conversations
        .take(conversationId, async () => {
          const log = await logs.open(conversationId);
          try {
            await log.remove();
          } finally {
            await log.close();
          }
        })
        .catch(rethrow(conversationId)),
    search: createLogSearch({
      list,
      async read(conversationId) {
        const open = conversations.ifOpen(conversationId);
        return open?.transcript ?? (await readLog(logs.read(conversationId), conversationId, limits)).transcript;
      },
    }),
    async fork(conversationId, { conversationId: forkId, after }) {
      const transcript = toFork(await conversations.transcriptOf(conversationId), after);
      const log = await logs.open(forkId).catch(rethrow(forkId));
      try {
        for await (const _ of log.read()) throw new HawserError("duplicate_id", `there is a conversation ${toShownId(forkId)} already`);
        await log.claim([toHeaderLine(forkId), ...Array.from(toLines(transcript), (line) => line.join(""))].join(""));
      } finally {
        await log.close();
      }
    },
    async close() {
      await conversations.close();
      await logs.close();
    },
  };
}
