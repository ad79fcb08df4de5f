// One tool per operation, for documents that are small enough for a model to see whole.

import { cutText, defineTool, type Tool, type ToolAnnotations } from "@hawser/wire";
import type { OperationDescription, OperationSummary } from "../openapi/operation.ts";
import type { OperationCaller } from "./operation-caller.ts";
import { isMutation } from "./select-operations.ts";
import { nameTools } from "./tool-names.ts";

const maxDescriptionChars = 1_000;

/** An operation that the document describes in a way that nobody can call is left out. */
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
