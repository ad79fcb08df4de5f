// The index of the API document, for the commands that look into it.

import { loadApiIndex, type OperationIndex, type OperationSummary } from "@hawser/gateway";
import { HawserError } from "@hawser/wire";
import type { OutputFlags } from "./json-output.ts";
import { withTarget, type CoreFlags } from "./with-core.ts";

export interface ApiFlags extends CoreFlags, OutputFlags {
  readonly method?: string;
  readonly pathContains?: string;
  readonly path?: string;
  readonly query?: string;
  readonly timing?: true;
  readonly jsonStats?: true;
}

/** Descriptions are read while the target is there. */
export const withIndex = <Result>(flags: ApiFlags, use: (index: OperationIndex) => Promise<Result> | Result): Promise<Result> =>
  withTarget(flags, async (options) => use(await loadApiIndex(options)));

/** Those of a method, if one is asked for. Throws `usage` when nothing is left. */
export function requireSome(operations: readonly OperationSummary[], { method }: ApiFlags, wanted: string): readonly OperationSummary[] {
  const found = operations.filter((operation) => method === undefined || operation.method === method.trim().toUpperCase());
  if (found.length === 0) throw new HawserError("usage", `no API operation found ${wanted}`.trim());
  return found;
}
