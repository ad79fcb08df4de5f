// Files that are dropped on the page. A browser has no paths, and the runtime reads only paths inside its
// roots: so they are kept in a private folder of this launch, which is one of the roots, and is removed
// with it. Bounded in size, each and together.

import { randomUUID } from "node:crypto";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { describeThrown, HawserError } from "@hawser/protocol";
import { shellLimits } from "../limits.ts";
import { wireLimits } from "@hawser/wire";
import { createByteBudget, type ByteBudget, type Share } from "@hawser/wire/internal";
import { createPrivateFolder } from "@hawser/wire/internal/node";
import type { PageFile } from "./page-files.ts";

export interface DroppedFiles {
  readonly folder: string;
  /** Throws `too_large`, `overloaded` or `usage`. */
  keep(name: string, body: AsyncIterable<Buffer>): Promise<{ readonly path: string; readonly address: string }>;
  /** An image to show again; undefined for anything else. */
  read(address: string): Promise<PageFile | undefined>;
  remove(): void;
}

export function createDroppedFiles(): DroppedFiles {
  const { path: folder, remove } = createPrivateFolder("files");
  const kept = new Map<string, string>();
  // Those that are still coming are held in memory, and count too.
  const room = createByteBudget(shellLimits.shellFilesBytes);

  return {
    folder,
    async keep(name, body) {
      const id = randomUUID();
      const path = join(folder, id, toSafeName(name));
      const share = room.openShare();
      try {
        await write(path, await collect(body, room, share));
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
      const body = await readFile(path);
      const type = imageType(body);
      return type === undefined ? undefined : { type, body };
    },
    remove,
  };
}

async function write(path: string, content: Buffer): Promise<void> {
  try {
    await mkdir(dirname(path), { mode: 0o700 });
    await writeFile(path, content, { flag: "wx", mode: 0o600 });
  } catch (cause) {
    throw new HawserError("overloaded", `the file can't be kept: ${describeThrown(cause)}`, { cause });
  }
}

/** The last part of what a browser says, without what a file name can't hold. */
function toSafeName(name: string): string {
  const last = basename(name.replaceAll("\\", "/")).replaceAll(/[\p{Cc}/\\:*?"<>|]/gu, "_");
  const safe = Buffer.from(last).subarray(0, maxNameBytes).toString("utf8").replaceAll("\ufffd", "");
  return safe === "" || safe === "." || safe === ".." ? "file" : safe;
}

const maxNameBytes = 200;

async function collect(body: AsyncIterable<Buffer>, room: ByteBudget, share: Share): Promise<Buffer> {
  const { shellFileBytes: max, shellFilesBytes: maxTogether } = shellLimits;
  const chunks: Buffer[] = [];
  let length = 0;
  let isHeld = true;
  for await (const chunk of body) {
    length += chunk.length;
    isHeld &&= length <= max && room.heldBytes + chunk.length <= maxTogether;
    if (isHeld) {
      share.set(length);
      chunks.push(chunk);
      // The rest is read and dropped, up to a limit: a client that is still writing does not see an answer.
    } else if (length > wireLimits.maxDiscardBytes) break;
  }
  if (isHeld) return Buffer.concat(chunks);
  if (length > max) throw new HawserError("too_large", `the file is larger than ${max} bytes; put it into the working folder instead`);
  throw new HawserError("overloaded", `the files dropped here are more than ${maxTogether} bytes together; restart the shell`);
}

const signatures: readonly (readonly [string, string])[] = [
  ["image/png", "89504e470d0a1a0a"],
  ["image/jpeg", "ffd8ff"],
  ["image/gif", "47494638"],
];

/** By its content: what a name or a browser says is not to be believed. */
function imageType(content: Buffer): string | undefined {
  const head = content.subarray(0, 12).toString("hex");
  if (head.startsWith("52494646") && head.slice(16) === "57454250") return "image/webp";
  return signatures.find(([, signature]) => head.startsWith(signature))?.[0];
}
