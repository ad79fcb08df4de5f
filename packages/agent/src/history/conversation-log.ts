// A history that several machines share, as the store needs it: one log for each conversation, which belongs to one machine at a time.
// The logs refuse every write of a machine that the log does not belong to any more.

/** All conversations. */
export interface ConversationLogs {
  /** Takes a conversation for this machine. Throws `overloaded` while another one has it. */
  open(conversationId: string): Promise<ConversationLog>;
  /** The last text of every log. */
  ends(): AsyncIterable<LogEnd>;
  /** The last text of one log; undefined where there is none. */
  endOf(conversationId: string): Promise<string | undefined>;
  /** What was written to a log, without taking it. */
  read(conversationId: string): AsyncIterable<string>;
  close(): Promise<void>;
}

export interface LogEnd {
  readonly conversationId: string;
  readonly text: string;
}

/** The log of one conversation, while it belongs to this machine. Texts are whole lines. */
export interface ConversationLog {
  /** Who this machine is, for the record of its claim. */
  readonly owner: string;
  /** What the log holds. */
  readonly bytes: number;
  /** Whether it belongs to another machine by now; every write is refused then. */
  readonly isLost: boolean;
  read(): AsyncIterable<string>;
  /** The first text of this machine. Throws `overloaded` when another one has written since `read`. */
  claim(text: string): Promise<void>;
  append(text: string): Promise<void>;
  /** Replaces everything; a reader sees all of the old or all of the new. */
  rewrite(text: string): Promise<void>;
  /** Removes the log. */
  remove(): Promise<void>;
  /** Lets another machine have it at once. */
  close(): Promise<void>;
}
