// A set of tools, ready to be called by name: finds the tool, checks the arguments, waits for its
// turn, runs the function, and turns every outcome into a result or an error payload. It knows
// nothing of sockets; the session, an in-process server and the agent all call through it.

import {
  cutText,
  describeThrown,
  HawserError,
  IPCToolExecutionError,
  isRecord,
  ToolNotFoundError,
  type Tool,
  type ToolContext,
} from "@hawser/wire";
import { createGates, prepareInput, toJsonSchema, type PreparedInput } from "@hawser/wire/tools";
import type { IPCErrorResponse, IPCResponse, ToolHandler, ToolSchema } from "./contract.ts";
import { toErrorPayload, toToolResult } from "./tool-result.ts";

export interface ToolHost {
  readonly schemas: readonly ToolSchema[];
  /** Never rejects: a failure is an answer too. */
  call(name: string, args: Record<string, unknown>, context: ToolContext): Promise<IPCResponse | IPCErrorResponse>;
}

export interface ToolHostOptions {
  /** Asks Claude, which lets the model search for tools, to show these without a search. */
  readonly alwaysLoad?: boolean | undefined;
}

interface PreparedTool {
  readonly tool: Tool;
  readonly input: PreparedInput;
  readonly schema: ToolSchema;
}

export function createToolHost(tools: readonly Tool[], options: ToolHostOptions = {}): ToolHost {
  const prepared = new Map<string, PreparedTool>();
  for (const tool of tools) {
    if (prepared.has(tool.name)) throw new HawserError("usage", `two tools are called "${tool.name}"; rename one`);
    prepared.set(tool.name, prepare(tool, options));
  }
  const gates = createGates();

  function find(name: string): PreparedTool {
    const found = prepared.get(name);
    if (found) return found;
    const known = [...prepared.keys()].slice(0, 20).join(", ");
    throw new ToolNotFoundError(`there is no tool "${cutText(name, 200)}"; ${known ? `known are: ${known}` : "this program offers none"}`);
  }

  return {
    schemas: [...prepared.values()].map(({ schema }) => schema),
    async call(name, args, context) {
      try {
        const { tool, input } = find(name);
        const checked = await input.check(name, args);
        const value = await gates.pass(tool, context.signal, async () => {
          context.signal.throwIfAborted();
          return (await tool.run(checked as never, context)) as unknown;
        });
        return { result: toToolResult(name, value) };
      } catch (error) {
        return { error: toErrorPayload(name, error) };
      }
    },
  };
}

/** Each tool as a function of its arguments alone. It rejects with IPCToolExecutionError; `facts.type` is the class of what was thrown. */
export function toToolHandlers(host: ToolHost, signal: AbortSignal): Readonly<Record<string, ToolHandler>> {
  const context: ToolContext = { signal, client: undefined, progress: () => {}, log: () => {} };
  const toHandler =
    (name: string): ToolHandler =>
    async (args) => {
      const answer = await host.call(name, args, context);
      if ("result" in answer) return answer.result;
      const { message, type } = answer.error;
      throw new IPCToolExecutionError(message, { facts: { tool: name, type } });
    };
  return Object.fromEntries(host.schemas.map(({ name }) => [name, toHandler(name)]));
}

function prepare(tool: Tool, options: ToolHostOptions): PreparedTool {
  if (typeof tool.name !== "string" || tool.name === "") throw new HawserError("usage", "a tool needs a name");
  if (typeof tool.run !== "function") throw new HawserError("usage", `tool "${tool.name}" needs a function \`run\``);
  for (const name of ["concurrency", "maxResultSizeChars"] as const) {
    const value = tool[name];
    if (value !== undefined && !(Number.isSafeInteger(value) && value >= 1))
      throw new HawserError("usage", `tool "${tool.name}": ${name} must be a whole number of at least 1`);
  }
  const input = prepareInput(tool.name, tool.input);
  return { tool, input, schema: { ...describe(tool, input), ...metaOf(tool, options) } };
}

/** What Claude reads beside a tool. */
function metaOf({ maxResultSizeChars }: Tool, { alwaysLoad = false }: ToolHostOptions): Pick<ToolSchema, "_meta"> {
  const meta = {
    ...(maxResultSizeChars !== undefined && { "anthropic/maxResultSizeChars": maxResultSizeChars }),
    ...(alwaysLoad && { "anthropic/alwaysLoad": true }),
  };
  return Object.keys(meta).length > 0 ? { _meta: meta } : {};
}

/** The tool's entry in the schema file. A fault here would cost a bridge all tools, so its author is told at once. */
function describe(tool: Tool, input: PreparedInput): ToolSchema {
  const fail = (reason: string, cause?: unknown): never => {
    throw new HawserError("usage", `tool "${tool.name}": ${reason}`, { cause });
  };
  const description: unknown = tool.description ?? "";
  const annotations: unknown = tool.annotations ?? undefined;
  if (typeof description !== "string") return fail(`its description must be a string, not ${kindOf(description)}`);
  if (annotations !== undefined && !isRecord(annotations)) return fail(`its annotations must be an object, not ${kindOf(annotations)}`);
  const schemas = { input_schema: input.jsonSchema, ...(tool.output && { output_schema: toJsonSchema(tool.name, tool.output) }) };
  try {
    // As it will be in the file: what `toJSON` makes of it, and without what JSON can't hold.
    const written = JSON.parse(JSON.stringify({ ...schemas, annotations })) as Record<string, unknown>;
    for (const member of Object.keys(schemas))
      if (!isRecord(written[member])) fail(`its ${member} is no object once it is written as JSON`);
    return { name: tool.name, description, ...written } as ToolSchema;
  } catch (cause) {
    if (HawserError.isInstance(cause)) throw cause;
    return fail(`its schema can't be written as JSON: ${firstLineOf(describeThrown(cause))}`, cause);
  }
}

const kindOf = (value: unknown): string => (value === null ? "null" : Array.isArray(value) ? "a list" : `a ${typeof value}`);
// V8 draws the whole circle, over several lines.
const firstLineOf = (text: string): string => text.split("\n", 1)[0] ?? "";
