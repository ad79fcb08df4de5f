// How large the house is: files, lines and names, counted from the sources. `npm run measure` prints the table of this tree;
// `npm run measure -- <folder>` puts another checkout beside it, as what it was before.

import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";

type Counts = ReadonlyMap<string, number>;

const here = join(import.meta.dirname, "..");

function measure(root: string): Counts {
  const counts = new Map<string, number>();
  const add = (row: string, count: number): void => void counts.set(row, (counts.get(row) ?? 0) + count);
  const read = (path: string): string => readFileSync(join(root, path), "utf8");
  const find = (pattern: string): string[] => globSync(pattern, { cwd: root, exclude: ["**/node_modules/**", "**/dist/**"] }).toSorted();
  const packageOf = (path: string): string => path.split(/[\\/]/)[1] ?? "";

  for (const path of find("packages/*/src/**/*.{ts,tsx}")) {
    const lines = read(path).split("\n").length - 1;
    for (const owner of ["all", packageOf(path)]) {
      add(`files: ${owner}`, 1);
      add(`lines: ${owner}`, lines);
    }
  }
  for (const path of find("packages/*/package.json")) {
    for (const { entry, file } of publicEntriesOf(path, JSON.parse(read(path)) as Manifest)) {
      const names = exportedValues(root, join(dirname(path), file));
      add(`public values: ${entry}`, names.size);
      add("public values: all", names.size);
    }
  }
  for (const path of find("packages/*/src/**/*.ts")) for (const name of flowConceptsIn(read(path))) add("flow concepts", name ? 1 : 0);
  for (const path of find("packages/*/src/{,*/}*limits.ts"))
    add(`limits: ${packageOf(path)}`, (read(path).match(/^ {2}\w+: (?:[\d_]+,|\{)/gm) ?? []).length);
  if (existsSync(join(root, "docs/architecture.md")))
    for (const [title, files] of walksIn(read("docs/architecture.md"))) add(`files of the walk: ${title}`, files);
  for (const path of find("{packages/*/test,test,clients/test}/**/*.ts")) {
    const text = read(path);
    add("test imports from another package's tests", foreignTestImports(path, text));
    add("fixed waits in tests", (text.match(/setTimeout\(\w+, \d[\d_]*\)|\b(?:sleep|wait|delay)\(\d[\d_]*\)/g) ?? []).length);
  }
  return counts;
}

interface Manifest {
  readonly name: string;
  readonly exports?: Readonly<Record<string, { readonly "hawser-source"?: string }>>;
}

/** What a package offers to its users; entries for its siblings say so by their name. */
function publicEntriesOf(path: string, { name, exports = {} }: Manifest): { entry: string; file: string }[] {
  return Object.entries(exports).flatMap(([entry, targets]) => {
    const file = targets["hawser-source"];
    const isInternal = entry.startsWith("./internal") || entry === "./limits";
    return file === undefined || isInternal || path === "" ? [] : [{ entry: join(name, entry), file }];
  });
}

/** Names of values, not of types, that a module exports, through `export … from` of its own package too. */
function exportedValues(root: string, path: string): Set<string> {
  const text = readFileSync(join(root, path), "utf8");
  const names = new Set<string>();
  for (const [, list = ""] of text.matchAll(/^export \{([^}]*)\}/gm))
    for (const name of list.split(",").map((part) => part.trim())) {
      if (name !== "" && !name.startsWith("type ")) names.add(name.split(" as ").at(-1) ?? name);
    }
  for (const [, name = ""] of text.matchAll(/^export (?:async )?(?:const|function\*?|class|let) (\w+)/gm)) names.add(name);
  for (const [, target = ""] of text.matchAll(/^export \* from "(\.[^"]+)"/gm))
    for (const name of exportedValues(root, join(dirname(path), target))) names.add(name);
  return names;
}

const flowNames =
  "Semaphore|ByteBudget|Outbox|Mailbox|Inbox|Places|Slots|Gates|WorkQueue|OneAtATime|HeavyWork|Lanes|CallLane|SessionRoom|BodyRoom|TurnRoom|Holding|HeldBytes|WaitingRoom|ControlAnswers|EventQueue|IncomingQueue|Receiver|Holds|RunningCalls|Pool";

/** Makers of a bounded room of some kind: seats, bytes, a way out, a way in. */
const flowConceptsIn = (text: string): string[] =>
  [...text.matchAll(new RegExp(`^export function (?:create|open)(${flowNames})\\b`, "gm"))].map(([, name = ""]) => name);

/** Each walk of the architecture page, with the number of files that it names. */
function walksIn(page: string): [string, number][] {
  return page
    .split(/^## /m)
    .filter((section) => /^(?:The way of|The walk of|Walk)/.test(section))
    .map((section) => [section.slice(0, section.indexOf("\n")), new Set(section.match(/packages\/[\w./-]+\.tsx?/g)).size]);
}

function foreignTestImports(path: string, text: string): number {
  const own = path.split(/[\\/]/).slice(0, 2).join("/");
  const targets = [...text.matchAll(/from "(\.[^"]+)"/g)].map(([, target = ""]) => relative(".", join(dirname(path), target)));
  return targets.filter((target) => /^packages\/[^/]+\/test\//.test(target) && !target.startsWith(`${own}/`)).length;
}

function print(now: Counts, before: Counts | undefined): void {
  const rows = [...new Set([...(before?.keys() ?? []), ...now.keys()])].toSorted();
  const width = Math.max(...rows.map((row) => row.length));
  const cell = (value: number | undefined): string => (value === undefined ? "–" : value.toLocaleString("en-US")).padStart(9);
  process.stdout.write(`${"".padEnd(width)}${before ? "   before" : ""}      now${before ? "        %" : ""}\n`);
  for (const row of rows) {
    const [was, is] = [before?.get(row), now.get(row)];
    const share = was && is !== undefined ? `${Math.round((is / was) * 100)}`.padStart(9) : "".padStart(9);
    process.stdout.write(`${row.padEnd(width)}${before ? cell(was) : ""}${cell(is)}${before ? share : ""}\n`);
  }
}

const [other] = process.argv.slice(2);
print(measure(here), other === undefined ? undefined : measure(resolve(other)));
