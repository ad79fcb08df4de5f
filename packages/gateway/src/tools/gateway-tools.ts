// Operations of an HTTP API as tools for a model. A small API becomes one tool per operation; a large
// one becomes three tools that search, describe and call, so that its size costs the model nothing.
// Only what reads is offered unless mutations are allowed.

import { HawserError } from "@hawser/protocol";
import { gatewayLimits } from "../limits.ts";
import type { Tool } from "@hawser/tools";
import type { GatewayOptions } from "../call.ts";
import { resolveTarget } from "../config/resolve-target.ts";
import { createCallCore } from "../create-call-core.ts";
import { loadApiIndex } from "../document/load-index.ts";
import { createOperationCaller } from "./operation-caller.ts";
import { toOperationTools } from "./operation-tools.ts";
import { toSearchTools } from "./search-tools.ts";
import { selectOperations, type OperationSelection } from "./select-operations.ts";

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
  if (operations.length === 0)
    throw new HawserError("usage", `no operation is left of ${index.operations.length}; allow mutations, or include more`);
  const caller = createOperationCaller(index, core, auth.kind === "header" ? auth.header : undefined);
  return operations.length <= gatewayLimits.maxToolEntries
    ? toOperationTools(operations, caller)
    : toSearchTools(operations, caller, selection);
}
