// Which operations become tools: patterns on operation id, tag or path, all matched without case.
// A pattern with a slash at its start is about the path (`*` stays within a segment, `**` does not);
// any other is about operation id and tags. Mutations are left out unless they are allowed.

import { HawserError } from "@hawser/protocol";
import type { OperationSummary } from "../openapi/operation.ts";
import { isMutating } from "../request/call-item.ts";

export interface OperationSelection {
  /** Operation ids, tags or path patterns; everything unless given. */
  readonly include?: readonly string[] | undefined;
  /** The same, taken away from what `include` gives. */
  readonly exclude?: readonly string[] | undefined;
  /** Offers what may change something too: everything but GET, HEAD, OPTIONS and QUERY. */
  readonly allowMutations?: boolean | undefined;
}

/** As for calls: an unknown method may change something. */
export const isMutation = ({ method }: OperationSummary): boolean => isMutating(method.toUpperCase());

/** Throws `usage` for an `include` pattern that names nothing, since that is a slip of the pen. */
export function selectOperations(operations: readonly OperationSummary[], selection: OperationSelection): OperationSummary[] {
  const included = (selection.include ?? ["**", "/**"]).map(toMatcher);
  const excluded = (selection.exclude ?? []).map(toMatcher);
  for (const pattern of selection.include ?? []) {
    if (!operations.some(toMatcher(pattern)))
      throw new HawserError(
        "usage",
        `include: no operation has the id, tag or path ${JSON.stringify(pattern)}; hawser api list shows them`,
      );
  }
  return operations.filter(
    (operation) =>
      (selection.allowMutations === true || !isMutation(operation)) &&
      included.some((matches) => matches(operation)) &&
      !excluded.some((matches) => matches(operation)),
  );
}

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
