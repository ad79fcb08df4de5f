// Remembered answers as a file: `{"permissions": [rules]}`, readable for its owner only, written whole and
// renamed into place. A broken file is left as it is and said so: nothing is allowed by it, and nothing
// is written over it. A failing write costs one line on stderr, never a turn.

import { randomUUID } from "node:crypto";
import { open, readFile, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describeThrown, HawserError, isRecord, limits } from "@hawser/wire";
import { logLine, makeFolder } from "@hawser/wire/node";
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
      // Another process may have added to it meanwhile.
      await write(path, [...(await load(path)), rule]);
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

async function write(path: string, rules: readonly PermissionRule[]): Promise<void> {
  await makeFolder(dirname(path));
  const draft = join(dirname(path), `.permissions-${randomUUID()}.tmp`);
  try {
    const file = await open(draft, "wx", 0o600);
    try {
      await file.writeFile(`${JSON.stringify({ permissions: rules }, undefined, 2)}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
