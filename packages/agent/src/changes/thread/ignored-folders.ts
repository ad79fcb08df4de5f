// Which folders are not looked into: what tools make for themselves, and folders that a `.gitignore` names. Files are never left out for
// it: a build's output can be made again, a file with settings can't. Only patterns that can mean a folder are read, and a later one
// takes an earlier one back with `!`, as git does it.

import { createGlob } from "../../tools/files/glob.ts";

export interface IgnoreRules {
  /** `way`: the folder's path from the one whose `.gitignore` it is, with `/`. */
  judge(way: string): "ignored" | "wanted" | undefined;
}

const alwaysIgnored: ReadonlySet<string> = new Set([".git", "node_modules"]);
// Settings of ours, which no undo may touch.
const settingsFolder = ".hawser";

export const isAlwaysIgnored = (name: string): boolean => alwaysIgnored.has(name) || name.toLowerCase() === settingsFolder;

const maxRules = 1_000;

export function parseIgnoreFile(text: string): IgnoreRules | undefined {
  const rules = text.split(/\r?\n/).slice(0, maxRules).flatMap(parseLine);
  if (rules.length === 0) return undefined;
  return {
    judge(way) {
      const name = way.slice(way.lastIndexOf("/") + 1);
      const last = rules.findLast(({ matches, isAnchored }) => matches(isAnchored ? way : name));
      return last && (last.isNegated ? "wanted" : "ignored");
    },
  };
}

interface Rule {
  readonly matches: (text: string) => boolean;
  /** It is compared with the whole way, and not with the name alone. */
  readonly isAnchored: boolean;
  readonly isNegated: boolean;
}

function parseLine(line: string): Rule[] {
  const trimmed = line.trimEnd();
  if (trimmed === "" || trimmed.startsWith("#")) return [];
  const isNegated = trimmed.startsWith("!");
  const pattern = (isNegated ? trimmed.slice(1) : trimmed).replace(/\/$/, "");
  // Sets of characters are read as they stand: such a pattern then ignores less than git does, never more.
  const isAnchored = pattern.includes("/");
  const plain = pattern.replace(/^\//, "");
  return plain === "" ? [] : [{ matches: createGlob(plain), isAnchored, isNegated }];
}
