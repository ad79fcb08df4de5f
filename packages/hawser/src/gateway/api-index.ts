// The index of the API document, for the commands that look into it.

import { filterByPath, filterByPathPart, loadApiIndex, type OperationIndex, type OperationSummary } from "@hawser/gateway";
import { describeThrown, HawserError } from "@hawser/wire";
import type { OutputFlags } from "./json-output.ts";
import { withTarget, type CoreFlags } from "./with-core.ts";

export interface ApiFlags extends CoreFlags, OutputFlags {
  readonly method?: string;
  readonly pathContains?: string;
  readonly path?: string;
  readonly query?: string;
}

/** For an operation that nobody finds. */
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
