// Drafts: files on their way to replace another one. A killed process leaves its draft behind; the next
// write into the same folder removes it once it is old enough to belong to nobody.

import { randomUUID } from "node:crypto";
import { lstat, opendir, rm } from "node:fs/promises";
import { limits } from "@hawser/wire";
import type { Folder } from "./open-inside.ts";

const draftPattern = /^\.hawser-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.tmp$/;

export const draftName = (): string => `.hawser-${randomUUID()}.tmp`;

export const isDraft = (name: string): boolean => draftPattern.test(name);

/** Never fails: what can't be removed stays. */
export async function sweepDrafts(folder: Folder): Promise<void> {
  try {
    let looked = 0;
    for await (const { name } of await opendir(folder.entry())) {
      if (isDraft(name)) await removeIfStale(folder.entry(name));
      if (++looked >= limits.maxSweptEntries) return;
    }
  } catch {
    // A folder that may be written but not read keeps its leftovers.
  }
}

async function removeIfStale(path: string): Promise<void> {
  const stats = await lstat(path);
  if (stats.isFile() && Date.now() - stats.mtimeMs > limits.staleSchemaMs) await rm(path, { force: true });
}
