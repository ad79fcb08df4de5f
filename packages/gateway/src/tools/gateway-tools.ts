// Operations of an HTTP API as tools for a model: one per operation of a small API, or three that search, describe and call.
// Only what reads is offered unless mutations are allowed.

import { gatewayLimits } from "../limits.ts";
import type { Tool } from "@hawser/tools";
import type { GatewayOptions } from "../call.ts";
import { resolveTarget } from "../config/resolve-target.ts";
import { createCallCore } from "../create-call-core.ts";
import { loadApiIndex } from "../document/load-index.ts";
import type { OperationSummary } from "../openapi/operation.ts";
import { isMutating } from "../request/call-item.ts";
import { usage } from "../request/safe-text.ts";
import { createOperationCaller } from "./operation-caller.ts";
import { toOperationTools } from "./operation-tools.ts";
import { toSearchTools } from "./search-tools.ts";

export interface OperationSelection {
  /** Operation ids, tags or path patterns; everything unless given. */
  readonly include?: readonly string[] | undefined;
  /** The same, taken away from what `include` gives. */
  readonly exclude?: readonly string[] | undefined;
  /** Offers what may change something too: everything but GET, HEAD, OPTIONS and QUERY. */
  readonly allowMutations?: boolean | undefined;
}

/**
 * The tools of the API that a profile, or options, lead to. Their connections are let go when they are
 * idle; they keep no process alive.
 */
export async function gatewayTools(profile: GatewayOptions | string = {}, selection: OperationSelection = {}): Promise<Tool[]> {
  const options = typeof profile === "string" ? { profile } : profile;
  const { auth } = await resolveTarget(options);
  const core = createCallCore(options);
  const index = await loadApiIndex(options);
  // A tool calls by id: what has none, or shares it, can't be meant.
  const byId = Map.groupBy(index.operations, ({ operationId }) => operationId);
  const named = index.operations.filter(({ operationId }) => operationId !== undefined && byId.get(operationId)?.length === 1);
  const operations = selectOperations(named, selection);
  if (operations.length === 0) throw usage(`no operation is left of ${index.operations.length}; allow mutations, or include more`);
  const caller = createOperationCaller(index, core, auth.kind === "header" ? auth.header : undefined);
  return operations.length <= gatewayLimits.maxToolEntries
    ? toOperationTools(operations, caller)
    : toSearchTools(operations, caller, selection.allowMutations === true);
}

/** Throws `usage` for an `include` pattern that names nothing, since that is a slip of the pen. */
export function selectOperations(operations: readonly OperationSummary[], selection: OperationSelection): OperationSummary[] {
  const included = (selection.include ?? ["**", "/**"]).map(toMatcher);
  const excluded = (selection.exclude ?? []).map(toMatcher);
  for (const pattern of selection.include ?? []) {
    if (!operations.some(toMatcher(pattern)))
      throw usage(`include: no operation has the id, tag or path ${JSON.stringify(pattern)}; hawser api list shows them`);
  }
  return operations.filter(
    (operation) =>
      (selection.allowMutations === true || !isMutating(operation.method)) &&
      included.some((matches) => matches(operation)) &&
      !excluded.some((matches) => matches(operation)),
  );
}

/** A pattern that begins with a slash is about the path (`*` stays within a segment, `**` does not); any other about id and tags. */
function toMatcher(pattern: string): (operation: OperationSummary) => boolean {
  const expression = toExpression(pattern.trim());
  if (pattern.trim().startsWith("/")) return ({ path }) => expression.test(path);
  return ({ operationId, tags }) => expression.test(operationId ?? "") || tags.some((tag) => expression.test(tag));
}

// Split at the stars first: everything between them is literal, so that no pattern can be slow.
function toExpression(pattern: string): RegExp {
  const parts = pattern.split(/(\*+)/).map((part) => {
    if (part.startsWith("**")) return ".*";
    return part === "*" ? "[^/]*" : part.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`);
  });
  return new RegExp(`^${parts.join("")}$`, "i");
}
