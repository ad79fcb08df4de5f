// Remembered answers as a file: `{"permissions": [rules]}`, for its owner only. It is changed under a lock, written whole
// and renamed into place, so processes which answer at once lose nothing of each other. An entry that isn't a rule is
// not used, and stays in the file as it is. A file that can't be read as a list is left alone: nothing is allowed by it
// and nothing is written over it. A failing write costs one line on stderr, never a turn.

import { describeThrown, HawserError } from "@hawser/protocol/internal";
import { agentLimits } from "../limits.ts";
import { logLine } from "@hawser/wire/internal/node";
import { addToList, loadList } from "./list-file.ts";
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

export async function openRulesFile(path: string): Promise<RulesFile> {
  let problem: string | undefined;
  const { entries: found } = await loadList(path, "permissions").catch((error: unknown) => {
    problem = `${path} can't be used: ${describeThrown(error)}`;
    logLine(`[hawser] remembered permissions in ${path} are not used: ${describeThrown(error)}`);
    return { entries: [] };
  });
  const rules = toRules(found, path);
  if (isFull(found)) problem = fullText;
  let writing = Promise.resolve();

  async function save(rule: PermissionRule): Promise<void> {
    try {
      await addToList(path, "permissions", (entries) => {
        if (entries.some((entry) => isSame(entry, rule))) return entries;
        if (isFull(entries)) throw new HawserError("usage", (problem = fullText));
        return [...entries, rule];
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

const isFull = (entries: readonly unknown[]): boolean => entries.length >= agentLimits.permissionRuleEntries;

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
