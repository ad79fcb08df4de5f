// Opens the journal of a conversation that is locked, mends it if that is needed, and says so. What can't
// be read is kept beside it under `<journal>.damaged-<time>`; nothing is ever emptied.

import { basename } from "node:path";
import type { HawserError } from "@hawser/protocol";
import { createJournal, type Journal } from "./journal.ts";
import { loadJournal, type LoadedJournal } from "./load-journal.ts";
import { openPrivateFile, toShownId } from "./conversation-files.ts";
import { toHeaderLine } from "./record.ts";
import type { StoreLimits } from "./conversation-store.ts";
import { createTranscript, isMuchLarger, toLines, type Transcript } from "./transcript.ts";

export interface OpenJournalOptions {
  readonly path: string;
  readonly conversationId: string;
  readonly limits: StoreLimits;
  onNotice(message: string): void;
  /** Throws when the lock was lost and another process has it. */
  ensureLock(): Promise<void>;
}

export const damagedMark = ".damaged-";

interface OpenedJournal {
  readonly journal: Journal;
  readonly transcript: Transcript;
}

export async function openJournal(options: OpenJournalOptions): Promise<OpenedJournal> {
  const { path, conversationId, limits, ensureLock } = options;
  const headerLine = toHeaderLine(conversationId);
  const file = await openPrivateFile(path, "append");
  const journal = createJournal({ path, headerLine, file, ensureLock });
  if (!file) return { journal, transcript: createTranscript() };
  try {
    const loaded = await loadJournal({ handle: file.handle, size: file.size, path, conversationId }, limits);
    await mend(journal, loaded, options);
    return { journal, transcript: loaded.transcript };
  } catch (error) {
    await journal.close();
    throw error;
  }
}

/** As it can be read, without a lock and without mending it; every change is refused with this reason. */
export async function readJournal(options: Omit<OpenJournalOptions, "ensureLock">, reason: HawserError): Promise<OpenedJournal> {
  const { path, conversationId, limits } = options;
  const file = await openPrivateFile(path, "read");
  const journal = createReadOnlyJournal(reason);
  if (!file) return { journal, transcript: createTranscript() };
  try {
    const { transcript } = await loadJournal({ handle: file.handle, size: file.size, path, conversationId }, limits);
    return { journal, transcript };
  } finally {
    await file.handle.close();
  }
}

function createReadOnlyJournal(reason: HawserError): Journal {
  const refuse = (): Promise<never> => Promise.reject(reason);
  const ignore = async (): Promise<void> => {};
  // Others may write to it, and it may become writable: the next one who uses it reads it again.
  return { bytes: 0, isStale: true, isGone: async () => false, append: refuse, rewrite: refuse, cut: refuse, flush: ignore, close: ignore };
}

async function mend(journal: Journal, loaded: LoadedJournal, options: OpenJournalOptions): Promise<void> {
  const { path, conversationId, limits, onNotice } = options;
  const { transcript, damagedLines, isCut, keptBytes } = loaded;
  const shown = `conversation ${toShownId(conversationId)}`;
  const torn = journal.bytes - keptBytes;
  if (torn > 0) {
    onNotice(`${shown}: its last record was not written to its end by a process that was killed; ${torn} bytes of it were removed`);
    await journal.cut(keptBytes);
  } else if (loaded.lacksNewline) {
    await journal.append(["\n"]);
  }
  if (damagedLines === 0 && !isCut) {
    // A process that was killed right after messages were removed has not come to this.
    if (isMuchLarger(journal.bytes, transcript, limits)) await journal.rewrite(toLines(transcript));
    return;
  }
  const aside = `${path}${damagedMark}${new Date().toISOString().replaceAll(/[-:.]/g, "")}`;
  await journal.rewrite(toLines(transcript), aside);
  const what =
    damagedLines > 0
      ? `${damagedLines} of its records could not be read`
      : "it is too large to be held whole, the newest messages were kept";
  onNotice(`${shown}: ${what}; ${transcript.entries.length} messages are there, and the file as it was is kept as ${basename(aside)}`);
}
