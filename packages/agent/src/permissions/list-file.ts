// A list in a file of JSON, `{"<member>": [entries]}`, for its owner only. It is changed under a lock, written whole and renamed
// into place, so processes that add at once lose nothing of each other. What stands beside the list stays.

import { constants } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import { dirname } from "node:path";
import { HawserError, isRecord } from "@hawser/protocol/internal";
import { makeFolder, replacePrivateFile, withFileLock } from "@hawser/wire/internal/node";
import { agentLimits } from "../limits.ts";
import { codeOf } from "../tools/files/file-errors.ts";
import { readStart } from "../tools/files/read-text.ts";

/** What the file holds: entries as they were found, and whatever stands beside them. */
interface Content {
  readonly entries: readonly unknown[];
  readonly others: Readonly<Record<string, unknown>>;
}

/** No entries when there is no file. Throws for one that isn't such a list, or is too large. */
export async function loadList(path: string, member: string): Promise<Content> {
  // A pipe would be waited for otherwise; Windows has no such flag.
  const handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)).catch((error: unknown) => {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  });
  if (!handle) return { entries: [], others: {} };
  await using file = handle;
  const content: unknown = JSON.parse(await readBounded(file));
  const { [member]: entries, ...others } = isRecord(content) ? content : { [member]: content };
  if (!Array.isArray(entries)) throw new HawserError("usage", `${member} must be a list`);
  return { entries, others };
}

/** Unless it is there. `change` gives the entries that stay with the new one, or throws why there is no room. */
export async function addToList(path: string, member: string, change: (entries: readonly unknown[]) => readonly unknown[]): Promise<void> {
  await makeFolder(dirname(path));
  await withFileLock(`${path}.lock`, async () => {
    // Another process may have added to it meanwhile.
    const { entries, others } = await loadList(path, member);
    const changed = change(entries);
    if (changed === entries) return;
    const text = `${JSON.stringify({ ...others, [member]: changed }, undefined, 2)}\n`;
    if (Buffer.byteLength(text) > agentLimits.permissionFileBytes) throw new HawserError("usage", `${path} is full`);
    await replacePrivateFile(path, text);
  });
}

/** As the open file is, whatever happens to its name meanwhile. */
async function readBounded(handle: FileHandle): Promise<string> {
  const { permissionFileBytes } = agentLimits;
  if (!(await handle.stat()).isFile()) throw new HawserError("usage", "it is not a regular file");
  const bytes = await readStart(handle, permissionFileBytes + 1);
  if (bytes.length > permissionFileBytes) throw new HawserError("usage", `it has more than ${permissionFileBytes} bytes`);
  return bytes.toString("utf8");
}
