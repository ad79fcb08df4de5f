// Remembered answers as a file: `{"permissions": [rules]}`, readable for its owner only, written whole and
// renamed into place. A broken file, or what is no file, is left as it is and said so: nothing is allowed by
// it, nothing is written over it, and nobody waits for it. A failing write costs one line on stderr, never a turn.

import { constants } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import { dirname } from "node:path";
import { describeThrown, HawserError, isRecord, limits } from "@hawser/wire";
import { logLine, makeFolder, replacePrivateFile } from "@hawser/wire/node";
import { codeOf } from "../tools/files/file-errors.ts";
import { parseRules, type PermissionRule } from "./rules.ts";

export interface RulesFile {
  rules(): readonly PermissionRule[];
  /** Counts at once; is on disk a little later. */
  append(rule: PermissionRule): void;
  /** Resolves when everything is on disk. */
  close(): Promise<void>;
}

export async function openRulesFile(path: string): Promise<RulesFile> {
  let isUsable = true;
  const rules: PermissionRule[] = await load(path).catch((error: unknown) => {
    isUsable = false;
    logLine(`[hawser] remembered permissions in ${path} are not used: ${describeThrown(error)}`);
    return [];
  });
  let writing = Promise.resolve();

  async function save(rule: PermissionRule): Promise<void> {
    try {
      await makeFolder(dirname(path));
      // Another process may have added to it meanwhile.
      const permissions = [...(await load(path)), rule];
      await replacePrivateFile(path, `${JSON.stringify({ permissions }, undefined, 2)}\n`);
    } catch (error) {
      logLine(`[hawser] a permission could not be remembered in ${path}: ${describeThrown(error)}`);
    }
  }

  return {
    rules: () => rules,
    append(rule) {
      if (rules.length >= limits.permissionRuleEntries || rules.some((other) => JSON.stringify(other) === JSON.stringify(rule))) return;
      rules.push(rule);
      if (isUsable) writing = writing.then(() => save(rule));
    },
    close: () => writing,
  };
}

async function load(path: string): Promise<PermissionRule[]> {
  // A pipe would be waited for otherwise; Windows has no such flag.
  const handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)).catch((error: unknown) => {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  });
  if (!handle) return [];
  try {
    const content: unknown = JSON.parse(await readBounded(handle));
    return parseRules(isRecord(content) ? content["permissions"] : content);
  } finally {
    await handle.close();
  }
}

/** As the open file is, whatever happens to its name meanwhile. */
async function readBounded(handle: FileHandle): Promise<string> {
  const { permissionFileBytes } = limits;
  if (!(await handle.stat()).isFile()) throw new HawserError("usage", "it is not a regular file");
  const buffer = Buffer.alloc(permissionFileBytes + 1);
  let length = 0;
  for (let more = -1; more !== 0; length += more) more = (await handle.read(buffer, length, buffer.length - length)).bytesRead;
  if (length > permissionFileBytes) throw new HawserError("usage", `it has more than ${permissionFileBytes} bytes`);
  return buffer.toString("utf8", 0, length);
}
