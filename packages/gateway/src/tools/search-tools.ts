// Three tools for documents of any size: find an operation, see what it takes, call it. Their text is
// all that a model pays for until it looks something up.

import { defineTool, type Tool } from "@hawser/tools";
import { describeThrown } from "@hawser/protocol";
import { gatewayLimits } from "../limits.ts";
import type { OperationSummary } from "../openapi/operation.ts";
import { searchOperations } from "../openapi/search.ts";
import { isMutating } from "../request/call-item.ts";
import { usage } from "../request/safe-text.ts";
import { type OperationCaller, toFailedResult } from "./operation-caller.ts";

const operationId = { type: "string", description: "As search_operations gives it; matched without case." };

export function toSearchTools(operations: readonly OperationSummary[], caller: OperationCaller, allowMutations: boolean): Tool[] {
  const find = (id: unknown): OperationSummary => findOffered(operations, String(id), allowMutations);
  const { title } = caller;
  const searchTool = defineTool({
    name: "search_operations",
    description: `Finds operations of the API "${title}" (${operations.length} operations) by words in their id, path, summary or tags.`,
    input: {
      type: "object",
      properties: {
        query: { type: "string", description: "One or more words; all must occur. Empty: everything." },
        limit: { type: "integer", minimum: 1, maximum: gatewayLimits.maxFoundEntries, default: 20 },
      },
      required: ["query"],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: true, openWorldHint: false },
    run: (args) => search(operations, String(args["query"]), toLimit(args["limit"])),
  });
  const describe = defineTool({
    name: "describe_operation",
    description: `Describes one operation of "${title}": what it does and the JSON Schema of its arguments.`,
    input: { type: "object", properties: { operationId }, required: ["operationId"], additionalProperties: false },
    annotations: { readOnlyHint: true, openWorldHint: false },
    run: (args) =>
      reporting(async () => {
        const operation = find(args["operationId"]);
        const { description, schema } = await caller.inputOf(operation);
        return { operationId: operation.operationId, description, arguments: schema };
      }),
  });
  const call = defineTool({
    name: "call_operation",
    description: `Calls one operation of "${title}". Describe it first to learn its arguments.`,
    input: {
      type: "object",
      properties: { operationId, arguments: { type: "object", description: "As describe_operation's schema says.", default: {} } },
      required: ["operationId"],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: !allowMutations, destructiveHint: allowMutations, openWorldHint: true },
    run: (args, { signal }) =>
      reporting(() => caller.call(find(args["operationId"]), (args["arguments"] ?? {}) as Record<string, unknown>, signal)),
  });
  return [searchTool, describe, call];
}

const toLimit = (given: unknown): number =>
  typeof given === "number" && given >= 1 ? Math.min(Math.trunc(given), gatewayLimits.maxFoundEntries) : 20;

function search(operations: readonly OperationSummary[], query: string, limit: number): object {
  const matches = searchOperations({ operations }, query);
  const shown = matches.slice(0, limit).map(({ operationId, method, path, summary }) => ({ operationId, method, path, summary }));
  return { found: matches.length, ...(matches.length > limit && { shown: limit }), operations: shown };
}

/** A mistake of the model is a result that it can act on, not a failed tool. */
async function reporting(act: () => Promise<object>): Promise<object> {
  try {
    return await act();
  } catch (error) {
    return toFailedResult(describeThrown(error));
  }
}

function findOffered(operations: readonly OperationSummary[], id: string, allowMutations: boolean): OperationSummary {
  const wanted = id.trim();
  const exact = operations.find((operation) => operation.operationId === wanted);
  const others = operations.filter((operation) => operation.operationId?.toLowerCase() === wanted.toLowerCase());
  const found = exact ?? (others.length === 1 ? others[0] : undefined);
  if (!found) {
    const reason = others.length > 1 ? "is ambiguous without case" : "is not offered; search_operations finds what is";
    throw usage(`operation ${JSON.stringify(wanted)} ${reason}`);
  }
  // What is offered was selected already; this is the second lock on the same door.
  if (isMutating(found.method) && !allowMutations) throw usage(`${wanted} changes something, which is not allowed here`);
  return found;
}
