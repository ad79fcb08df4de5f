// Remembered answers as a file: `{"permissions": [rules]}`, readable for its owner only, written whole and
// renamed into place. A broken file is left as it is and said so: nothing is allowed by it, and nothing
// is written over it. A failing write costs one line on stderr, never a turn.

import { readFile, stat } from "node:fs/promises";
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
  try {
    if ((await stat(path)).size > limits.permissionFileBytes) throw new HawserError("usage", "it is too large");
    const content: unknown = JSON.parse(await readFile(path, "utf8"));
    return parseRules(isRecord(content) ? content["permissions"] : content);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return [];
    throw error;
  }
}
