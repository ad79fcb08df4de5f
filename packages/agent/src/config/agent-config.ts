// What the agent's configuration file may say, and its check. No secret has to be in it: keys come from the environment.
// A mistake is reported with its key, and never with its value: it may be a secret. An unknown member is a warning.

import { cutText, HawserError, isRecord } from "@hawser/protocol/internal";
import type { UndoLimits } from "../changes/change-log.ts";
import type { TokenPrices, TurnLimits } from "../runtime/agent-parts.ts";
import type { Budgets } from "../runtime/budget.ts";
import type { ModelConfiguration } from "../model/vendors.ts";
import { parseRules, type PermissionRule } from "../rules/permission-rule.ts";

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
  /** Agents that speak ACP: `acp/<name>` among the models. */
  readonly agents?: Readonly<Record<string, ConfiguredAgent>> | undefined;
  /** What is around commands. */
  readonly sandbox?: ConfiguredSandbox | undefined;
  /** Modules that export tools. */
  readonly tools?: readonly string[] | undefined;
  /** Operations of an HTTP API as tools. */
  readonly gateway?: ConfiguredGateway | undefined;
  /** What the model is told, besides what it is told anyway. */
  readonly instructions?: string | undefined;
  readonly limits?: Partial<TurnLimits & UndoLimits> | undefined;
  /** False: what turns change in files is not kept, and can't be undone. */
  readonly undo?: boolean | undefined;
  /** What tokens cost, by model. */
  readonly prices?: Readonly<Record<string, TokenPrices>> | undefined;
  /** What a turn, and all turns of a conversation, may use. */
  readonly budgets?: Budgets | undefined;
}

export interface ConfiguredServer {
  readonly type?: "stdio" | "http" | "streamable-http" | "sse" | undefined;
  readonly command?: string | undefined;
  readonly args?: readonly string[] | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly cwd?: string | undefined;
  readonly url?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The tools of a service on other machines: the servers of the fleet, the service (the entry's name unless given), and a file with credentials. */
  readonly fleet?: string | undefined;
  readonly service?: string | undefined;
  readonly credentials?: string | undefined;
  /** True: it is neither started nor connected to. */
  readonly disabled?: boolean | undefined;
  /** Tools that models are not offered, by the names that the server gives them. */
  readonly disabledTools?: readonly string[] | undefined;
}

export interface ConfiguredAgent {
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Instead of the conversation's folder. */
  readonly cwd?: string | undefined;
}

export interface ConfiguredSandbox {
  /** `auto` unless given: where it works. */
  readonly mode?: "auto" | "require" | "off" | undefined;
  /** Files and folders that commands may read besides the system's. */
  readonly read?: readonly string[] | undefined;
  readonly network?: boolean | undefined;
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

interface CheckContext {
  /** Where the value stands: `mcpServers.harbour.command`. */
  readonly key: string;
  warn(message: string): void;
}

type Check = (value: unknown, context: CheckContext) => void;

const must =
  (isFine: (value: unknown) => boolean, problem: string): Check =>
  (value, context) => {
    if (!isFine(value)) refuse(context, problem);
  };

// The longest delay that a timer takes.
const maxNumber = 2_147_483_647;

const text = must((value) => typeof value === "string" && value.trim() !== "", "must be a text that is not empty");
/** An empty one means something too, as a variable of an environment does. */
const anyText = must((value) => typeof value === "string", "must be a text");
const flag = must((value) => typeof value === "boolean", "must be true or false");
const wholeNumber = must(
  (value) => Number.isInteger(value) && (value as number) >= 1 && (value as number) <= maxNumber,
  `must be a whole number from 1 to ${maxNumber}`,
);
const price = must((value) => Number.isFinite(value) && (value as number) >= 0, "must be a number of at least 0");
const above0 = must((value) => Number.isFinite(value) && (value as number) > 0, "must be a number above 0");
const oneOf = (...choices: readonly unknown[]): Check => must((value) => choices.includes(value), `must be one of: ${choices.join(", ")}`);

const listOf =
  (item: Check): Check =>
  (value, context) => {
    if (!Array.isArray(value)) refuse(context, "must be a list");
    for (const [at, member] of value.entries()) item(member, { ...context, key: `${context.key}[${at}]` });
  };

/** Members by any name. */
const recordOf =
  (member: Check): Check =>
  (value, context) => {
    if (!isRecord(value)) refuse(context, "must be an object");
    for (const [name, item] of Object.entries(value)) member(item, below(context, name));
  };

/** Members by these names; those in `required` must be there. */
const object =
  (members: Readonly<Record<string, Check>>, required: readonly string[] = []): Check =>
  (value, context) => {
    if (!isRecord(value)) refuse(context, "must be an object");
    for (const name of required) if (value[name] === undefined) refuse(below(context, name), "is missing");
    for (const [name, item] of Object.entries(value)) {
      const check = Object.hasOwn(members, name) ? members[name] : undefined;
      if (check) check(item, below(context, name));
      else context.warn(`${below(context, name).key} means nothing; known are: ${Object.keys(members).join(", ")}`);
    }
  };

const maxKeyChars = 200;

const below = (context: CheckContext, name: string): CheckContext => ({
  ...context,
  key: cutText(context.key === "" ? name : `${context.key}.${name}`, maxKeyChars),
});

function refuse({ key }: CheckContext, problem: string): never {
  throw new HawserError("usage", `${key === "" ? "the configuration" : key} ${problem}`, { facts: { key } });
}

const budget = object({ tokens: wholeNumber, usd: above0, ms: wholeNumber });

const server: Check = (value, context) => {
  object({
    type: oneOf("stdio", "http", "streamable-http", "sse"),
    command: text,
    args: listOf(anyText),
    env: recordOf(anyText),
    cwd: text,
    url: text,
    headers: recordOf(anyText),
    fleet: text,
    service: text,
    credentials: text,
    disabled: flag,
    disabledTools: listOf(text),
  })(value, context);
  const { command, url, fleet } = value as ConfiguredServer;
  if ([command, url, fleet].filter((place) => place !== undefined).length !== 1)
    refuse(context, "needs one of: a command to start, a url to connect to, a fleet whose machines have the tools");
};

/** A name becomes part of a model's name and of the names in permission rules. */
const agentName = /^[a-zA-Z0-9][a-zA-Z0-9_-]{0,63}$/;

const agents: Check = (value, context) => {
  recordOf(object({ command: text, args: listOf(anyText), env: recordOf(anyText), cwd: text }, ["command"]))(value, context);
  const odd = Object.keys(value as object).find((name) => !agentName.test(name));
  if (odd !== undefined) refuse(below(context, odd), "must be named with letters, digits, _ and -, at most 64");
};

/** A server's name stands before the slash of its models' names, so it must not be one of ours. */
const openaiServers: Check = (value, context) => {
  recordOf(object({ baseUrl: text, apiKeyEnv: text, models: listOf(text) }, ["baseUrl"]))(value, context);
  const odd = Object.keys(value as object).find((name) => !agentName.test(name) || ownPrefixes.includes(name));
  if (odd !== undefined)
    refuse(below(context, odd), `must be named with letters, digits, _ and -, at most 64, and none of: ${ownPrefixes.join(", ")}`);
};

const ownPrefixes: readonly string[] = ["anthropic", "openai", "openai-compatible", "ollama", "claude-code", "acp", "offline"];

/** What a folder may bring along for the conversations that work in it. */
const folderMembers = {
  $schema: anyText,
  permissions: (value: unknown) => void parseRules(value),
  mcpServers: recordOf(server),
  tools: listOf(text),
  instructions: anyText,
};

const folderConfiguration = object(folderMembers);

const configuration = object({
  ...folderMembers,
  model: text,
  openaiCompatible: object({ baseUrl: text, apiKeyEnv: text, models: listOf(text) }, ["baseUrl"]),
  openaiServers,
  roots: listOf(text),
  allowedCommands: listOf(text),
  rememberPermissions: flag,
  sandbox: object({ mode: oneOf("auto", "require", "off"), read: listOf(text), network: flag }),
  undo: flag,
  agents,
  gateway: object({ profile: text, url: text, specFile: text, include: listOf(text), exclude: listOf(text), allowMutations: flag }),
  prices: recordOf(
    object({ inputPerMillion: price, outputPerMillion: price, cachedInputPerMillion: price }, ["inputPerMillion", "outputPerMillion"]),
  ),
  contextWindows: recordOf(wholeNumber),
  budgets: object({ turn: budget, conversation: budget }),
  limits: object({
    agentHeartbeatMs: wholeNumber,
    agentSteps: wholeNumber,
    agentToolMs: wholeNumber,
    agentTurnMs: wholeNumber,
    permissionMs: wholeNumber,
    undoFileBytes: wholeNumber,
    undoRootBytes: wholeNumber,
  }),
});

export type FolderConfig = Pick<AgentConfig, "permissions" | "mcpServers" | "tools" | "instructions">;

/** The same for the file of a folder. Its rules can only narrow what is allowed: one that allows is told to `warn` and left out. */
export function parseFolderConfig(value: unknown, warn: (message: string) => void): FolderConfig {
  folderConfiguration(value, { key: "", warn });
  const config = value as FolderConfig;
  const narrowing = config.permissions?.filter(({ decision }) => decision !== "allow");
  if (narrowing?.length !== config.permissions?.length) warn("permissions of a folder can't allow anything; those rules are left out");
  return { ...config, ...(narrowing && { permissions: narrowing }) };
}

/** The servers that a host gives to one conversation. Throws `usage`. */
export function parseServers(value: unknown): Readonly<Record<string, ConfiguredServer>> {
  recordOf(server)(value, { key: "mcpServers", warn: () => {} });
  return value as Readonly<Record<string, ConfiguredServer>>;
}

/** Throws `usage` that names the key; what is merely unknown is told to `warn`. */
export function parseAgentConfig(value: unknown, warn: (message: string) => void): AgentConfig {
  configuration(value, { key: "", warn });
  return value as AgentConfig;
}
