// The conversations of a fleet for one runtime: each that is open here is claimed by a lease and fenced by its journal. One that was
// taken over by another machine is dropped, and that is told once.

import { DeliverPolicy } from "@nats-io/jetstream";
import { HawserError, quoteShort } from "@hawser/protocol/internal";
import { logLine } from "@hawser/wire/internal/node";
import { fromHeaderText } from "../message-text.ts";
import type { Fleet } from "../connect.ts";
import { header, journalStream, journalSubjects } from "./conversation-names.ts";
import { createJournalLog } from "./journal-log.ts";
import { takeLease, type HeldLease } from "./lease.ts";
import type { Streams } from "./open-streams.ts";
import { readMessages } from "./read-messages.ts";

export interface ConversationLogsOptions {
  /** The runtime's id, and its machine's name. */
  readonly runtime: string;
  readonly machine: string;
  /** Another machine has taken the conversation: what runs here for it is over. */
  onLost(conversationId: string): void;
}

/** A conversation that belongs to this runtime. */
interface Held {
  /** The sequence of its claim; 0 until that is written. */
  epoch: number;
}

export type ConversationLogs = ReturnType<typeof createConversationLogs>;

export function createConversationLogs(fleet: Fleet, streams: Streams, { runtime, machine, onLost }: ConversationLogsOptions) {
  const held = new Map<string, Held>();

  async function open(conversationId: string) {
    const journal = createJournalLog(fleet, streams, conversationId);
    const lose = (): void => {
      const mine = held.get(conversationId) === state;
      if (mine) held.delete(conversationId);
      journal.lose();
      if (!mine) return;
      logLine(
        `[hawser] fleet: conversation ${quoteShort(conversationId, 60)} was taken over by another machine; what ran here for it is dropped`,
      );
      onLost(conversationId);
    };
    const lease: HeldLease = await takeLease(streams, { runtime, machine, conversationId }, lose);
    const state: Held = { epoch: 0 };
    held.set(conversationId, state);

    /** One write after the other, as the open conversation has it; each of them only while the lease is ours. */
    async function owned<Result>(write: () => Promise<Result>): Promise<Result> {
      try {
        // Where no server answers, the journal's own write decides.
        if (!lease.isCurrent) await lease.renew().catch(throwOurs);
        return await write();
      } catch (error) {
        if (journal.lost !== undefined || (HawserError.isInstance(error) && error.code === "overloaded")) lose();
        throw journal.lost ?? error;
      }
    }

    return {
      owner: runtime,
      get bytes() {
        return journal.bytes;
      },
      get isLost() {
        return journal.lost !== undefined;
      },
      read: journal.read,
      async claim(text: string): Promise<void> {
        await owned(() => journal.append(text));
        state.epoch = journal.sequence;
      },
      append: (text: string) => owned(() => journal.append(text)),
      rewrite: (text: string) => owned(() => journal.rewrite(text)),
      remove: () => owned(() => journal.remove()),
      async close(): Promise<void> {
        if (held.get(conversationId) === state) held.delete(conversationId);
        await lease.release();
      },
    };
  }

  return {
    open,
    /** The claim under which this runtime has a conversation; undefined when it has not. */
    epochOf: (conversationId: string): number | undefined => held.get(conversationId)?.epoch,
    get held(): readonly string[] {
      return [...held.keys()];
    },
    async *ends(): AsyncGenerator<{ conversationId: string; text: string }> {
      const config = { filter_subjects: journalSubjects, deliver_policy: DeliverPolicy.LastPerSubject };
      for await (const message of readMessages(streams, journalStream, config, ({ info }) => info.pending === 0)) {
        const conversationId = fromHeaderText(message.headers?.get(header.conversation) ?? "");
        if (conversationId) yield { conversationId, text: message.string() };
      }
    },
    endOf: (conversationId: string) => createJournalLog(fleet, streams, conversationId).lastText(),
    read: (conversationId: string) => createJournalLog(fleet, streams, conversationId).read(),
    close: async (): Promise<void> => {},
  };
}

function throwOurs(error: unknown): void {
  if (HawserError.isInstance(error)) throw error;
}
