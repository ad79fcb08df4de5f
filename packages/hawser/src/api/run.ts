// `hawser api`: what the API document holds (nothing found is a usage error), and the document itself: `sync` fetches it and
// keeps it, `validate` says whether it follows the specification.

import {
  filterByPath,
  filterByPathPart,
  findApiDocument,
  loadApiIndex,
  searchOperations,
  statsOf,
  syncApiDocument,
  tagsOf,
  validateDocument,
  type OperationIndex,
  type OperationSummary,
} from "@hawser/gateway/internal";
import { gatewayLimits } from "@hawser/gateway/internal/limits";
import { describeThrown, HawserError } from "@hawser/protocol";
import { printAnswer, type OutputFlags } from "../api-target/json-output.ts";
import { withTarget, type TargetFlags } from "../api-target/target.ts";
import { readInputFile } from "../command-line/input.ts";
import { toTable } from "../command-line/output.ts";
import { toOperationPage } from "./operation-page.ts";

export interface ApiFlags extends TargetFlags, OutputFlags {
  readonly method?: string;
  readonly pathContains?: string;
  readonly path?: string;
  readonly query?: string;
}

interface Listing {
  readonly json: object;
  readonly text: string;
  readonly count: number;
}

const invalidExitCode = 1;

export const searchHint = "hawser api search <words> finds operations";

export const runApiList = (flags: ApiFlags): Promise<void> =>
  printListing(flags, ({ operations }) => {
    const wanted = flags.pathContains === undefined ? "" : `whose path holds ${quote(flags.pathContains)}`;
    return toListing(requireSome(operations, flags, wanted));
  });

export const runApiShow = (positional: string | undefined, flags: ApiFlags): Promise<void> =>
  printListing(
    flags,
    async (index, path) => {
      const found = findNamed(index, path, flags);
      const operations = await Promise.all(found.map((operation) => index.describe(operation).catch(() => operation)));
      return { json: { count: found.length, operations }, text: operations.map(toOperationPage).join("\n"), count: found.length };
    },
    () => oneOf(positional, flags.path, "path", "say which operations to show, by path or id: hawser api show listTags"),
  );

export const runApiSearch = (positional: string | undefined, flags: ApiFlags): Promise<void> =>
  printListing(
    flags,
    (index, query) => toListing(requireSome(searchOperations(index, query), flags, `for ${quote(query)}`), { query }),
    () => oneOf(positional, flags.query, "query", "say what to search for: hawser api search tag"),
  );

export const runApiTags = (flags: ApiFlags): Promise<void> =>
  printListing(flags, ({ operations }) => {
    const tags = tagsOf({ operations: filtered(operations, flags) });
    return { json: { count: tags.length, tags }, text: toTable(tags.map((tag) => [tag])), count: tags.length };
  });

export const runApiStats = (flags: ApiFlags): Promise<void> =>
  printListing(flags, ({ operations }) => {
    const stats = statsOf({ operations: filtered(operations, flags) });
    const tables = { METHOD: stats.methods, TAG: stats.tags, PATH_PREFIX: stats.pathPrefixes };
    const rows = Object.entries(tables).flatMap(([title, counts]) => [[title, "COUNT"], ...counts.map(({ name, count }) => [name, count])]);
    return { json: stats, text: toTable([["total", stats.total], ...rows]), count: stats.total };
  });

export const runApiSync = (flags: ApiFlags): Promise<void> =>
  printAnswer(flags, async () => {
    const { file = "", sourceURL, operationCount, bytes, changed, attemptedPaths } = await withTarget(flags, syncApiDocument);
    const shown = { spec_path: file, source_url: sourceURL, operations: operationCount, bytes, changed };
    return {
      json: { ok: true, specPath: file, sourceURL, operationCount, bytes, changed, attemptedPaths },
      text: toTable(Object.entries(shown)),
    };
  });

export const runApiValidate = (positional: string | undefined, flags: ApiFlags): Promise<void> =>
  printAnswer(flags, async () => {
    const specFile = positional ?? flags.specFile;
    const { file, name } = await withTarget(flags, (options) => findApiDocument({ ...options, specFile }));
    const content = await readInputFile(file, "the document", gatewayLimits.maxDocumentBytes);
    const { valid, specification, errors, warnings } = await validateDocument(content.toString("utf8"), name);
    if (!valid) process.exitCode = invalidExitCode;
    const verdict = valid ? ["valid", name, specification ?? ""] : ["invalid", name];
    const rows = [verdict, ...errors.map((error) => ["error", error]), ...warnings.map((warning) => ["warning", warning])];
    return { json: { ok: valid, document: name, specification, errors, warnings }, text: toTable(rows) };
  });

/** `readWanted` checks what was typed, before the document is looked for. Descriptions are read while the target is there. */
function printListing(
  flags: ApiFlags,
  list: (index: OperationIndex, wanted: string) => Promise<Listing> | Listing,
  readWanted: () => string = () => "",
): Promise<void> {
  return printAnswer(flags, async () => {
    const wanted = readWanted();
    const { json, text, count } = await withTarget(flags, async (options) => list(await loadApiIndex(options), wanted));
    return { json, text, stats: { count } };
  });
}

function toListing(operations: readonly OperationSummary[], beside: object = {}): Listing {
  const rows = operations.map(({ method, path, operationId, summary }) => [method, path, operationId, summary]);
  const text = toTable([["METHOD", "PATH", "OPERATION_ID", "SUMMARY"], ...rows]);
  return { json: { ...beside, count: operations.length, operations }, text, count: operations.length };
}

function oneOf(positional: string | undefined, flag: string | undefined, name: "path" | "query", advice: string): string {
  if (positional !== undefined && flag !== undefined) throw new HawserError("usage", `give the ${name} once: --${name} or one argument`);
  const given = (flag ?? positional ?? "").trim();
  if (given === "") throw new HawserError("usage", advice);
  return given;
}

const quote = (text: string): string => JSON.stringify(text.trim());

/** Those that `--method` and `--path-contains` leave. */
function filtered(operations: readonly OperationSummary[], { method, pathContains = "" }: ApiFlags): readonly OperationSummary[] {
  const wanted = method?.trim().toUpperCase();
  return filterByPathPart({ operations }, pathContains).filter((operation) => wanted === undefined || operation.method === wanted);
}

/** The same; throws `usage` when nothing is left. */
function requireSome(operations: readonly OperationSummary[], flags: ApiFlags, wanted: string): readonly OperationSummary[] {
  const found = filtered(operations, flags);
  if (found.length === 0) throw new HawserError("usage", `no API operation found ${wanted}`.trim());
  return found;
}

/** The operations of a path, or the one of an id; throws `usage` that says how to find them. */
function findNamed(index: OperationIndex, name: string, flags: ApiFlags): readonly OperationSummary[] {
  try {
    if (name.startsWith("/")) return requireSome(filterByPath(index, name), flags, `for path ${JSON.stringify(name)}`);
    return requireSome([index.find(name)], flags, `for ${JSON.stringify(name)}`);
  } catch (error) {
    throw new HawserError("usage", describeThrown(error), { cause: error, facts: { hint: searchHint } });
  }
}
