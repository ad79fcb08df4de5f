// `hawser api list|show|search|tags|stats`: what the API document holds. Nothing found is a usage error.

import {
  filterByPath,
  filterByPathPart,
  loadApiIndex,
  searchOperations,
  statsOf,
  tagsOf,
  type OperationIndex,
  type OperationSummary,
} from "@hawser/gateway/internal";
import { describeThrown, HawserError } from "@hawser/protocol";
import { checkOutput, printJson, reportAsJson, type OutputFlags } from "../api-target/json-output.ts";
import { withTarget, type CoreFlags } from "../api-target/target.ts";
import { printTo } from "../command-line/output.ts";
import { toOperationPage } from "./operation-page.ts";

interface Listing {
  readonly json: object;
  readonly text: string;
  readonly count: number;
}

export const runApiList = (flags: ApiFlags): Promise<void> =>
  printListing(flags, () =>
    withIndex(flags, async (index) => {
      const wanted = flags.pathContains === undefined ? "" : `whose path holds ${quote(flags.pathContains)}`;
      return toListing(requireSome(index.operations, flags, wanted));
    }),
  );

export const runApiShow = (positional: string | undefined, flags: ApiFlags): Promise<void> =>
  printListing(flags, () => {
    const path = oneOf(positional, flags.path, "path", "say which operations to show, by path or id: hawser api show listTags");
    return withIndex(flags, async (index) => {
      const found = findNamed(index, path, flags);
      const operations = await Promise.all(found.map((operation) => index.describe(operation).catch(() => operation)));
      return { json: { count: found.length, operations }, text: operations.map(toOperationPage).join("\n"), count: found.length };
    });
  });

export const runApiSearch = (positional: string | undefined, flags: ApiFlags): Promise<void> =>
  printListing(flags, () => {
    const query = oneOf(positional, flags.query, "query", "say what to search for: hawser api search tag");
    return withIndex(flags, async (index) =>
      toListing(requireSome(searchOperations(index, query), flags, `for ${quote(query)}`), { query }),
    );
  });

export const runApiTags = (flags: ApiFlags): Promise<void> =>
  printListing(flags, () =>
    withIndex(flags, async (index) => {
      const tags = tagsOf({ operations: filtered(index.operations, flags) });
      return { json: { count: tags.length, tags }, text: tags.map((tag) => `${tag}\n`).join(""), count: tags.length };
    }),
  );

export const runApiStats = (flags: ApiFlags): Promise<void> =>
  printListing(flags, () =>
    withIndex(flags, async (index) => {
      const stats = statsOf({ operations: filtered(index.operations, flags) });
      const table = (title: string, rows: readonly { name: string; count: number }[]): string =>
        [`${title}\tCOUNT`, ...rows.map(({ name, count }) => `${name}\t${count}`)].join("\n");
      const tables = [table("METHOD", stats.methods), table("TAG", stats.tags), table("PATH_PREFIX", stats.pathPrefixes)];
      return { json: stats, text: `total\t${stats.total}\n${tables.join("\n")}\n`, count: stats.total };
    }),
  );

function printListing(flags: ApiFlags, list: () => Promise<Listing>): Promise<void> {
  return reportAsJson(flags, async () => {
    const output = checkOutput(flags);
    const startedAt = performance.now();
    const { json, text, count } = await list();
    const stats = { elapsedMs: Math.round(performance.now() - startedAt), count };
    if (flags.json) return printJson(output.includeStats ? { ...json, stats } : json, output);
    printTo(process.stdout, text);
    if (flags.timing) printTo(process.stderr, `timing\telapsedMs=${stats.elapsedMs}\n`);
  });
}

function toListing(operations: readonly OperationSummary[], beside: object = {}): Listing {
  const rows = operations.map(({ method, path, operationId = "", summary = "" }) => `${method}\t${path}\t${operationId}\t${summary}`);
  const text = `${["METHOD\tPATH\tOPERATION_ID\tSUMMARY", ...rows].join("\n")}\n`;
  return { json: { ...beside, count: operations.length, operations }, text, count: operations.length };
}

function oneOf(positional: string | undefined, flag: string | undefined, name: "path" | "query", advice: string): string {
  if (positional !== undefined && flag !== undefined) throw new HawserError("usage", `give the ${name} once: --${name} or one argument`);
  const given = (flag ?? positional ?? "").trim();
  if (given === "") throw new HawserError("usage", advice);
  return given;
}

const quote = (text: string): string => JSON.stringify(text.trim());

export interface ApiFlags extends CoreFlags, OutputFlags {
  readonly method?: string;
  readonly pathContains?: string;
  readonly path?: string;
  readonly query?: string;
}

/** Said when an operation is not found. */
export const searchHint = "hawser api search <words> finds operations";

/** Descriptions are read while the target is there. */
export const withIndex = <Result>(flags: ApiFlags, use: (index: OperationIndex) => Promise<Result> | Result): Promise<Result> =>
  withTarget(flags, async (options) => use(await loadApiIndex(options)));

/** Those that `--method` and `--path-contains` leave. */
export function filtered(operations: readonly OperationSummary[], { method, pathContains = "" }: ApiFlags): readonly OperationSummary[] {
  const wanted = method?.trim().toUpperCase();
  return filterByPathPart({ operations }, pathContains).filter((operation) => wanted === undefined || operation.method === wanted);
}

/** The same; throws `usage` when nothing is left. */
export function requireSome(operations: readonly OperationSummary[], flags: ApiFlags, wanted: string): readonly OperationSummary[] {
  const found = filtered(operations, flags);
  if (found.length === 0) throw new HawserError("usage", `no API operation found ${wanted}`.trim());
  return found;
}

/** The operations of a path, or the one of an id; throws `usage` that says how to find them. */
export function findNamed(index: OperationIndex, name: string, flags: ApiFlags): readonly OperationSummary[] {
  try {
    if (name.startsWith("/")) return requireSome(filterByPath(index, name), flags, `for path ${JSON.stringify(name)}`);
    return requireSome([index.find(name)], flags, `for ${JSON.stringify(name)}`);
  } catch (error) {
    throw new HawserError("usage", describeThrown(error), { cause: error, facts: { hint: searchHint } });
  }
}
