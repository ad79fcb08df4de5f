// A tool of an MCP server as one of ours. Its schema is shown to models, but not checked here: the server
// checks its arguments itself, and knows best what it takes. That a server calls its tool read-only is not
// passed on: permissions would believe it.

import { createHash } from "node:crypto";
import { cutText } from "@hawser/protocol/internal";
import type { StandardSchema, Tool, ToolAnnotations, ToolContext } from "@hawser/tools";
import { agentLimits } from "../limits.ts";

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
export function toServerTools(
  serverName: string,
  remote: readonly RemoteTool[],
  call: CallRemote,
  onLeftOut: (problem: string) => void,
): Tool[] {
  const tools = new Map<string, Tool>();
  if (remote.length > agentLimits.mcpToolEntries) onLeftOut(`only the first ${agentLimits.mcpToolEntries} of its tools are used`);
  for (const tool of remote.slice(0, agentLimits.mcpToolEntries)) {
    const name = toToolName(serverName, tool.name);
    if (JSON.stringify(tool.inputSchema).length > agentLimits.mcpSchemaChars) onLeftOut(`the schema of its tool ${name} is too large`);
    else if (tools.has(name)) onLeftOut(`it has two tools that are called ${name}`);
    else
      tools.set(name, {
        name,
        description: cutText(tool.description ?? tool.title ?? tool.name, agentLimits.mcpDescriptionChars).toWellFormed(),
        input: toUncheckedInput(tool.inputSchema),
        annotations: toAnnotations(tool.annotations ?? {}),
        run: (args: Record<string, unknown>, context: ToolContext) => call(tool.name, args, context),
      });
  }
  return [...tools.values()];
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

const maxNameChars = 64;
const digestChars = 10;

export function toToolName(serverName: string, toolName: string): string {
  const name = `${serverName}__${toolName}`;
  // Without `__` inside or `_` at its end, the server's name ends where the first `__` begins.
  const isPlain = /^[A-Za-z0-9-]+(?:_[A-Za-z0-9-]+)*$/.test(serverName) && /^[A-Za-z0-9_-]+$/.test(toolName);
  if (isPlain && name.length <= maxNameChars) return name;
  const digest = createHash("sha256")
    .update(JSON.stringify([serverName, toolName]))
    .digest("hex")
    .slice(0, digestChars);
  const readable = `${toPlain(serverName).slice(0, 20)}__${toPlain(toolName)}`.slice(0, maxNameChars - digestChars - 1);
  return `${readable}_${digest}`;
}

const toPlain = (name: string): string => name.slice(0, maxNameChars).replaceAll(/[^A-Za-z0-9-]+/g, "_");
