// Every limit of every package, read from the sources: a package holds its numbers in `limits.ts`, and the comment above
// a number is its reason. Only here are the reasons read; at run time they are no more than comments.

import { globSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";

export interface Limit {
  readonly name: string;
  readonly value: number;
  readonly reason: string;
}

export interface LimitTable {
  /** The file that the table is in, from the root of the repository. */
  readonly file: string;
  readonly limits: readonly Limit[];
}

const root = join(import.meta.dirname, "../..");
const entry = /^ {2}\/\*\* (.+?) \*\/\n {2}(\w+): ([\d_]+),$/gm;

export function readLimitTables(): LimitTable[] {
  const paths = globSync("packages/*/src/{,*/}limits.ts", { cwd: root }).toSorted();
  return paths.map((path) => {
    const source = readFileSync(join(root, path), "utf8");
    const limits = [...source.matchAll(entry)].map(([, reason = "", name = "", value = ""]) => ({
      name,
      value: Number(value.replaceAll("_", "")),
      reason,
    }));
    const numbers = source.match(/^ {2}\w+: /gm)?.length ?? 0;
    if (limits.length !== numbers)
      throw new Error(`${path}: ${numbers - limits.length} of its ${numbers} limits lack a comment of one line`);
    return { file: relative(root, join(root, path)), limits };
  });
}

/** The value of every limit, by name. */
export const readLimits = (): Readonly<Record<string, number>> =>
  Object.fromEntries(readLimitTables().flatMap(({ limits }) => limits.map(({ name, value }) => [name, value])));
