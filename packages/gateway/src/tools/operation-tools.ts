// One tool per operation, for documents that are small enough for a model to see whole. The names are such that every MCP
// client takes them: letters, digits, `_` and `-`, at most 64 of them, unique without case.

import { createHash } from "node:crypto";
import { defineTool, type Tool, type ToolAnnotations } from "@hawser/tools";
import type { OperationSummary } from "../openapi/operation.ts";
import { isMutating } from "../request/call-item.ts";
import type { OperationCaller } from "./operation-caller.ts";

/** An operation whose description can't be read is left out. */
export async function toOperationTools(operations: readonly OperationSummary[], caller: OperationCaller): Promise<Tool[]> {
  const tools = [...nameTools(operations)].map(([name, operation]) => toTool(name, operation, caller).catch(() => undefined));
  return (await Promise.all(tools)).filter((tool) => tool !== undefined);
}

async function toTool(name: string, operation: OperationSummary, caller: OperationCaller): Promise<Tool> {
  const { description, schema } = await caller.inputOf(operation);
  return defineTool({
    name,
    description,
    input: schema,
    annotations: annotationsOf(operation),
    run: (args, { signal }) => caller.call(operation, args as Record<string, unknown>, signal),
  });
}

function annotationsOf({ method, summary }: OperationSummary): ToolAnnotations {
  const isReading = !isMutating(method);
  return {
    ...(summary !== undefined && { title: summary }),
    readOnlyHint: isReading,
    ...(!isReading && { destructiveHint: method !== "POST", idempotentHint: method === "PUT" || method === "DELETE" }),
    openWorldHint: true,
  };
}

const maxNameChars = 64;

function nameTools(operations: readonly OperationSummary[]): Map<string, OperationSummary> {
  const named = new Map<string, OperationSummary>();
  const taken = new Set<string>();
  for (const operation of operations) {
    const base = toName(operation.operationId ?? "");
    let name = base;
    for (let count = 2; taken.has(name.toLowerCase()); count++) name = `${base.slice(0, maxNameChars - `_${count}`.length)}_${count}`;
    taken.add(name.toLowerCase());
    named.set(name, operation);
  }
  return named;
}

function toName(text: string): string {
  const name = text.replaceAll(/[^A-Za-z0-9_-]+/g, "_").replaceAll(/^_+|_+$/g, "") || "operation";
  if (name.length <= maxNameChars) return name;
  // Long ids often differ at their end only.
  return `${name.slice(0, maxNameChars - 9)}_${createHash("sha256").update(text).digest("hex").slice(0, 8)}`;
}
