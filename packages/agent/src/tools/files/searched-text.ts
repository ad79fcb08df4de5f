// The text of a file for a search, with as few system calls as it takes: the list of its folder says that it is a
// regular file, one read is enough for most, and the first bytes tell what isn't text. Files larger than that one
// read stay open until their turn comes, so that a search which reads ahead holds little at a time.

import { constants } from "node:fs";
import { HawserError } from "@hawser/protocol";
import { agentLimits } from "../../limits.ts";
import { openEntry, type OpenedFile } from "./open-inside.ts";
import { readWholeText, toText } from "./read-text.ts";
import type { Roots } from "./roots.ts";
import type { Entry } from "./walk-tree.ts";

type WholeText =
  | { readonly kind: "text"; readonly shown: string; readonly bytes: number; readonly text: string }
  | { readonly kind: "notText" | "tooLarge" | "unreadable"; readonly bytes: number };

export type SearchedText = WholeText | { readonly kind: "large"; readonly file: OpenedFile };

const headBytes = 65_536;

/** Never rejects, but when it is cancelled. Shares the folder of the entry before it returns its promise. */
export async function textOfEntry(roots: Roots, { folder, name }: Entry, signal: AbortSignal): Promise<SearchedText> {
  const shared = folder.share();
  try {
    const file = await openEntry(roots, shared, name, { flags: constants.O_RDONLY, isListed: true });
    return await beginText(file, signal);
  } catch {
    signal.throwIfAborted();
    // Gone since it was named, or not to be read: no reason to fail a whole search.
    return { kind: "unreadable", bytes: 0 };
  } finally {
    await shared.close();
  }
}

/** Closes the file, unless it is left for later. */
export async function beginText(file: OpenedFile, signal: AbortSignal): Promise<SearchedText> {
  const { handle, stats, shown } = file;
  let keepsOpen = false;
  try {
    signal.throwIfAborted();
    if (stats.size > agentLimits.searchedFileBytes) return { kind: "tooLarge", bytes: 0 };
    // A size of 0 may only mean that the file system does not tell.
    const head = Buffer.allocUnsafe(Math.min(stats.size || headBytes, headBytes));
    const { bytesRead } = await handle.read(head, 0, head.length, 0);
    const bytes = head.subarray(0, bytesRead);
    if (bytes.includes(0)) return { kind: "notText", bytes: bytesRead };
    keepsOpen = bytesRead !== stats.size;
    if (keepsOpen) return { kind: "large", file };
    return { kind: "text", shown, bytes: bytesRead, text: toText(file, bytes) };
  } catch (error) {
    signal.throwIfAborted();
    return { kind: HawserError.isInstance(error) ? "notText" : "unreadable", bytes: 0 };
  } finally {
    if (!keepsOpen) await handle.close();
  }
}

/** The rest of a large one, when its turn has come. Closes the file. */
export async function wholeText(file: OpenedFile, signal: AbortSignal): Promise<WholeText> {
  try {
    const text = await readWholeText(file, agentLimits.searchedFileBytes, signal);
    return { kind: "text", shown: file.shown, bytes: file.stats.size, text };
  } catch (error) {
    signal.throwIfAborted();
    if (!HawserError.isInstance(error)) throw error;
    return { kind: "notText", bytes: file.stats.size };
  } finally {
    await file.handle.close();
  }
}
