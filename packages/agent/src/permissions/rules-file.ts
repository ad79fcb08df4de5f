// Remembered answers as a file: `{"permissions": [rules]}`, for its owner only. It is changed under a lock, written whole
// and renamed into place, so processes which answer at once lose nothing of each other. An entry that isn't a rule is
// not used, and stays in the file as it is. A file that can't be read as a list is left alone: nothing is allowed by it
// and nothing is written over it. A failing write costs one line on stderr, never a turn.

import { constants } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import { dirname } from "node:path";
import { describeThrown, HawserError, isRecord } from "@hawser/protocol/internal";
import { agentLimits } from "../limits.ts";
import { logLine, makeFolder, replacePrivateFile, withFileLock } from "@hawser/wire/internal/node";
import { codeOf } from "../tools/files/file-errors.ts";
import { parseRule, type PermissionRule } from "../rules/permission-rule.ts";

export interface RulesFile {
  rules(): readonly PermissionRule[];
  /** Why nothing can be added to it. */
  problem(): string | undefined;
  /** Counts at once; is on disk a little later. Without effect where there is a problem. */
  append(rule: PermissionRule): void;
  /** Resolves when everything is on disk. */
  close(): Promise<void>;
}

/** What the file holds: entries as they were found, and whatever stands beside them. */
interface Content {
  readonly entries: readonly unknown[];
  readonly others: Readonly<Record<string, unknown>>;
}

export async function openRulesFile(path: string): Promise<RulesFile> {
  let problem: string | undefined;
  const found = await load(path).catch((error: unknown) => {
    problem = `${path} can't be used: ${describeThrown(error)}`;
    logLine(`[hawser] remembered permissions in ${path} are not used: ${describeThrown(error)}`);
    return empty;
  });
  const rules = toRules(found.entries, path);
  if (isFull(found.entries)) problem = fullText;
  let writing = Promise.resolve();

  async function save(rule: PermissionRule): Promise<void> {
    try {
      await makeFolder(dirname(path));
      await withFileLock(`${path}.lock`, async () => {
        // Another process may have added to it meanwhile.
        const { entries, others } = await load(path);
        if (entries.some((entry) => isSame(entry, rule))) return;
        const text = `${JSON.stringify({ ...others, permissions: [...entries, rule] }, undefined, 2)}\n`;
        if (isFull(entries, text)) throw new HawserError("usage", (problem = fullText));
        await replacePrivateFile(path, text);
      });
    } catch (error) {
      logLine(`[hawser] a permission could not be remembered in ${path}: ${describeThrown(error)}`);
    }
  }

  return {
    rules: () => rules,
    problem: () => problem,
    append(rule) {
      if (problem !== undefined || rules.some((known) => isSame(known, rule))) return;
      rules.push(rule);
      writing = writing.then(() => save(rule));
    },
    close: () => writing,
  };
}

const isSame = (one: unknown, other: PermissionRule): boolean => JSON.stringify(one) === JSON.stringify(other);

const fullText = "the file of remembered answers is full";

const isFull = (entries: readonly unknown[], text = ""): boolean =>
  entries.length >= agentLimits.permissionRuleEntries || Buffer.byteLength(text) > agentLimits.permissionFileBytes;

const shownMistakes = 5;

function toRules(entries: readonly unknown[], path: string): PermissionRule[] {
  const rules: PermissionRule[] = [];
  const mistakes: string[] = [];
  for (const [position, entry] of entries.entries()) {
    try {
      if (isFull(rules)) throw new HawserError("usage", `permissions[${position}] is one too many`);
      rules.push(parseRule(entry, `permissions[${position}]`));
    } catch (error) {
      mistakes.push(describeThrown(error));
    }
  }
  const tell = (text: string): void => logLine(`[hawser] remembered permissions in ${path}: ${text}`);
  for (const mistake of mistakes.slice(0, shownMistakes)) tell(`an entry is not used: ${mistake}`);
  if (mistakes.length > shownMistakes) tell(`${mistakes.length - shownMistakes} more entries are not used`);
  return rules;
}

const empty: Content = { entries: [], others: {} };

async function load(path: string): Promise<Content> {
  // A pipe would be waited for otherwise; Windows has no such flag.
  const handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)).catch((error: unknown) => {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  });
  if (!handle) return empty;
  await using file = handle;
  const content: unknown = JSON.parse(await readBounded(file));
  const { permissions: entries, ...others } = isRecord(content) ? content : { permissions: content };
  if (!Array.isArray(entries)) throw new HawserError("usage", "permissions must be a list of rules");
  return { entries, others };
}

/** As the open file is, whatever happens to its name meanwhile. */
async function readBounded(handle: FileHandle): Promise<string> {
  const { permissionFileBytes } = agentLimits;
  if (!(await handle.stat()).isFile()) throw new HawserError("usage", "it is not a regular file");
  const buffer = Buffer.alloc(permissionFileBytes + 1);
  let length = 0;
  for (let more = -1; more !== 0; length += more) more = (await handle.read(buffer, length, buffer.length - length)).bytesRead;
  if (length > permissionFileBytes) throw new HawserError("usage", `it has more than ${permissionFileBytes} bytes`);
  return buffer.toString("utf8", 0, length);
}
