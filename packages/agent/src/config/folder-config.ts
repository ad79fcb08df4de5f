// What a folder brings along for the conversations that work in it: `.hawser/agent.json` with rules that narrow, MCP servers, tool
// modules and instructions. Reading it runs nothing. The digest covers all that would count or run, so that a change of it is seen.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { cutText } from "@hawser/protocol/internal";
import { agentLimits } from "../limits.ts";
import { parseFolderConfig, type FolderConfig } from "./agent-config.ts";
import { parseText, readText, withPaths } from "./config-file.ts";

export interface FolderSettings {
  readonly config: FolderConfig;
  readonly digest: string;
  /** What would count or run, for people. */
  readonly brings: readonly string[];
}

/** Undefined for a folder that brings nothing. Throws `usage` for a file that can't be read or is wrong. */
export function loadFolderSettings(folder: string, warn: (message: string) => void): FolderSettings | undefined {
  const path = join(folder, ".hawser", "agent.json");
  const text = readText(path, false);
  if (text === undefined) return undefined;
  const config = withPaths(parseText(text, { path, parse: parseFolderConfig, warn }), dirname(path));
  const hash = createHash("sha256").update(text);
  for (const module of config.tools ?? []) hash.update(`\0${module}\0`).update(readModule(module));
  return { config, digest: hash.digest("hex"), brings: describeSettings(config, folder) };
}

/** One that can't be read says so itself when it is loaded. */
function readModule(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch {
    return Buffer.alloc(0);
  }
}

const shownChars = 200;

function describeSettings({ permissions = [], mcpServers = {}, tools = [], instructions }: FolderConfig, folder: string): string[] {
  const servers = Object.entries(mcpServers).map(([name, { command, args = [], url }]) =>
    command === undefined ? `the MCP server "${name}" at ${url}` : `the MCP server "${name}", which runs: ${[command, ...args].join(" ")}`,
  );
  const all = [
    ...servers,
    ...tools.map((path) => `the tools of ${relative(folder, path)}, which run with your rights`),
    ...(instructions ? [`instructions for the model: ${instructions}`] : []),
    ...(permissions.length > 0 ? [`${permissions.length} rules that narrow what is allowed`] : []),
  ].map((line) => cutText(line.toWellFormed(), shownChars));
  const shown = all.slice(0, agentLimits.trustQuestionEntries);
  return all.length > shown.length ? [...shown, `${all.length - shown.length} more`] : shown;
}
