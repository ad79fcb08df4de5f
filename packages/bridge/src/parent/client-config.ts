// The session's configuration in the words of each MCP client: what a user pastes, and how a
// command of that client is started with it for one run.

import { basename } from "node:path";
import { HawserError } from "@hawser/protocol";
import { isClientName, maxNameLength } from "../contract/client-tools.ts";
import type { McpStdioServerConfig } from "./session.ts";

export type ClientName = "claude" | "codex" | "gemini" | "opencode" | "json";

const printers: Readonly<Record<ClientName, (serverName: string, config: McpStdioServerConfig) => string>> = {
  claude: (name, config) => json(claudeConfig(name, config)),
  codex: codexToml,
  gemini: (name, config) => json(geminiConfig(name, config)),
  opencode: (name, config) => json(opencodeConfig(name, config)),
  json: (_, config) => json(config),
};

/** Text for the client's configuration file. */
export function printClientConfig(client: ClientName, serverName: string, config: McpStdioServerConfig): string {
  checkServerName(serverName);
  return printers[client](serverName, config);
}

export interface ClientCommand {
  /** They go before the command's own: behind a subcommand, Claude does not know them. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** A file that must exist while the command runs: its path is `{file}` in `env`. */
  readonly file?: string;
  /** Where the file must be: in a folder that also shows everything of the user's own. The path of what holds that folder is `{home}` in `env`. */
  readonly overlay?: { readonly of: string; readonly path: readonly string[] };
}

/** How to add the server to one run of a client, by the name of its program; undefined for programs we don't know. */
export function toClientCommand(program: string, serverName: string, config: McpStdioServerConfig): ClientCommand | undefined {
  checkServerName(serverName);
  switch (basename(program).replace(/\.(?:exe|cmd|mjs|js)$/, "")) {
    case "claude":
      // One word, since the option takes all words that follow it.
      return { args: [`--mcp-config=${JSON.stringify(claudeConfig(serverName, config))}`], env: {} };
    case "codex": {
      // Else Codex asks the model before the server has started, and a run of one question never sees the tools.
      const settings = [...codexSettings(config), ["required", "true"]];
      return { args: settings.flatMap(([key, value]) => ["-c", `mcp_servers.${serverName}.${key}=${value}`]), env: {} };
    }
    case "gemini":
      // As an extension: Gemini reads settings from other places only if they belong to root.
      return {
        args: [],
        env: { GEMINI_CLI_HOME: "{home}" },
        file: json({ name: "hawser", version: "1.0.0", ...geminiConfig(serverName, config) }),
        overlay: { of: ".gemini", path: ["extensions", "hawser", "gemini-extension.json"] },
      };
    case "opencode":
      return { args: [], env: { OPENCODE_CONFIG: "{file}" }, file: json(opencodeConfig(serverName, config)) };
    default:
      return undefined;
  }
}

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
const claudeConfig = (name: string, config: McpStdioServerConfig): object => ({ mcpServers: { [name]: config } });

function geminiConfig(name: string, { command, args, env }: McpStdioServerConfig): object {
  return { mcpServers: { [name]: { command, args, ...(env && { env }) } } };
}

function opencodeConfig(name: string, { command, args, env }: McpStdioServerConfig): object {
  return { mcp: { [name]: { type: "local", command: [command, ...args], ...(env && { environment: env }) } } };
}

function codexToml(name: string, config: McpStdioServerConfig): string {
  const lines = codexSettings(config).map(([key, value]) => `${key} = ${value}`);
  return `${[`[mcp_servers.${name}]`, ...lines].join("\n")}\n`;
}

/** Each setting with its value in TOML. */
function codexSettings({ command, args, env }: McpStdioServerConfig): [string, string][] {
  const entries = Object.entries(env ?? {}).map(([key, value]) => `${tomlText(key)} = ${tomlText(value)}`);
  return [
    ["command", tomlText(command)],
    ["args", `[${args.map(tomlText).join(", ")}]`],
    ...(env ? [["env", `{ ${entries.join(", ")} }`] satisfies [string, string]] : []),
  ];
}

// A JSON string is a basic string of TOML, except for the one control character that JSON does not escape.
const tomlText = (text: string): string => JSON.stringify(text).replaceAll("\u007f", "\\u007f");

function checkServerName(name: string): void {
  if (!isClientName(name))
    throw new HawserError("usage", `a server name has letters, digits, _ and -, at most ${maxNameLength}; not "${name}"`);
}
