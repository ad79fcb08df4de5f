// One open conversation: its changes are done one after the other, each is in the journal before it can be
// seen and before its promise resolves, and one that fails changes nothing. The lists that it hands out are
// never changed afterwards.

import { cutText, describeThrown, HawserError, type ConversationMessage } from "@hawser/protocol/internal";
import { createSemaphore, type ByteBudget } from "@hawser/wire/internal";
import type { Conversation, StoreLimits } from "./conversation-store.ts";
import { agentLimits } from "../limits.ts";
import { toShownId } from "./conversation-files.ts";
import type { Journal } from "./journal.ts";
import { toKeptRecord, toRecordLine, toRecordText, versionOf, type JournalRecord } from "./record.ts";
import { applyRecord, copyTranscript, isMuchLarger, summaryOf, toLines, toTitle, weighRecord, type Transcript } from "./transcript.ts";

export interface OpenConversationOptions {
  readonly conversationId: string;
  readonly transcript: Transcript;
  /** Undefined for one that lives in memory only. */
  readonly journal: Journal | undefined;
  readonly limits: StoreLimits;
  /** What all open conversations hold together. */
  readonly budget: ByteBudget;
  onNotice(message: string): void;
  onClosed(last: Transcript): void;
  /** Messages were removed, and are not to be found anywhere any more. */
  onRemoved?(): Promise<void>;
}

export interface OpenConversation extends Conversation {
  readonly transcript: Transcript;
}

// A reason is a line for people. It is not counted, so that an answer can be finished when nothing else fits any more.
const reasonChars = 2_000;

export function createOpenConversation(options: OpenConversationOptions): OpenConversation {
  const { conversationId, journal, limits, budget, onNotice } = options;
  let transcript = options.transcript;
  let messages: readonly ConversationMessage[] | undefined;
  /** Of all messages: looking through them for each new one would take longer and longer. */
  let ids: Set<string> | undefined;
  let isClosed = false;
  const changes = createSemaphore(1);
  const share = budget.openShare();
  share.set(transcript.bytes);

  const inTurn = <Result>(action: () => Promise<Result>): Promise<Result> =>
    changes.run(() => {
      if (isClosed) throw new HawserError("closed", `conversation ${toShownId(conversationId)} is closed`);
      return action();
    });

  /** All of them or none, with one write to the disk. */
  async function write(...records: readonly JournalRecord[]): Promise<void> {
    const next = copyTranscript(transcript);
    next.updatedAt = Date.now();
    const lines = records.flatMap((record) => {
      const text = toRecordText(record);
      const kept = toKeptRecord(record);
      if (!kept) throw new HawserError("usage", `not a ${record.type} that a history can keep`);
      applyRecord(next, kept, weighRecord(text));
      return journal ? toRecordLine(text, summaryOf(next)) : [];
    });
    const grownBy = next.bytes - transcript.bytes;
    if (grownBy > 0) checkRoom(next.bytes, grownBy);
    const rewrite = await journal?.needsRewrite(Math.max(...records.map(versionOf)));
    if (rewrite !== undefined) await journal?.rewrite(toLines(transcript));
    if (rewrite === "gone") {
      onNotice(`conversation ${toShownId(conversationId)}: its file was removed while it was open, and was written again`);
    }
    await journal?.append(lines);
    share.set(next.bytes);
    transcript = next;
    messages = undefined;
    for (const record of records) {
      if (record.type === "message") ids?.add(record.message.messageId);
      if (record.type === "truncate" || record.type === "clear") ids = undefined;
    }
  }

  function checkNew(messageId: string): void {
    ids ??= new Set(transcript.entries.map(({ message }) => message.messageId));
    if (ids.has(messageId)) throw new HawserError("duplicate_id", `there is a message ${toShownId(messageId)} already`);
  }

  function checkRoom(bytes: number, grownBy: number): void {
    const { maxConversationBytes } = limits;
    if (bytes > maxConversationBytes) {
      const message = `the conversation would hold ${bytes} bytes; the limit is ${maxConversationBytes}. Start a new one`;
      throw new HawserError("too_large", message, { facts: { bytes, maxConversationBytes } });
    }
    checkOpenBytes(budget, grownBy, limits);
  }

  /** Removed messages are really gone then, and a journal does not grow for ever. */
  async function compact(): Promise<void> {
    try {
      await journal?.rewrite(toLines(transcript));
    } catch (error) {
      onNotice(`conversation ${toShownId(conversationId)}: its file could not be made smaller: ${describeThrown(error)}`);
    }
  }

  async function removeAll(record: JournalRecord): Promise<void> {
    await write(record);
    await compact();
    await options.onRemoved?.();
  }

  return {
    conversationId,
    get transcript() {
      return transcript;
    },
    get title() {
      return summaryOf(transcript).title;
    },
    get folders() {
      return transcript.folders;
    },
    get messages() {
      return (messages ??= transcript.entries.map(({ message }) => message));
    },
    isUnfinished: (messageId) => transcript.entries.some(({ message, isComplete }) => message.messageId === messageId && !isComplete),
    get bytes() {
      return transcript.bytes;
    },
    get isStale() {
      return isClosed || (journal?.isStale ?? false);
    },
    add: (added, answer, session) =>
      inTurn(async () => {
        const messages = answer ? [added, answer] : [added];
        for (const { messageId } of messages) checkNew(messageId);
        const records = messages.map((message) => ({ type: "message" as const, message }));
        await write(...records, ...(session ? [{ type: "agent" as const, ...session }] : []));
      }),
    addParts: (messageId, parts, used) =>
      inTurn(async () => {
        if (parts.length > 0 || used) await write({ type: "parts", messageId, parts, ...(used && { used }) });
      }),
    beforeCall: (toolId) =>
      inTurn(async () => {
        if (journal?.isShared === true) await write({ type: "call", toolId });
      }),
    finish: (messageId, interrupted, used) =>
      inTurn(async () => {
        await write({ type: "finish", messageId, interrupted: interrupted && cutText(interrupted, reasonChars), used });
        if (journal && isMuchLarger(journal.bytes, transcript, limits)) await compact();
        // For a power failure only; where the disk can't, what was written still survives the process.
        else await journal?.flush().catch((error) => onNotice(`the history could not be flushed to the disk: ${describeThrown(error)}`));
      }),
    get summaries() {
      return transcript.summaries;
    },
    addSummary: (summary) =>
      inTurn(async () => {
        const { through } = summary;
        if (!transcript.entries.some((entry) => entry.message.messageId === through))
          throw new HawserError("usage", `there is no message ${toShownId(through)} in this conversation`);
        await write({ type: "summary", ...summary });
      }),
    get used() {
      return transcript.used;
    },
    get agentSession() {
      return transcript.agentSession;
    },
    keepAgentSession: (session) => inTurn(() => write({ type: "agent", ...session })),
    get steers() {
      return transcript.steers;
    },
    addSteer: ({ steerId, target, message }) =>
      inTurn(async () => {
        const { agentSteerEntries } = agentLimits;
        if (transcript.steers.length >= agentSteerEntries)
          throw new HawserError("overloaded", `${agentSteerEntries} steers wait in this conversation; withdraw one, or wait`);
        await write({ type: "steer", steerId, target, message });
      }),
    changeSteer: (steerId, message) =>
      inTurn(async () => {
        const steer = transcript.steers.find((each) => each.steerId === steerId);
        if (steer) await write({ type: "steer", steerId, target: steer.target, message });
        return steer !== undefined;
      }),
    withdrawSteer: (steerId) =>
      inTurn(async () => {
        const isWaiting = transcript.steers.some((each) => each.steerId === steerId);
        if (isWaiting) await write({ type: "withdraw", steerId });
        return isWaiting;
      }),
    takeSteers: (messageId, target) =>
      inTurn(async () => {
        const steers = transcript.steers.filter((each) => each.target === target);
        const parts = steers.map(({ steerId, message }) => ({ type: "steer" as const, steerId, message }));
        if (parts.length > 0) await write({ type: "parts", messageId, parts });
        return steers;
      }),
    suggestTitle: (title) =>
      inTurn(async () => {
        const suggested = toTitle(title);
        if (suggested === "" || suggested === transcript.title || (transcript.title !== "" && !transcript.isTitleSuggested)) return;
        await write({ type: "title", title: suggested, isSuggested: true });
      }),
    rename: (title) => inTurn(() => write({ type: "title", title: toTitle(title) })),
    setFolders: (folders) => inTurn(() => write({ type: "folders", folders })),
    truncate: (after) => inTurn(() => removeAll({ type: "truncate", after })),
    clear: () => inTurn(() => removeAll({ type: "clear" })),
    close: () =>
      inTurn(async () => {
        isClosed = true;
        share.set(0);
        try {
          await journal?.close();
        } finally {
          options.onClosed(transcript);
        }
      }),
  };
}

/** Throws `overloaded` when this much more would be too much for all open conversations together. */
export function checkOpenBytes({ heldBytes }: ByteBudget, bytes: number, { maxOpenConversationBytes: maxBytes }: StoreLimits): void {
  if (heldBytes + bytes <= maxBytes) return;
  const message = `the open conversations hold ${heldBytes} bytes together; the limit is ${maxBytes}. Close or delete one first`;
  throw new HawserError("overloaded", message, { facts: { heldBytes, maxBytes } });
}
