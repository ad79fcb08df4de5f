// One tool per operation, for documents that are small enough for a model to see whole. Operations may be called anything;
// the names of tools are such that every MCP client takes them: letters, digits, `_` and `-`, at most 64 of them, unique
// without case.

import { createHash } from "node:crypto";
import { cutText } from "@hawser/protocol/internal";
import { defineTool, type Tool, type ToolAnnotations } from "@hawser/tools";
import type { OperationDescription, OperationSummary } from "../openapi/operation.ts";
import type { OperationCaller } from "./operation-caller.ts";
import { isMutation } from "./select-operations.ts";

const maxDescriptionChars = 1_000;

/** An operation whose description can't be read is left out. */
export async function toOperationTools(operations: readonly OperationSummary[], caller: OperationCaller): Promise<Tool[]> {
  const tools = [...nameTools(operations)].map(([name, operation]) => toTool(name, operation, caller).catch(() => undefined));
  return (await Promise.all(tools)).filter((tool) => tool !== undefined);
}

async function toTool(name: string, operation: OperationSummary, caller: OperationCaller): Promise<Tool> {
  const description = await caller.index.describe(operation);
  const { schema } = await caller.inputOf(operation);
  return defineTool({
    name,
    description: describeOperation(description),
    input: schema,
    annotations: annotationsOf(operation),
    run: (args, { signal }) => caller.call(operation, args as Record<string, unknown>, signal),
  });
}

/** Summary and description, then what is called; the model may have seen the API's own documentation. */
export function describeOperation({ summary, description, deprecated, method, path }: OperationDescription): string {
  const words = [deprecated && "Deprecated.", summary, description !== summary && description].filter(Boolean).join("\n");
  const shown = cutText(words, maxDescriptionChars);
  return `${shown}${shown === "" ? "" : "\n"}${method} ${path}`;
}

function annotationsOf(operation: OperationSummary): ToolAnnotations {
  const method = operation.method.toUpperCase();
  const title = operation.summary === undefined ? {} : { title: operation.summary };
  if (!isMutation(operation)) return { ...title, readOnlyHint: true, openWorldHint: true };
  return {
    ...title,
    readOnlyHint: false,
    destructiveHint: method !== "POST",
    idempotentHint: method === "PUT" || method === "DELETE",
    openWorldHint: true,
  };
}

const maxNameChars = 64;

function nameTools(operations: readonly OperationSummary[]): Map<string, OperationSummary> {
  const named = new Map<string, OperationSummary>();
  const taken = new Set<string>();
  for (const operation of operations) {
    const name = firstFree(toName(operation.operationId ?? ""), taken);
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

function firstFree(name: string, taken: ReadonlySet<string>): string {
  if (!taken.has(name.toLowerCase())) return name;
  for (let count = 2; ; count++) {
    const ending = `_${count}`;
    const candidate = `${name.slice(0, maxNameChars - ending.length)}${ending}`;
    if (!taken.has(candidate.toLowerCase())) return candidate;
  }
}
