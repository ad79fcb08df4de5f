// The file of one conversation while it is open. `append` resolves when the whole line is written: from then on a killed
// process loses nothing of it. A failed write leaves no half line behind. A rewrite goes to another file first, which
// then takes the name, so there is a whole journal at every moment. What can't be read is kept beside it.

import { constants } from "node:fs";
import { copyFile, link, lstat, rename, rm, type FileHandle } from "node:fs/promises";
import { basename } from "node:path";
import { describeThrown, HawserError, splitText } from "@hawser/protocol/internal";
import { createHolderName } from "@hawser/wire/internal/node";
import { createPrivateFile, isMissing, openPrivateFile, toShownId, unusable } from "./conversation-files.ts";
import { loadJournal, toFileLines, type JournalSource, type LoadedJournal } from "./load-journal.ts";
import { toHeaderLine } from "./record.ts";
import { createTranscript, isMuchLarger, toLines, type Transcript } from "./transcript.ts";

export interface Journal {
  readonly bytes: number;
  /** Whether other machines may take it over: what must not happen twice is written down before. */
  readonly isShared?: boolean;
  /** Whether the file holds something else by now than what was read: it has to be opened again. */
  readonly isStale: boolean;
  /** Whether the file has to be written again before the next line: it was removed under us, or is of an earlier format than that. */
  needsRewrite(version: number): Promise<"gone" | "old" | undefined>;
  /** A line is given in pieces, which are written one after the other. */
  append(line: readonly string[]): Promise<void>;
  /** Replaces all lines, keeping the file as it was under another name if one is given. */
  rewrite(lines: Iterable<readonly string[]>, setAsideAs?: string): Promise<void>;
  /** Cuts off a line that was not written to its end. */
  cut(bytes: number): Promise<void>;
  /** Down to the disk itself. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

interface JournalOptions {
  readonly path: string;
  readonly headerLine: string;
  /** Undefined for one that is made with the first line. */
  readonly file?: { readonly handle: FileHandle; readonly size: number } | undefined;
  /** The version of its format, as it was read; undefined for that of this Hawser. */
  version?(): number | undefined;
  /** Called before every write; false when it had to be taken anew. Throws when the lock was lost and another process has it. */
  ensureLock?(): Promise<boolean>;
}

/** A file that is written and not yet a journal: `<journal>.new-<holder>`. */
export const newFileMark = ".new-";
/** A journal as it was before it was mended: `<journal>.damaged-<time>`. */
export const damagedMark = ".damaged-";

// A long line is written piece by piece, since all of it as bytes would take the memory twice.
const batchChars = 262_144;

export function createJournal({ path, headerLine, file, version, ensureLock }: JournalOptions): Journal {
  let handle = file?.handle;
  let isRewritten = false;
  const isOlderThan = (needed: number): boolean => !isRewritten && (version?.() ?? Infinity) < needed;
  let bytes = file?.size ?? 0;
  /** Set when the end of the file is not known any more. */
  let broken: HawserError | undefined;
  let isStale = false;

  async function writeOrTakeBack(into: FileHandle, pieces: readonly string[]): Promise<void> {
    try {
      bytes += await writeTexts(into, pieces);
    } catch (error) {
      const failure = unwritable(path, error);
      await into.truncate(bytes).catch(() => void (broken = failure));
      throw failure;
    }
  }

  async function checkFile(current: FileHandle): Promise<void> {
    const [named, opened] = await Promise.all([lstat(path, { bigint: true }), current.stat({ bigint: true })]);
    if (named.ino === opened.ino && named.dev === opened.dev && opened.size === BigInt(bytes)) return;
    isStale = true;
    throw unusable(path, "another program has changed it while it was open; the next use opens it again, as it is then");
  }

  const isGone = async (): Promise<boolean> => handle !== undefined && isMissing(path);

  return {
    get bytes() {
      return bytes;
    },
    get isStale() {
      return isStale;
    },
    needsRewrite: async (needed) => ((await isGone()) ? "gone" : isOlderThan(needed) ? "old" : undefined),
    async append(line) {
      if (broken) throw broken;
      // Side by side: for each of them a turn would wait for another thread.
      const checked = handle && checkFile(handle);
      checked?.catch(() => {});
      const wasHeld = (await ensureLock?.()) ?? true;
      await checked;
      // While the lock was lost, another runtime may have written after that look.
      if (handle && !wasHeld) await checkFile(handle);
      handle ??= await createFile(path);
      await writeOrTakeBack(handle, bytes === 0 ? [headerLine, ...line] : line);
    },
    async rewrite(lines, setAsideAs) {
      await ensureLock?.();
      // While the lock was lost, another runtime may have written: what it wrote is not replaced by what is in memory here.
      // A file that is set aside is kept anyway, and a broken one is ours to mend.
      if (handle && setAsideAs === undefined && !broken && !(await isGone())) await checkFile(handle);
      const fresh = await writeFresh(path, headerLine, lines);
      try {
        if (setAsideAs !== undefined) await keepAs(path, setAsideAs);
        await rename(fresh.path, path);
      } catch (error) {
        await fresh.handle.close();
        await rm(fresh.path, { force: true });
        throw error;
      }
      await handle?.close();
      [handle, bytes, broken, isRewritten] = [fresh.handle, fresh.bytes, undefined, true];
    },
    async cut(keptBytes) {
      await handle?.truncate(keptBytes);
      bytes = keptBytes;
    },
    async flush() {
      await handle?.datasync();
    },
    async close() {
      const closing = handle;
      handle = undefined;
      broken ??= new HawserError("closed", "the conversation is closed");
      await closing?.close();
    },
  };
}

/** Short pieces together, long ones in parts. Returns how many bytes it were. */
async function writeTexts(handle: FileHandle, texts: Iterable<string>): Promise<number> {
  let [bytes, batch] = [0, ""];
  async function writeBatch(): Promise<void> {
    const data = Buffer.from(batch);
    batch = "";
    await writeAll(handle, data);
    bytes += data.length;
  }
  for (const text of texts) {
    for (const piece of splitText(text, batchChars)) {
      if (batch.length + piece.length > batchChars) await writeBatch();
      batch += piece;
    }
  }
  await writeBatch();
  return bytes;
}

// One write takes all of it, except on a disk that is almost full.
async function writeAll(handle: FileHandle, data: Buffer): Promise<void> {
  for (let at = 0; at < data.length;) at += (await handle.write(data, at)).bytesWritten;
}

async function writeFresh(
  path: string,
  headerLine: string,
  lines: Iterable<readonly string[]>,
): Promise<{ path: string; handle: FileHandle; bytes: number }> {
  const freshPath = `${path}${newFileMark}${createHolderName()}`;
  const handle = await createFile(freshPath);
  try {
    const bytes = await writeTexts(handle, textsOf(headerLine, lines));
    // A name that leads to a file without content is what a power failure would make of it otherwise.
    await handle.datasync();
    return { path: freshPath, handle, bytes };
  } catch (error) {
    await handle.close();
    await rm(freshPath, { force: true });
    throw unwritable(path, error);
  }
}

function* textsOf(headerLine: string, lines: Iterable<readonly string[]>): Generator<string> {
  yield headerLine;
  for (const line of lines) yield* line;
}

async function createFile(path: string): Promise<FileHandle> {
  try {
    return await createPrivateFile(path);
  } catch (error) {
    throw unwritable(path, error);
  }
}

const unwritable = (path: string, error: unknown): HawserError =>
  new HawserError("internal", `the history can't be written: ${describeThrown(error)}`, { cause: error, facts: { path } });

/** A second name costs nothing, whatever the size; a file system without hard links gets a copy. */
async function keepAs(path: string, otherPath: string): Promise<void> {
  await link(path, otherPath).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "EEXIST") throw error;
    return copyFile(path, otherPath, constants.COPYFILE_EXCL);
  });
}

export interface OpenJournalOptions extends JournalSource {
  onNotice(message: string): void;
  /** False when it had to be taken anew. Throws when it was lost and another process has it. */
  ensureLock(): Promise<boolean>;
}

interface OpenedJournal {
  readonly journal: Journal;
  readonly transcript: Transcript;
}

/** For a conversation that is locked. Mends it if that is needed, and says so. */
export async function openJournal(options: OpenJournalOptions): Promise<OpenedJournal> {
  const { path, conversationId, ensureLock } = options;
  const file = await openPrivateFile(path, "append");
  let version: number | undefined;
  const journal = createJournal({ path, headerLine: toHeaderLine(conversationId), file, version: () => version, ensureLock });
  if (!file) return { journal, transcript: createTranscript() };
  try {
    const loaded = await loadJournal(toFileLines(file), options);
    version = loaded.version;
    await mend(journal, loaded, options);
    return { journal, transcript: loaded.transcript };
  } catch (error) {
    await journal.close();
    throw error;
  }
}

/** As it can be read, without a lock and without mending it; every change is refused with this reason. */
export async function readJournal(source: JournalSource, reason: HawserError): Promise<OpenedJournal> {
  const file = await openPrivateFile(source.path, "read");
  const refuse = (): Promise<never> => Promise.reject(reason);
  const ignore = async (): Promise<void> => {};
  // Others may write to it, and it may become writable: the next use reads it again.
  const readOnly = { bytes: 0, isStale: true, needsRewrite: async () => undefined, append: refuse, rewrite: refuse, cut: refuse };
  const journal: Journal = { ...readOnly, flush: ignore, close: ignore };
  if (!file) return { journal, transcript: createTranscript() };
  try {
    return { journal, transcript: (await loadJournal(toFileLines(file), source)).transcript };
  } finally {
    await file.handle.close();
  }
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
