// A tool of an MCP server as one of ours. Its schema is shown to models, but not checked here: the server
// checks its arguments itself, and knows best what it takes. That a server calls its tool read-only is not
// passed on: permissions would believe it.

import { cutText, limits, type StandardSchema, type Tool, type ToolAnnotations, type ToolContext } from "@hawser/wire";
import { toToolName } from "./tool-name.ts";

/** As `tools/list` gives it. */
export interface RemoteTool {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly annotations?: Readonly<Record<string, unknown>> | undefined;
}

export type CallRemote = (toolName: string, args: Record<string, unknown>, context: ToolContext) => Promise<unknown>;

/** Tools that can't be offered are left out, and told of. */
export function toTools(serverName: string, remote: readonly RemoteTool[], call: CallRemote, onLeftOut: (problem: string) => void): Tool[] {
  const tools = new Map<string, Tool>();
  if (remote.length > limits.mcpToolEntries) onLeftOut(`only the first ${limits.mcpToolEntries} of its tools are used`);
  for (const tool of remote.slice(0, limits.mcpToolEntries)) {
    const name = toToolName(serverName, tool.name);
    if (JSON.stringify(tool.inputSchema).length > limits.mcpSchemaChars) onLeftOut(`the schema of its tool ${name} is too large`);
    else if (tools.has(name)) onLeftOut(`it has two tools that are called ${name}`);
    else tools.set(name, toTool(name, tool, call));
  }
  return [...tools.values()];
}

function toTool(name: string, tool: RemoteTool, call: CallRemote): Tool {
  return {
    name,
    description: cutText(tool.description ?? tool.title ?? tool.name, limits.mcpDescriptionChars).toWellFormed(),
    input: toUncheckedInput(tool.inputSchema),
    annotations: toAnnotations(tool.annotations ?? {}),
    run: (args: Record<string, unknown>, context: ToolContext) => call(tool.name, args, context),
  };
}

function toUncheckedInput(schema: Readonly<Record<string, unknown>>): StandardSchema {
  const { $schema: _, ...shown } = schema;
  const jsonSchema = (): object => ({ ...shown, type: "object" });
  return {
    "~standard": { version: 1, vendor: "mcp", validate: (value) => ({ value }), jsonSchema: { input: jsonSchema, output: jsonSchema } },
  };
}

function toAnnotations({ title, destructiveHint, idempotentHint, openWorldHint }: Readonly<Record<string, unknown>>): ToolAnnotations {
  return {
    ...(typeof title === "string" && { title }),
    ...(typeof destructiveHint === "boolean" && { destructiveHint }),
    ...(typeof idempotentHint === "boolean" && { idempotentHint }),
    ...(typeof openWorldHint === "boolean" && { openWorldHint }),
  };
}
