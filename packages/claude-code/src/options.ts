// What a model can be told when it is made, and per request. Nothing here is guessed from the machine: the
// command line's own tools, its settings files and its servers are off unless they are asked for.

import { HawserError } from "@hawser/protocol";
import type { StandardSchema, JsonSchema } from "@hawser/tools";
import type { SdkMessage } from "./agent-sdk.ts";
import type { ToolRestrictions } from "./tool-restrictions.ts";

export type PermissionMode = "default" | "acceptEdits" | "bypassPermissions" | "plan" | "dontAsk" | "auto";

/** Asked before a tool runs that no rule allows: the Agent SDK's `canUseTool`. */
export type CanUseTool = (toolName: string, input: Record<string, unknown>, options: { signal: AbortSignal }) => Promise<unknown>;

export interface ClaudeCodeModelOptions {
  /** As the command line takes it: `sonnet`, `opus`, or a whole name. Its own default unless given. */
  readonly model?: string | undefined;
  readonly cwd?: string | undefined;
  /** For each request, all of it; `claudeRequestMs` unless given. */
  readonly timeoutMs?: number | undefined;
  readonly maxTurns?: number | undefined;
  readonly maxBudgetUsd?: number | undefined;
  /** Tools of the command line itself: names, or all of them. Those in `allowedTools` unless given; else none. */
  readonly builtinTools?: readonly string[] | "all" | undefined;
  /** Run without asking, such as `Read` or `Bash(git status)`. Registered tools always are. */
  readonly allowedTools?: readonly string[] | undefined;
  /** Never offered, even if registered. */
  readonly disallowedTools?: readonly string[] | undefined;
  /** What the parameters of a tool may be; a call beyond it is refused, with the reason. */
  readonly toolRestrictions?: ToolRestrictions | undefined;
  /** `dontAsk` unless given: what is not allowed is denied. With `canUseTool`, `default`. */
  readonly permissionMode?: PermissionMode | undefined;
  readonly canUseTool?: CanUseTool | undefined;
  /** A session to go on with; with `forkSession` in a copy of it. */
  readonly resume?: string | undefined;
  readonly forkSession?: boolean | undefined;
  /** Goes on with the last session of `cwd`. */
  readonly continue?: boolean | undefined;
  /** False keeps no session on disk, and so nothing can be resumed. */
  readonly persistSession?: boolean | undefined;
  /** Instead of the command line's own, or behind it. */
  readonly systemPrompt?: string | { readonly append: string } | undefined;
  /** Which settings files count, with their hooks, rules and CLAUDE.md; none unless given. */
  readonly settingSources?: readonly ("user" | "project" | "local")[] | undefined;
  /** Added to this process's environment; `undefined` takes a variable out. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** The command line to run; it is looked for unless given. */
  readonly cliPath?: string | undefined;
  /** Expands `@file` and `/command` in prompts. Off unless asked for, since a prompt may hold what others wrote. */
  readonly expandPrompts?: boolean | undefined;
  /** Ends the request as soon as it says true. Asked with every message, and while there is none. */
  readonly interruptHandler?: (() => boolean) | undefined;
  /** Sees every message of the command line, before anything else does; is waited for. */
  readonly onMessage?: ((message: SdkMessage) => void | Promise<void>) | undefined;
  /** `report` tells the model of a tool that failed; `throw` ends the request with IPCToolExecutionError. */
  readonly toolErrors?: "report" | "throw" | undefined;
  /** How long tool calls that were handed out to the AI SDK may take; `claudeToolResultMs` unless given. */
  readonly toolResultTimeoutMs?: number | undefined;
  /** Where a session's socket and schema file lie; the system's temporary folder unless given. */
  readonly directory?: string | undefined;
  /** Starts the bridge; see IPCSessionOptions. */
  readonly bridgeCommand?: readonly [string, ...string[]] | undefined;
  /** How many calls of registered tools run at the same time; see IPCSessionOptions. Not for the transport `sdk`. */
  readonly connections?: number | undefined;
  /** What the bridge does after a lost connection; see IPCSessionOptions. Not for the transport `sdk`. */
  readonly reconnect?: "lazy" | "never" | undefined;
}

/** A value that the answer is to be: a Standard Schema validator that can print JSON Schema, or JSON Schema. */
export type OutputSchema<Output = unknown> = StandardSchema<Output> | JsonSchema;

export interface RequestOptions<Output = unknown> {
  /** Aborted, the request rejects with CLIInterruptedError when nothing of it is left. */
  readonly signal?: AbortSignal | undefined;
  /** The registered tools that this request may use, by name; all unless given. */
  readonly tools?: readonly string[] | undefined;
  readonly schema?: OutputSchema<Output> | undefined;
  /** Messages come in pieces too, as they are written. */
  readonly includePartialMessages?: boolean | undefined;
  readonly resume?: string | undefined;
  readonly forkSession?: boolean | undefined;
}

/** Throws `usage` for what can't work, when the model is made and not at its first request. */
export function checkOptions(options: ClaudeCodeModelOptions): void {
  for (const name of ["timeoutMs", "maxTurns", "maxBudgetUsd", "toolResultTimeoutMs", "connections"] as const) {
    const value = options[name];
    if (value !== undefined && !(Number.isFinite(value) && value > 0))
      throw new HawserError("usage", `${name} must be a number above 0, not ${String(value)}`);
  }
  // Not shown where it is refused: it may be a key.
  const badVariable = Object.entries(options.env ?? {}).find(([, value]) => value !== undefined && !isVariable(value));
  if (badVariable) throw new HawserError("usage", `env.${badVariable[0]} must be a text without a zero byte`);
  if (options.resume !== undefined && options.continue === true)
    throw new HawserError("usage", "`resume` and `continue` exclude each other; give one");
}

const isVariable = (value: unknown): boolean => typeof value === "string" && !value.includes("\0");
