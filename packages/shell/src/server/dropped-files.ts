// Files that are dropped on the page. A browser has no paths, and the runtime reads only paths inside its
// roots: so they are kept in a private folder of this launch, which is one of the roots, and is removed
// with it. Bounded in size, each and together. Written and read piece by piece: memory holds none of them.

import { randomUUID } from "node:crypto";
import { mkdir, open, rm, type FileHandle } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { describeThrown, HawserError } from "@hawser/protocol";
import { shellLimits } from "../limits.ts";
import { wireLimits } from "@hawser/wire";
import { createByteBudget, type ByteBudget, type Share } from "@hawser/wire/internal";
import { createPrivateFolder } from "@hawser/wire/internal/node";
import type { Reply } from "./respond.ts";

export interface DroppedFiles {
  readonly folder: string;
  /** Throws `too_large`, `overloaded` or `usage`. */
  keep(name: string, body: AsyncIterable<Buffer>): Promise<{ readonly path: string; readonly address: string }>;
  /** An image to show again; undefined for anything else. */
  read(address: string): Promise<Omit<Reply, "status"> | undefined>;
  remove(): void;
}

export function createDroppedFiles(): DroppedFiles {
  const { path: folder, remove } = createPrivateFolder("files");
  const kept = new Map<string, string>();
  // Those that are still coming count too.
  const room = createByteBudget(shellLimits.shellFilesBytes);

  return {
    folder,
    async keep(name, body) {
      const id = randomUUID();
      const path = join(folder, id, toSafeName(name));
      const share = room.openShare();
      try {
        await write(path, body, room, share);
      } catch (error) {
        share.set(0);
        // Half a file on a full disk would be in the way of everything else.
        await rm(join(folder, id), { recursive: true, force: true });
        throw error;
      }
      kept.set(`/files/${id}`, path);
      return { path, address: `/files/${id}` };
    },
    async read(address) {
      const path = kept.get(address);
      if (path === undefined) return undefined;
      return readImage(await open(path));
    },
    remove,
  };
}

/** The last part of what a browser says, without what a file name can't hold. */
function toSafeName(name: string): string {
  const last = basename(name.replaceAll("\\", "/")).replaceAll(/[\p{Cc}/\\:*?"<>|]/gu, "_");
  const safe = Buffer.from(last).subarray(0, maxNameBytes).toString("utf8").replaceAll("\ufffd", "");
  return safe === "" || safe === "." || safe === ".." ? "file" : safe;
}

const maxNameBytes = 200;

/** What comes after a refusal is read and dropped, up to a limit: a client that is still writing does not see an answer. */
async function write(path: string, body: AsyncIterable<Buffer>, room: ByteBudget, share: Share): Promise<void> {
  let refusal: HawserError | undefined;
  const noteFailure = (cause: unknown): void => void (refusal = toNotKept(cause));
  const file = await create(path).catch(noteFailure);
  let length = 0;
  try {
    for await (const chunk of body) {
      length += chunk.length;
      refusal ??= refuse(length, room.heldBytes + chunk.length);
      if (refusal === undefined) {
        share.set(length);
        await file?.writeFile(chunk).catch(noteFailure);
      } else if (length > wireLimits.maxDiscardBytes) break;
    }
  } finally {
    await file?.close();
  }
  if (refusal) throw refusal;
}

async function create(path: string): Promise<FileHandle> {
  await mkdir(dirname(path), { mode: 0o700 });
  return open(path, "wx", 0o600);
}

const toNotKept = (cause: unknown): HawserError =>
  new HawserError("overloaded", `the file can't be kept: ${describeThrown(cause)}`, { cause });

function refuse(bytes: number, bytesTogether: number): HawserError | undefined {
  const { shellFileBytes: max, shellFilesBytes: maxTogether } = shellLimits;
  if (bytes > max) return new HawserError("too_large", `the file is larger than ${max} bytes; put it into the working folder instead`);
  if (bytesTogether <= maxTogether) return undefined;
  return new HawserError("overloaded", `the files dropped here are more than ${maxTogether} bytes together; restart the shell`);
}

async function readImage(file: FileHandle): Promise<Omit<Reply, "status"> | undefined> {
  const head = Buffer.alloc(signatureBytes);
  try {
    await file.read(head, 0, signatureBytes, 0);
    const { size } = await file.stat();
    const type = imageType(head);
    // The stream closes the file, also when it is not read to its end.
    if (type !== undefined) return { type, body: file.createReadStream({ start: 0 }), headers: { "Content-Length": String(size) } };
  } catch (error) {
    await file.close();
    throw error;
  }
  await file.close();
  return undefined;
}

const signatureBytes = 12;

const signatures: readonly (readonly [string, string])[] = [
  ["image/png", "89504e470d0a1a0a"],
  ["image/jpeg", "ffd8ff"],
  ["image/gif", "47494638"],
];

/** By its content: what a name or a browser says is not to be believed. */
function imageType(content: Buffer): string | undefined {
  const head = content.subarray(0, signatureBytes).toString("hex");
  if (head.startsWith("52494646") && head.slice(16) === "57454250") return "image/webp";
  return signatures.find(([, signature]) => head.startsWith(signature))?.[0];
}
