// The journal of a conversation whose log machines share: the same lines as in a file, read by the same code. A machine that takes a
// conversation over says so first, and ends what the one before it has left without an end, all in one write.

import { HawserError, type ConversationMessage } from "@hawser/protocol";
import { toShownId } from "./conversation-files.ts";
import type { ConversationLog } from "./conversation-log.ts";
import type { StoreLimits } from "./conversation-store.ts";
import type { Journal } from "./journal.ts";
import { loadJournal, type JournalLine, type JournalLines, type LoadedJournal } from "./load-journal.ts";
import { toHeaderLine, toRecordLine, toRecordText, type JournalRecord } from "./record.ts";
import { isMuchLarger, summaryOf, toLines, type Transcript } from "./transcript.ts";

export interface LogJournalOptions {
  readonly log: ConversationLog;
  readonly conversationId: string;
  readonly limits: StoreLimits;
  onNotice(message: string): void;
}

export interface OpenedLogJournal {
  readonly journal: Journal;
  readonly transcript: Transcript;
  /** The answer that the machine before this one has left without an end, as it is now. */
  readonly interrupted: ConversationMessage | undefined;
}

/** Claims the log, and mends what a dead machine has left. */
export async function openLogJournal({ log, conversationId, limits, onNotice }: LogJournalOptions): Promise<OpenedLogJournal> {
  const loaded = await readLog(log.read(), conversationId, limits);
  const { transcript, damagedLines, isCut, unfinished } = loaded;
  const shown = `conversation ${toShownId(conversationId)}`;
  if (damagedLines > 0) onNotice(`${shown}: ${damagedLines} of its records could not be read, and are left out`);
  if (isCut) onNotice(`${shown}: it is too large to be held whole, the newest messages are there`);
  const interrupted = unfinished && transcript.entries.at(-1)?.message;
  const records: JournalRecord[] = [{ type: "claim", by: log.owner }];
  if (interrupted) records.push({ type: "finish", messageId: interrupted.messageId, interrupted: interrupted.interrupted });
  const header = loaded.version === undefined ? toHeaderLine(conversationId) : "";
  const lines = records.flatMap((record) => toRecordLine(toRecordText(record), summaryOf(transcript)));
  await log.claim(header + lines.join(""));
  const journal = createLogJournal(log, conversationId, loaded);
  if (damagedLines === 0 && !isCut && isMuchLarger(log.bytes, transcript, limits)) await journal.rewrite(toLines(transcript));
  return { journal, transcript, interrupted };
}

function createLogJournal(log: ConversationLog, conversationId: string, { version = Infinity, transcript }: LoadedJournal): Journal {
  let isRewritten = false;
  let isClosed = false;
  /** Nothing was ever said in it. */
  let isUnused = transcript.updatedAt === 0;
  const checkOpen = (): void => {
    if (isClosed) throw new HawserError("closed", "the conversation is closed");
  };
  return {
    isShared: true,
    get bytes() {
      return log.bytes;
    },
    get isStale() {
      return log.isLost;
    },
    needsRewrite: async (needed) => (!isRewritten && version < needed ? "old" : undefined),
    async append(line) {
      checkOpen();
      isUnused = false;
      await log.append(line.join(""));
    },
    async rewrite(lines) {
      checkOpen();
      await log.rewrite([toHeaderLine(conversationId), ...Array.from(lines, (line) => line.join(""))].join(""));
      isRewritten = true;
    },
    cut: async () => {},
    // What is acknowledged is as safe as the servers keep it.
    flush: async () => {},
    async close() {
      if (isClosed) return;
      isClosed = true;
      try {
        // One that was only looked for is not there afterwards.
        if (isUnused && !log.isLost) await log.remove();
      } finally {
        await log.close();
      }
    },
  };
}

export const readLog = (texts: AsyncIterable<string>, conversationId: string, limits: StoreLimits): Promise<LoadedJournal> =>
  loadJournal(toLogLines(texts), { path: `of conversation ${toShownId(conversationId)}`, conversationId, limits });

const toLogLines = (texts: AsyncIterable<string>): JournalLines => ({
  size: 0,
  async *read(maxLineBytes): AsyncGenerator<JournalLine> {
    let start = 0;
    for await (const text of texts) {
      for (const line of text.split("\n").slice(0, -1)) {
        const bytes = Buffer.from(line);
        yield { bytes: bytes.length > maxLineBytes ? undefined : bytes, start, hasEnd: true };
        start += bytes.length + 1;
      }
    }
  },
});
