// A set of tools in the words of the bridge's contract: an entry for the schema file for each, and one answer for each
// call, also for one that fails. It knows nothing of sockets; the session and the in-process server call through it.

import { describeThrown, HawserError, IPCToolExecutionError, isRecord } from "@hawser/protocol/internal";
import { createToolHost, type HostedTool, toJsonSchema, type Tool, type ToolContext } from "@hawser/tools/internal";
import type { IPCErrorResponse, IPCResponse, ToolHandler, ToolSchema } from "../contract/contract.ts";
import { toErrorPayload, toToolResult } from "./tool-result.ts";

export type Answer = IPCResponse | IPCErrorResponse;

export interface ContractTools {
  readonly schemas: readonly ToolSchema[];
  /** Neither throws nor rejects: a failure is an answer too. Where it is there at once it is returned as it is. */
  call(name: string, args: Record<string, unknown>, context: ToolContext): Promise<Answer> | Answer;
}

export interface ContractToolsOptions {
  /** Claude lets the model search for tools; this asks it to show these without a search. */
  readonly alwaysLoad?: boolean | undefined;
}

/** Throws `usage` for a tool that can't be offered. */
export function createContractTools(tools: readonly Tool[], options: ContractToolsOptions = {}): ContractTools {
  const host = createToolHost(tools);
  return {
    schemas: host.tools.map((hosted) => ({ ...describe(hosted), ...metaOf(hosted.tool, options) })),
    call(name, args, context) {
      const failed = (error: unknown): Answer => ({ error: toErrorPayload(name, error) });
      const bound = (value: unknown): Answer => ({ result: toToolResult(name, value) });
      try {
        const { tool, call } = host.find(name);
        const answer = call({ args, signal: context.signal, run: (checked) => tool.run(checked, context), bound });
        return answer instanceof Promise ? answer.catch(failed) : answer;
      } catch (error) {
        return failed(error);
      }
    },
  };
}

/** Each tool as a function of its arguments alone. It rejects with IPCToolExecutionError; `facts.type` is the class of what was thrown. */
export function toToolHandlers(tools: ContractTools, signal: AbortSignal): Readonly<Record<string, ToolHandler>> {
  const context: ToolContext = { signal, client: undefined, progress: () => {}, log: () => {} };
  const toHandler =
    (name: string): ToolHandler =>
    async (args) => {
      const answer = await tools.call(name, args, context);
      if ("result" in answer) return answer.result;
      const { message, type } = answer.error;
      throw new IPCToolExecutionError(message, { facts: { tool: name, type } });
    };
  return Object.fromEntries(tools.schemas.map(({ name }) => [name, toHandler(name)]));
}

/** What Claude reads beside a tool. */
function metaOf({ maxResultSizeChars }: Tool, { alwaysLoad = false }: ContractToolsOptions): Pick<ToolSchema, "_meta"> {
  const meta = {
    ...(maxResultSizeChars !== undefined && { "anthropic/maxResultSizeChars": maxResultSizeChars }),
    ...(alwaysLoad && { "anthropic/alwaysLoad": true }),
  };
  return Object.keys(meta).length > 0 ? { _meta: meta } : {};
}

/** The tool's entry in the schema file. A bridge refuses a file with one faulty entry, so the tool's author is told at once. */
function describe({ tool, jsonSchema }: HostedTool): ToolSchema {
  const fail = (reason: string, cause?: unknown): never => {
    throw new HawserError("usage", `tool "${tool.name}": ${reason}`, { cause });
  };
  const description: unknown = tool.description ?? "";
  const annotations: unknown = tool.annotations ?? undefined;
  if (typeof description !== "string") return fail(`its description must be a string, not ${kindOf(description)}`);
  if (annotations !== undefined && !isRecord(annotations)) return fail(`its annotations must be an object, not ${kindOf(annotations)}`);
  const schemas = { input_schema: jsonSchema, ...(tool.output && { output_schema: toJsonSchema(tool.name, tool.output) }) };
  try {
    // As it will be in the file: after `toJSON`, and without what JSON can't hold.
    const written = JSON.parse(JSON.stringify({ ...schemas, annotations })) as Record<string, unknown>;
    for (const member of Object.keys(schemas))
      if (!isRecord(written[member])) fail(`its ${member} isn't an object once it is written as JSON`);
    return { name: tool.name, description, ...written } as ToolSchema;
  } catch (cause) {
    if (HawserError.isInstance(cause)) throw cause;
    return fail(`its schema can't be written as JSON: ${firstLineOf(describeThrown(cause))}`, cause);
  }
}

const kindOf = (value: unknown): string => (value === null ? "null" : Array.isArray(value) ? "a list" : `a ${typeof value}`);
// For a circular value V8's message draws the circle, over several lines.
const firstLineOf = (text: string): string => text.split("\n", 1)[0] ?? "";
