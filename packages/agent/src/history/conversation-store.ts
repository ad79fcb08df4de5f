// What the runtime asks of the history. Every change is on disk before its promise resolves; reading repairs what a
// killed process left behind. With `--no-history` the same interface keeps it in memory.

import type { ConversationMessage, ConversationSummary, MessagePart } from "@hawser/protocol";
import { agentLimits } from "../limits.ts";
import type { AgentSession } from "./record.ts";

/** The limits that a store may be given others for. */
export type StoreLimits = Pick<
  typeof agentLimits,
  "maxConversationBytes" | "maxOpenConversationBytes" | "maxJournalBytes" | "journalSlackBytes" | "listedConversationEntries"
>;

export const toStoreLimits = (given: Partial<StoreLimits> = {}): StoreLimits => ({ ...agentLimits, ...given });

export interface Conversation {
  readonly conversationId: string;
  readonly title: string;
  /** In which it works; empty for those of the runtime. */
  readonly folders: readonly string[];
  readonly messages: readonly ConversationMessage[];
  /** What its messages take in memory, about. */
  readonly bytes: number;
  /** Whether it has to be opened again before its next use: it is closed, was read without a lock, or another program changed its file. */
  readonly isStale: boolean;
  /** Adds a whole message; resolves when it is on disk. */
  add(message: ConversationMessage): Promise<void>;
  /** Adds parts to the last message, which is an answer in the making; resolves when they are on disk. */
  addParts(messageId: string, parts: readonly MessagePart[]): Promise<void>;
  /** The answer is complete; or ended early, and why. */
  finish(messageId: string, interrupted?: string): Promise<void>;
  /** In which session an agent with a memory of its own holds it; it may know fewer messages than there are. */
  readonly agentSession: AgentSession | undefined;
  keepAgentSession(session: AgentSession): Promise<void>;
  rename(title: string): Promise<void>;
  setFolders(folders: readonly string[]): Promise<void>;
  /** Gives it this title unless the user has given it one. */
  suggestTitle(title: string): Promise<void>;
  /** Removes the messages after this one; all of them for null. */
  truncate(after: string | null): Promise<void>;
  clear(): Promise<void>;
  /** Lets go of the file and its lock; what was promised is on disk. */
  close(): Promise<void>;
}

export interface ConversationStore {
  /**
   * Opens or begins one, with a lock against other processes. Throws `overloaded` when another one holds it. Where nothing can be written
   * there is no lock, and every change is refused.
   */
  open(conversationId: string): Promise<Conversation>;
  /** All of them, the latest first; those that can't be read are left out, with a notice. */
  list(): Promise<readonly ConversationSummary[]>;
  /** User and assistant messages of this one; 0 for one that is not there or can't be read. Opens and locks nothing. */
  lengthOf(conversationId: string): Promise<number>;
  delete(conversationId: string): Promise<void>;
  close(): Promise<void>;
}
