// What the runtime asks of the history. Every change is on disk before its promise resolves; reading repairs what a
// killed process left behind. With `--no-history` the same interface keeps it in memory.

import type { ConversationMessage, ConversationSummary, MessagePart, SearchMatch } from "@hawser/protocol";
import { agentLimits } from "../limits.ts";
import type { AgentSession, HistorySummary, Steer, Used } from "./record.ts";

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
  /** Whether the end of this answer is not written: it is being made, or its end could not be written. */
  isUnfinished(messageId: string): boolean;
  /** What its messages take in memory, about. */
  readonly bytes: number;
  /** Whether it has to be opened again before its next use: it is closed, was read without a lock, or another program changed its file. */
  readonly isStale: boolean;
  /** Adds a message, with the answer that is to be made to it, and the session that knows both; resolves when all of it is on disk. */
  add(message: ConversationMessage, answer?: ConversationMessage, session?: AgentSession): Promise<void>;
  /** Adds parts to the last message, which is an answer in the making; resolves when they are on disk. `used`: by its turn, since that was last said. */
  addParts(messageId: string, parts: readonly MessagePart[], used?: Used): Promise<void>;
  /** A tool is about to run. Throws where another machine has taken the conversation over; it must not run then. */
  beforeCall(toolId: string): Promise<void>;
  /** The answer is complete; or ended early, and why. `used`: by its turn, since that was last said. */
  finish(messageId: string, interrupted?: string, used?: Used): Promise<void>;
  /** Each stands for what the one before stood for, and more: the last one counts. */
  readonly summaries: readonly HistorySummary[];
  addSummary(summary: HistorySummary): Promise<void>;
  /** What its turns have used until now. */
  readonly used: Used;
  /** In which session an agent with a memory of its own holds it; it may know fewer messages than there are. */
  readonly agentSession: AgentSession | undefined;
  keepAgentSession(session: AgentSession): Promise<void>;
  /** What was said to a turn and the model has not seen, in the order in which it was said. A message whose `requestId` is the `steerId` takes its place. */
  readonly steers: readonly Steer[];
  /** Throws `overloaded` when too many wait. */
  addSteer(steer: Steer): Promise<void>;
  /** Other words for one that waits. False when it does not wait any more. */
  changeSteer(steerId: string, message: string): Promise<boolean>;
  withdrawSteer(steerId: string): Promise<boolean>;
  /** The steers of this request become parts of the answer in the making, all at once; returns them. */
  takeSteers(messageId: string, target: string): Promise<readonly Steer[]>;
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

export interface SearchOutcome {
  readonly matches: readonly SearchMatch[];
  /** Conversations whose latest text was not looked at yet. */
  readonly pending: number;
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
  /** False where `search` can't work on this machine; it is then not advertised. */
  readonly canSearch?: boolean | undefined;
  /** Messages that hold all words of the query, the latest first. */
  search(query: string, limit: number): Promise<SearchOutcome>;
  /**
   * Writes a new conversation that begins as this one does, up to the message `after`, or to the last complete answer. It is there
   * whole, or not at all. Throws `invalid_message` where there is no such message, or nothing to take.
   */
  fork(conversationId: string, fork: { readonly conversationId: string; readonly after?: string | undefined }): Promise<void>;
  close(): Promise<void>;
}
