// Reads the files that a user has attached to a message, all or none: images and text, by path inside the
// allowed roots. Where a path may lead is decided by the function that opens it; here the open file is
// judged: a regular one, not too large, and its content what its sender says it is.

import { describeThrown, HawserError, quoteShort, type ErrorCode } from "@hawser/protocol/internal";
import { expectationOf, imageHeadBytes, imageMimeOf, textOf } from "../tools/files/file-kind.ts";
import { agentLimits } from "../limits.ts";
import type { AttachedContent } from "../model/model.ts";
import type { RulesPolicy } from "../permissions/create-policy.ts";
import { openInside, type OpenedFile } from "../tools/files/open-inside.ts";
import type { Roots } from "../tools/files/roots.ts";

export type NamedFile = Pick<AttachedContent, "path" | "mime">;

/** What is needed of an open file; Node's FileHandle has it. */
export interface ReadableFile {
  stat(): Promise<{ readonly size: number; isFile(): boolean }>;
  read(buffer: Buffer, offset: number, length: number, position: number): Promise<{ readonly bytesRead: number }>;
  close(): Promise<void>;
}

export interface ReadAttachmentsOptions {
  /** Opens a file inside the allowed roots, without waiting (a pipe would), or throws why not. */
  open(path: string): Promise<{ readonly handle: ReadableFile }>;
  readonly signal?: AbortSignal | undefined;
}

/** Reads files inside these roots, as far as no rule denies it. */
export function createAttachmentReader(place: Omit<OpenAttachmentOptions, "isEarlier">) {
  return (files: readonly NamedFile[], signal: AbortSignal, isEarlier = false): Promise<AttachedContent[]> =>
    readAttachments(files, { open: (path) => openAttachment(path, { ...place, isEarlier }), signal });
}

/** In the given order. Throws what is wrong with the first that can't be taken. */
export async function readAttachments(files: readonly NamedFile[], options: ReadAttachmentsOptions): Promise<AttachedContent[]> {
  const { maxAttachedBytes } = agentLimits;
  checkAttachmentCount(files);
  const contents: AttachedContent[] = [];
  let bytes = 0;
  for (const file of files) {
    options.signal?.throwIfAborted();
    const content = await readOne(file, options);
    bytes += Buffer.byteLength(content.content);
    if (bytes > maxAttachedBytes) {
      const message = `the attachments have more than ${maxAttachedBytes} bytes together; attach fewer or smaller files`;
      throw new HawserError("too_large", message, { facts: { maxAttachedBytes } });
    }
    contents.push(content);
  }
  return contents;
}

/** Throws `too_large` when these are more than one message may have. */
export function checkAttachmentCount(files: readonly NamedFile[]): void {
  const { attachmentEntries } = agentLimits;
  if (files.length <= attachmentEntries) return;
  const message = `${files.length} attachments; the limit is ${attachmentEntries}. Attach fewer, or name the files and let the agent read them`;
  throw new HawserError("too_large", message, { facts: { attachments: files.length, attachmentEntries } });
}

const advice = "attach a PNG, JPEG, GIF or WebP image, or a text file";

async function readOne(file: NamedFile, { open }: ReadAttachmentsOptions): Promise<AttachedContent> {
  const { path } = file;
  const expected = expectationOf(file.mime);
  if (expected === "unsupported") throw refuse(path, `files of type ${JSON.stringify(file.mime)} can't be attached; ${advice}`);
  const { handle } = await open(path).catch((error: unknown) => {
    throw refuse(path, reasonOf(error), { cause: error });
  });
  try {
    const found = await handle.stat();
    if (!found.isFile()) throw refuse(path, "it is not a regular file");
    const head = Buffer.alloc(imageHeadBytes);
    const { bytesRead } = await handle.read(head, 0, imageHeadBytes, 0);
    const image = imageMimeOf(head.subarray(0, bytesRead));
    if (expected !== "any" && expected !== (image ?? "text"))
      throw refuse(path, `its type is given as ${file.mime}, but its content is ${image ?? "not such an image"}; give its real type`);
    const bytes = await readWhole(handle, found.size, { path, maxBytes: image ? agentLimits.maxImageBytes : agentLimits.maxTextFileBytes });
    if (image) return { path, mime: image, content: new Uint8Array(bytes) };
    const text = textOf(bytes);
    if (text === undefined) throw refuse(path, `its content is neither an image nor text in UTF-8; ${advice}`);
    return { path, mime: expected === "any" ? "text/plain" : file.mime, content: text };
  } catch (error) {
    throw HawserError.isInstance(error) ? error : refuse(path, reasonOf(error), { cause: error });
  } finally {
    await handle.close();
  }
}

/** A file may grow while it is read, or say that it has no size: what counts is what is read. */
async function readWhole(handle: ReadableFile, size: number, { path, maxBytes }: { path: string; maxBytes: number }): Promise<Buffer> {
  const tooLarge = (): HawserError =>
    refuse(path, `it has more than ${maxBytes} bytes, the limit; attach a smaller one`, { code: "too_large" });
  if (size > maxBytes) throw tooLarge();
  let buffer = Buffer.alloc(Math.min(size, maxBytes) + 1);
  let length = 0;
  for (;;) {
    const { bytesRead } = await handle.read(buffer, length, buffer.length - length, length);
    length += bytesRead;
    if (length > maxBytes) throw tooLarge();
    if (bytesRead === 0) return buffer.subarray(0, length);
    if (length === buffer.length) buffer = Buffer.concat([buffer], Math.min(length * 2 + 4_096, maxBytes + 1));
  }
}

function reasonOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  if (code === "ENOENT") return "there is no such file";
  if (code === "EISDIR") return "it is a folder; attach a file";
  if (code === "EACCES" || code === "EPERM") return "it may not be read";
  return describeThrown(error);
}

function refuse(path: string, reason: string, details: { cause?: unknown; code?: ErrorCode | undefined } = {}): HawserError {
  const { cause, code = "invalid_message" } = details;
  return new HawserError(code, `attachment ${quoteShort(path, 200)}: ${reason}`, { cause, facts: { path } });
}

export interface OpenAttachmentOptions {
  readonly roots: Roots;
  readonly policy: Pick<RulesPolicy, "denialOfReading">;
  /** It was attached to an earlier message. */
  readonly isEarlier?: boolean | undefined;
}

/** The caller closes `handle`. */
export async function openAttachment(path: string, { roots, policy, isEarlier = false }: OpenAttachmentOptions): Promise<OpenedFile> {
  const file = await openInside(roots, path);
  const named = roots.show(roots.locate(path));
  const denial = policy.denialOfReading([...new Set([named, file.shown])]);
  const problem = denial ?? (isEarlier && named !== file.shown ? "it leads through a link, which is not followed again" : undefined);
  if (problem === undefined) return file;
  await file.handle.close();
  throw new HawserError("invalid_message", problem);
}
