// The agent's configuration file. The usual one may be missing; one that was named may not. Paths in it are
// relative to its own folder. Whatever is said about a broken file names the file and the key, and never a
// value of it.

import { isUtf8 } from "node:buffer";
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { HawserError, isRecord, toHawserError } from "@hawser/protocol/internal";
import { agentLimits } from "../limits.ts";
import { userFolder } from "@hawser/wire/internal/node";
import type { Environment } from "../model/vendors.ts";
import { parseAgentConfig, type AgentConfig, type ConfiguredAgent, type FolderConfig } from "./agent-config.ts";
import { localConfigPath, mergeLocal, type Members } from "./local-config.ts";

export interface LoadedConfig {
  readonly config: AgentConfig;
  /** Undefined when there is no such file. */
  readonly path: string | undefined;
}

export interface LoadConfigOptions {
  readonly env: Environment;
  /** Instead of the usual one. */
  readonly path?: string | undefined;
  /** What is wrong and does not matter. */
  warn(message: string): void;
}

/** `$XDG_CONFIG_HOME/hawser/agent.json`, or below `~/.config`. */
export const agentConfigPath = (env: Environment): string => join(userFolder("config", env), "hawser", "agent.json");

/**
 * Beside the usual configuration, whichever is used: keys belong to the user. In a folder of its own, since only a folder can be hidden
 * from a command that runs: a file that is put in place anew would be seen.
 */
export const keysPath = (env: Environment): string => join(userFolder("config", env), "hawser", "keys", "keys.json");

/** Throws `usage` with the file and the key. */
export async function loadAgentConfig({ env, path: named, warn }: LoadConfigOptions): Promise<LoadedConfig> {
  const path = resolve(named ?? agentConfigPath(env));
  const text = readText(path, named !== undefined);
  if (text === undefined) return { config: {}, path: undefined };
  // What a host has changed of a file that was named.
  const local = named === undefined ? {} : readMembers(localConfigPath(path));
  const parse = (value: unknown, warnOf: (message: string) => void): AgentConfig =>
    parseAgentConfig(isRecord(value) ? mergeLocal(value, local) : value, warnOf);
  return { config: withPaths(parseText(text, { path, parse, warn }), dirname(path)), path };
}

/** What a file of JSON says; nothing where there is none. Throws `usage` with the file. */
export function readMembers(path: string): Members {
  const parse = (value: unknown): Members => {
    if (!isRecord(value)) throw new HawserError("usage", "the configuration must be an object");
    return value;
  };
  return parseText(readText(path, false) ?? "{}", { path, parse, warn: () => {} });
}

interface ParseOptions<Config> {
  readonly path: string;
  parse(value: unknown, warn: (message: string) => void): Config;
  warn(message: string): void;
}

/** Whatever is wrong is said with the file's path before it. */
export function parseText<Config>(text: string, { path, parse, warn }: ParseOptions<Config>): Config {
  try {
    return parse(parseJson(text), (message) => warn(`${path}: ${message}`));
  } catch (error) {
    const { message } = toHawserError(error);
    throw new HawserError("usage", `${path}: ${message}`, { cause: error });
  }
}

// The parser's own words quote the text; only the place is taken from them.
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    const place = /line \d+ column \d+/.exec((error as Error).message)?.[0];
    throw new HawserError("usage", `not valid JSON${place === undefined ? "" : `, at ${place}`}`);
  }
}

// At once: before `ready` nothing else is done, and loading `node:fs/promises` would take longer than the file.
export function readText(path: string, mustExist: boolean): string | undefined {
  let file: number | undefined;
  try {
    // A pipe without a writer would block.
    file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    if (!fstatSync(file).isFile()) throw new HawserError("usage", "is not a file");
    const buffer = Buffer.allocUnsafe(agentLimits.agentConfigBytes + 1);
    const bytesRead = readSync(file, buffer, 0, buffer.length, 0);
    if (bytesRead > agentLimits.agentConfigBytes) throw new HawserError("usage", `is larger than ${agentLimits.agentConfigBytes} bytes`);
    if (!isUtf8(buffer.subarray(0, bytesRead))) throw new HawserError("usage", "is not UTF-8 text");
    return buffer.toString("utf8", 0, bytesRead);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === "ENOENT" && !mustExist) return undefined;
    const other = code === "ENOENT" ? "is not there; name one that is, or none" : `can't be read (${code ?? "failed"})`;
    const reason = HawserError.isInstance(cause) ? cause.message : other;
    throw new HawserError("usage", `configuration file ${path} ${reason}`, { cause });
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

export function withPaths<Config extends AgentConfig | FolderConfig>(config: Config, folder: string): Config {
  const toPath = (path: string): string => (path.startsWith("~/") ? join(homedir(), path.slice(2)) : resolve(folder, path));
  const toSpecFile = (place: string): string => (/^https?:\/\//i.test(place) ? place : toPath(place));
  const { roots, tools, gateway, agents, sandbox }: AgentConfig = config;
  return {
    ...config,
    ...(roots && { roots: roots.map(toPath) }),
    ...(tools && { tools: tools.map(toPath) }),
    ...(sandbox?.read && { sandbox: { ...sandbox, read: sandbox.read.map(toPath) } }),
    ...(agents && { agents: Object.fromEntries(Object.entries(agents).map(([name, agent]) => [name, withAgentPaths(agent, toPath)])) }),
    ...(gateway?.specFile !== undefined && { gateway: { ...gateway, specFile: toSpecFile(gateway.specFile) } }),
  };
}

/** A command without a slash is looked for on the PATH. */
function withAgentPaths(agent: ConfiguredAgent, toPath: (path: string) => string): ConfiguredAgent {
  const { command, cwd } = agent;
  return { ...agent, ...(/[\\/]/.test(command) && { command: toPath(command) }), ...(cwd !== undefined && { cwd: toPath(cwd) }) };
}
