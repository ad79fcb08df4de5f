// What the agent's configuration file may say. No secret has to be in it: keys come from the environment.

import type { TokenPrices, TurnLimits } from "../runtime/agent-parts.ts";
import type { ModelConfiguration } from "../model/vendors.ts";
import { parseRules, type PermissionRule } from "../rules/permission-rule.ts";
import { anyText, flag, listOf, object, oneOf, price, recordOf, refuse, text, wholeNumber, type Check } from "./checks.ts";

export interface AgentConfig extends ModelConfiguration {
  /** Folders that file tools may touch; the first is where relative paths begin. */
  readonly roots?: readonly string[] | undefined;
  /** Programs that `run_command` may start. */
  readonly allowedCommands?: readonly string[] | undefined;
  readonly permissions?: readonly PermissionRule[] | undefined;
  /** "Always allow" counts from now on, and not only in its conversation. */
  readonly rememberPermissions?: boolean | undefined;
  /** As other MCP clients have it. */
  readonly mcpServers?: Readonly<Record<string, ConfiguredServer>> | undefined;
  /** Modules that export tools. */
  readonly tools?: readonly string[] | undefined;
  /** Operations of an HTTP API as tools. */
  readonly gateway?: ConfiguredGateway | undefined;
  /** What the model is told, besides what it is told anyway. */
  readonly instructions?: string | undefined;
  readonly limits?: Partial<TurnLimits> | undefined;
  /** What tokens cost, by model. */
  readonly prices?: Readonly<Record<string, TokenPrices>> | undefined;
}

export interface ConfiguredServer {
  readonly type?: "stdio" | "http" | "streamable-http" | "sse" | undefined;
  readonly command?: string | undefined;
  readonly args?: readonly string[] | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly cwd?: string | undefined;
  readonly url?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

export interface ConfiguredGateway {
  /** Of the gateway's own configuration; the active one unless given. */
  readonly profile?: string | undefined;
  readonly url?: string | undefined;
  readonly specFile?: string | undefined;
  /** Operation ids, or patterns with `*`. */
  readonly include?: readonly string[] | undefined;
  readonly exclude?: readonly string[] | undefined;
  readonly allowMutations?: boolean | undefined;
}

const server: Check = (value, context) => {
  object({
    type: oneOf("stdio", "http", "streamable-http", "sse"),
    command: text,
    args: listOf(anyText),
    env: recordOf(anyText),
    cwd: text,
    url: text,
    headers: recordOf(anyText),
  })(value, context);
  const { command, url } = value as ConfiguredServer;
  if ((command === undefined) === (url === undefined)) refuse(context, "needs a command to start, or a url to connect to, and not both");
};

const configuration = object({
  $schema: anyText,
  model: text,
  openaiCompatible: object({ baseUrl: text, apiKeyEnv: text, models: listOf(text) }, ["baseUrl"]),
  roots: listOf(text),
  allowedCommands: listOf(text),
  permissions: (value) => void parseRules(value),
  rememberPermissions: flag,
  mcpServers: recordOf(server),
  tools: listOf(text),
  gateway: object({ profile: text, url: text, specFile: text, include: listOf(text), exclude: listOf(text), allowMutations: flag }),
  instructions: anyText,
  prices: recordOf(
    object({ inputPerMillion: price, outputPerMillion: price, cachedInputPerMillion: price }, ["inputPerMillion", "outputPerMillion"]),
  ),
  limits: object({
    agentHeartbeatMs: wholeNumber,
    agentSteps: wholeNumber,
    agentToolMs: wholeNumber,
    agentTurnMs: wholeNumber,
    permissionMs: wholeNumber,
  }),
});

/** Throws `usage` that names the key; what is merely unknown is told to `warn`. */
export function parseAgentConfig(value: unknown, warn: (message: string) => void): AgentConfig {
  configuration(value, { key: "", warn });
  return value as AgentConfig;
}
