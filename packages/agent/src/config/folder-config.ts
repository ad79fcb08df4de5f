// What a folder brings along for the conversations that work in it: `.hawser/agent.json` with rules that narrow, MCP servers, tool
// modules and instructions. Reading it runs nothing. The digest covers all that would count or run, so that a change of it is seen.

import { createHash } from "node:crypto";
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { HawserError } from "@hawser/protocol/internal";
import { agentLimits } from "../limits.ts";
import { parseFolderConfig, type FolderConfig } from "./agent-config.ts";
import { parseText, readText, withPaths } from "./config-file.ts";
import type { Brought } from "../question-lines.ts";

export interface FolderSettings {
  readonly config: FolderConfig;
  /** Of what would count or run. The texts of instructions and skills are not part of it: they are only told, and may change. */
  readonly digest: string;
  /** The digest of each tool module, by its path: what runs must be what was trusted. */
  readonly modules: ReadonlyMap<string, string>;
  /** What would count or run, for `toQuestionLines`. */
  readonly brings: readonly Brought[];
}

/** Empty for a folder without such a file. Throws `usage` for a file that can't be read or is wrong. */
export function loadFolderSettings(folder: string, warn: (message: string) => void): FolderSettings {
  const path = join(folder, ".hawser", "agent.json");
  const text = readText(path, false);
  if (text === undefined) return { config: {}, digest: digestOf(""), modules: new Map(), brings: [] };
  const config = withPaths(parseText(text, { path, parse: parseFolderConfig, warn }), dirname(path));
  if ((config.tools?.length ?? 0) > agentLimits.folderModuleEntries)
    throw new HawserError("usage", `${path}: tools has more than ${agentLimits.folderModuleEntries} entries`);
  const modules = new Map((config.tools ?? []).map((module) => [module, digestOf(readModule(module))]));
  const digest = digestOf(JSON.stringify([text, [...modules]]));
  return { config, digest, modules, brings: describeSettings(config, folder) };
}

const digestOf = (content: string | Buffer): string => createHash("sha256").update(content).digest("hex");

/**
 * The content that is digested, and later run. Nothing for a file that can't be read: it says so itself when it is loaded. The folder
 * isn't trusted yet, so a pipe or a device must not be waited for, nor read without an end. Throws `usage` for one that is too large.
 */
export function readModule(path: string): Buffer {
  let file: number | undefined;
  try {
    file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const { size } = fstatSync(file);
    if (!fstatSync(file).isFile()) return Buffer.alloc(0);
    if (size > agentLimits.folderModuleBytes)
      throw new HawserError("usage", `the tool module ${path} is larger than ${agentLimits.folderModuleBytes} bytes`);
    const content = Buffer.alloc(size);
    return content.subarray(0, readSync(file, content, 0, size, 0));
  } catch (error) {
    if (HawserError.isInstance(error)) throw error;
    return Buffer.alloc(0);
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

function describeSettings({ permissions = [], mcpServers = {}, tools = [], instructions }: FolderConfig, folder: string): Brought[] {
  return [
    ...Object.entries(mcpServers).map(describeServer),
    ...tools.map((path) => `the tools of ${relative(folder, path)}, which run with your rights`),
    ...(instructions ? [{ heading: "instructions for the model", text: instructions }] : []),
    ...(permissions.length > 0 ? [`${permissions.length} rules that narrow what is allowed`] : []),
  ];
}

/** Also what changes the meaning of a command, and what of the user's environment it would get: both come before a command that is long. */
function describeServer([name, server]: [string, NonNullable<FolderConfig["mcpServers"]>[string]]): string {
  const { command, args = [], env = {}, cwd, url = "", headers = {} } = server;
  const used = new Set(Array.from(JSON.stringify(server).matchAll(/\$\{(\w+)/g), ([, variable]) => variable));
  const facts = [
    ...(used.size > 0 ? [`is given your environment's ${[...used].join(", ")}`] : []),
    ...Object.entries({ ...env, ...headers }).map(([key, value]) => `has ${key}=${value}`),
    ...(cwd === undefined ? [] : [`works in ${cwd}`]),
    command === undefined ? `is at ${url}` : `runs: ${[command, ...args].join(" ")}`,
  ];
  return `the MCP server "${name}", which ${facts.join(", ")}`;
}
