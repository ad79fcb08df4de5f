// Reads a journal back, in bounded memory, and says what is wrong with it. Nothing is changed here. A line
// that was not written to its end is told from damage: it is the last one, has no end, and begins like a
// record; it was never acknowledged. Every other line that isn't a record is damage.

import type { FileHandle } from "node:fs/promises";
import type { ConversationMessage } from "@hawser/protocol";
import { unusable, type PrivateFile } from "./conversation-files.ts";
import type { StoreLimits } from "./conversation-store.ts";
import { isTornHeader, parseHeader, parseRecord, parseSummary, recordBeginning, withoutSummary } from "./record.ts";
import { applyRecord, createTranscript, dropOldest, repairTranscript, weighRecord, type Transcript } from "./transcript.ts";

export interface LoadedJournal {
  readonly transcript: Transcript;
  /** How much of the file is to be kept; the rest is a line that was not written to its end. */
  readonly keptBytes: number;
  /** The last line is whole, only its end is missing. */
  readonly lacksNewline: boolean;
  /** Lines that could not be read. */
  readonly damagedLines: number;
  /** Which version of the format has written it; undefined where its first line can't be read. */
  readonly version: number | undefined;
  /** Whether older messages were left out because all of them would be too many. */
  readonly isCut: boolean;
  /** The answer that was being made when its process ended; in the transcript it is closed. */
  readonly unfinished: ConversationMessage | undefined;
}

/** Where a journal's lines come from: a file, or a log that machines share. */
export interface JournalLines {
  readonly size: number;
  /** From this byte on; a line longer than the limit comes without its bytes. */
  read(maxLineBytes: number, from: number): AsyncIterable<JournalLine>;
}

export interface JournalLine {
  /** Undefined when the line is longer than the limit. */
  readonly bytes: Buffer | undefined;
  /** Where it begins. */
  readonly start: number;
  /** The last line may have no end. */
  readonly hasEnd: boolean;
}

export const toFileLines = ({ handle, size }: Pick<PrivateFile, "handle" | "size">): JournalLines => ({
  size,
  read: (maxLineBytes, from) => readFileLines(handle, maxLineBytes, from),
});

export interface JournalSource {
  readonly path: string;
  readonly conversationId: string;
  readonly limits: StoreLimits;
}

/** Throws for a file that must not be touched: of another conversation, or of a newer version. */
export async function loadJournal({ size, read }: JournalLines, source: JournalSource): Promise<LoadedJournal> {
  const { path, conversationId, limits } = source;
  // Twice of what may be written: what is repaired comes on top, and nothing that was taken may be too much.
  const maxBytes = limits.maxConversationBytes * 2;
  const from = Math.max(0, size - limits.maxJournalBytes);
  const transcript = createTranscript();
  let [keptBytes, damagedLines, lacksNewline, isCut] = [size, 0, false, from > 0];
  let version: number | undefined;

  function takeHeader(text: string | undefined, line: JournalLine): void {
    const header = text === undefined ? ({ kind: "none" } as const) : parseHeader(text);
    if (header.kind === "newer") throw unusable(path, header.problem);
    if (header.kind === "known") {
      if (header.conversationId !== conversationId) throw unusable(path, "it belongs to another conversation");
      lacksNewline = !line.hasEnd;
      version = header.version;
    } else if (!line.hasEnd && line.bytes && isTornHeader(line.bytes, conversationId)) keptBytes = 0;
    else damagedLines++;
  }

  function takeRecord(text: string | undefined, line: JournalLine): void {
    const outcome = text === undefined ? "damaged" : applyText(text);
    if (outcome === "applied") lacksNewline = !line.hasEnd;
    else if (outcome === "damaged" && !line.hasEnd && text !== undefined && isTornRecord(text)) keptBytes = line.start;
    else if (outcome === "damaged") damagedLines++;
    else isCut = true;
  }

  function applyText(text: string): "applied" | "damaged" | "beyond" {
    const bytes = weighRecord(withoutSummary(text));
    // Before it is parsed: a text of brackets takes many times its length as a value.
    if (bytes > maxBytes) return "beyond";
    const record = parseRecord(text);
    if (!record) return "damaged";
    const answerBytes = record.type === "parts" ? (transcript.entries.at(-1)?.bytes ?? 0) : 0;
    if (answerBytes + bytes > maxBytes) return "beyond";
    try {
      applyRecord(transcript, record, bytes);
    } catch {
      // What it belongs to was left out, or was damaged.
      if (!isCut) return "damaged";
      // All that is there came after the message that is to be the last one.
      if (record.type === "truncate") applyRecord(transcript, { type: "clear" }, 0);
      return "beyond";
    }
    transcript.updatedAt = parseSummary(text)?.updatedAt ?? transcript.updatedAt;
    if (transcript.bytes > maxBytes) isCut = dropOldest(transcript, maxBytes) > 0 || isCut;
    return "applied";
  }

  function take(line: JournalLine): void {
    // An editor may have left an empty line.
    if (line.bytes?.length === 0) return;
    const text = line.bytes && decode(line.bytes);
    if (line.start === 0) takeHeader(text, line);
    else takeRecord(text, line);
  }

  if (from > 0) {
    for await (const line of read(maxBytes, 0)) {
      take(line);
      break;
    }
  }
  for await (const line of read(maxBytes, from)) {
    // After a jump, the first line is the end of one.
    if (from === 0 || line.start > from) take(line);
  }
  const last = transcript.entries.at(-1);
  const unfinished = last?.isComplete === false ? last.message : undefined;
  repairTranscript(transcript);
  return { transcript, keptBytes, lacksNewline, damagedLines, version, isCut, unfinished };
}

const isTornRecord = (text: string): boolean => text.startsWith(recordBeginning) || recordBeginning.startsWith(text);

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** A cut may go through a character; what is before it still tells a torn record. */
function decode(bytes: Buffer): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return bytes.subarray(0, recordBeginning.length).toString("latin1") === recordBeginning ? recordBeginning : undefined;
  }
}

const chunkBytes = 262_144;

/** The lines of a file, split at byte 0x0A, in bounded memory: one chunk and one line at a time. A line longer than the limit is skipped. */
async function* readFileLines(handle: FileHandle, maxLineBytes: number, from: number): AsyncGenerator<JournalLine> {
  let pieces: Buffer[] = [];
  let held = 0;
  let start = from;
  let position = from;

  function take(piece: Buffer): void {
    held += piece.length;
    if (held > maxLineBytes) pieces = [];
    else pieces.push(piece);
  }

  function finishLine(hasEnd: boolean): JournalLine {
    const line = { bytes: held > maxLineBytes ? undefined : Buffer.concat(pieces), start, hasEnd };
    start += held + (hasEnd ? 1 : 0);
    [pieces, held] = [[], 0];
    return line;
  }

  for (;;) {
    // A new one each time: the pieces of an unfinished line point into it.
    const buffer = Buffer.allocUnsafe(chunkBytes);
    const { bytesRead } = await handle.read(buffer, 0, chunkBytes, position);
    if (bytesRead === 0) break;
    position += bytesRead;
    const chunk = buffer.subarray(0, bytesRead);
    let at = 0;
    for (let end = chunk.indexOf(0x0a); end !== -1; end = chunk.indexOf(0x0a, at)) {
      take(chunk.subarray(at, end));
      yield finishLine(true);
      at = end + 1;
    }
    if (at < chunk.length) take(chunk.subarray(at));
  }
  if (held > 0) yield finishLine(false);
}
