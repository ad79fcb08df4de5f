// What the Agent SDK is told for one run: only what was asked for, and nothing that the machine happens to
// have. Registered tools are allowed without a prompt; the command line's own tools, settings files, servers
// and the expansion of prompts stay off unless a model asks for them.

import { toJsonSchema } from "@hawser/tools/internal";
import type { ClaudeCodeModelOptions, OutputSchema } from "./options.ts";
import { joinInstructions } from "./prompt.ts";
import { toRestrictionHooks } from "./tool-restrictions.ts";
import type { ToolSelection } from "./toolset.ts";

export interface RunRequest {
  readonly options: ClaudeCodeModelOptions;
  readonly selection: ToolSelection | undefined;
  readonly system: string | undefined;
  readonly schema?: OutputSchema | undefined;
  readonly includePartialMessages?: boolean | undefined;
  readonly resume?: string | undefined;
  readonly forkSession?: boolean | undefined;
}

type Settings = Record<string, unknown>;

export function toQueryOptions(request: RunRequest): Settings {
  const { options, schema, resume = options.resume, forkSession = options.forkSession } = request;
  return defined({
    cwd: options.cwd,
    env: toEnvironment(options),
    model: options.model,
    maxTurns: options.maxTurns,
    maxBudgetUsd: options.maxBudgetUsd,
    ...toolSettings(request),
    resume,
    forkSession,
    continue: resume === undefined ? options.continue : undefined,
    persistSession: options.persistSession,
    systemPrompt: toSystemPrompt(options.systemPrompt, request.system),
    settingSources: options.settingSources ?? [],
    // A project's servers belong to its settings.
    strictMcpConfig: (options.settingSources ?? []).length === 0,
    includePartialMessages: request.includePartialMessages,
    outputFormat: schema && { type: "json_schema", schema: toJsonSchema("structured output", schema) },
    verbatimPrompts: options.expandPrompts !== true,
  });
}

function toolSettings({ options, selection }: RunRequest): Settings {
  const { allowedTools = [], disallowedTools = [], permissionMode, canUseTool } = options;
  const fullNames = new Map([...(selection?.names ?? [])].map(([full, name]) => [name, full]));
  const toFullName = (name: string): string => fullNames.get(name) ?? name;
  const mode = permissionMode ?? (canUseTool ? "default" : "dontAsk");
  return {
    tools: toBuiltinTools(options, fullNames),
    allowedTools: [...fullNames.values(), ...allowedTools.map(toFullName)],
    disallowedTools: disallowedTools.map(toFullName),
    permissionMode: mode,
    allowDangerouslySkipPermissions: mode === "bypassPermissions" ? true : undefined,
    canUseTool,
    hooks: toRestrictionHooks(options.toolRestrictions),
  };
}

/** Naming one of its own tools as allowed asks for it. */
function toBuiltinTools({ builtinTools, allowedTools = [] }: ClaudeCodeModelOptions, registered: ReadonlyMap<string, string>): unknown {
  if (builtinTools === "all") return { type: "preset", preset: "claude_code" };
  if (builtinTools) return [...builtinTools];
  const names = allowedTools.filter((name) => !name.startsWith("mcp__") && !registered.has(name));
  return [...new Set(names.map((name) => name.replace(/\(.*$/s, "")))];
}

function toSystemPrompt(own: ClaudeCodeModelOptions["systemPrompt"], given: string | undefined): unknown {
  if (own === undefined || typeof own === "string") return joinInstructions(own, given);
  return { type: "preset", preset: "claude_code", append: joinInstructions(own.append, given) };
}

/** This process's, with what was asked for. */
export function toEnvironment({ env }: Pick<ClaudeCodeModelOptions, "env">): Record<string, string> {
  return defined({
    ...process.env,
    // A slow function is waited for: its answer must not come behind the model's back.
    CLAUDE_CODE_MCP_AUTO_BACKGROUND_MS: "0",
    ...env,
  }) as Record<string, string>;
}

const defined = (settings: Settings): Settings => Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
