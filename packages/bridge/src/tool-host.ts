// A set of tools, ready to be called by name: finds the tool, checks the arguments, waits for its
// turn, runs the function, and turns every outcome into a result or an error payload. It knows
// nothing of sockets; the session, an in-process server and the agent all call through it.

import { HawserError, ToolNotFoundError, type Tool, type ToolContext } from "@hawser/wire";
import type { IPCErrorResponse, IPCResponse, ToolSchema } from "./contract.ts";
import { createGates } from "./gate.ts";
import { prepareInput, toJsonSchema, type PreparedInput } from "./tool-input.ts";
import { toErrorPayload, toToolResult } from "./tool-result.ts";

export interface ToolHost {
  readonly schemas: readonly ToolSchema[];
  /** Never rejects: a failure is an answer too. */
  call(name: string, args: Record<string, unknown>, context: ToolContext): Promise<IPCResponse | IPCErrorResponse>;
}

interface PreparedTool {
  readonly tool: Tool;
  readonly input: PreparedInput;
  readonly schema: ToolSchema;
}

export function createToolHost(tools: readonly Tool[]): ToolHost {
  const prepared = new Map<string, PreparedTool>();
  for (const tool of tools) {
    if (prepared.has(tool.name)) throw new HawserError("usage", `two tools are called "${tool.name}"; rename one`);
    prepared.set(tool.name, prepare(tool));
  }
  const gates = createGates();

  function find(name: string): PreparedTool {
    const found = prepared.get(name);
    if (found) return found;
    const known = [...prepared.keys()].slice(0, 20).join(", ");
    throw new ToolNotFoundError(`there is no tool "${name.slice(0, 200)}"; ${known ? `known are: ${known}` : "this program offers none"}`);
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

function prepare(tool: Tool): PreparedTool {
  if (typeof tool.name !== "string" || tool.name === "") throw new HawserError("usage", "a tool needs a name");
  if (typeof tool.run !== "function") throw new HawserError("usage", `tool "${tool.name}" needs a function \`run\``);
  if (tool.concurrency !== undefined && !(Number.isSafeInteger(tool.concurrency) && tool.concurrency >= 1)) {
    throw new HawserError("usage", `tool "${tool.name}": concurrency must be a whole number of at least 1`);
  }
  const input = prepareInput(tool.name, tool.input);
  return {
    tool,
    input,
    schema: {
      name: tool.name,
      description: tool.description ?? "",
      input_schema: input.jsonSchema,
      ...(tool.output && { output_schema: toJsonSchema(tool.name, tool.output) }),
      ...(tool.annotations && { annotations: { ...tool.annotations } }),
    },
  };
}
