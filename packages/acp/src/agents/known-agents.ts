// Which agents there are: those of the configuration, and the well-known ones where the PATH leads to them. Looks for files
// only; nothing is started, and nothing of ACP is loaded.

import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { ConfiguredAgent } from "@hawser/agent";

export interface AgentDefinition extends ConfiguredAgent {
  /** As models are named: `acp/codex`. */
  readonly name: string;
  readonly args: readonly string[];
  /** What to do when it is not logged in. */
  readonly login?: string | undefined;
  /** What it says then, where it does not say it as ACP has it. */
  readonly saysNotReady?: RegExp | undefined;
}

interface KnownAgent extends ConfiguredAgent {
  readonly args: readonly string[];
  /** How to get it. */
  readonly install: string;
  readonly login: string;
  readonly saysNotReady?: RegExp;
}

const knownAgents: Readonly<Record<string, KnownAgent>> = {
  codex: {
    command: "codex-acp",
    args: [],
    install: "npm install -g @agentclientprotocol/codex-acp",
    login: "run: codex login, or set OPENAI_API_KEY",
  },
  claude: {
    command: "claude-agent-acp",
    args: [],
    install: "npm install -g @agentclientprotocol/claude-agent-acp",
    login: "run: claude auth login, or set ANTHROPIC_API_KEY",
  },
  gemini: {
    command: "gemini",
    args: ["--acp"],
    install: "npm install -g @google/gemini-cli",
    login: "run: gemini, and choose how to log in there, or set GEMINI_API_KEY",
  },
  opencode: { command: "opencode", args: ["acp"], install: "npm install -g opencode-ai", login: "run: opencode auth login" },
  goose: {
    command: "goose",
    args: ["acp"],
    install: "npm install -g @aaif/goose-acp",
    login: "run: goose configure",
    saysNotReady: /Failed to resolve provider/,
  },
};

export type ConfiguredAgents = Readonly<Record<string, ConfiguredAgent>>;

/** Names for the list of models, without their prefix. */
export const agentNames = (configured: ConfiguredAgents = {}): string[] => [
  ...new Set([...Object.keys(configured), ...Object.keys(knownAgents)]),
];

/** Undefined for a name that is neither configured nor well known. What is configured counts. */
export function defineAgent(name: string, configured: ConfiguredAgents = {}): AgentDefinition | undefined {
  const own = Object.hasOwn(configured, name) ? configured[name] : undefined;
  const known = Object.hasOwn(knownAgents, name) ? knownAgents[name] : undefined;
  const chosen = own ?? known;
  return chosen && { ...chosen, name: `acp/${name}`, args: chosen.args ?? [], login: known?.login, saysNotReady: known?.saysNotReady };
}

/** Why it can't be started, and what to do; undefined when its program is there. */
export function missingAgent(
  name: string,
  {
    configured,
    env,
    configFile = "agent.json",
  }: { configured: ConfiguredAgents | undefined; env: NodeJS.ProcessEnv; configFile?: string | undefined },
): string | undefined {
  const agent = defineAgent(name, configured);
  if (!agent)
    return `there is no agent of that name; known are ${agentNames(configured).join(", ")}, and "agents" in ${configFile} can name others`;
  if (findProgram(agent.command, env) !== undefined) return undefined;
  const isConfigured = configured !== undefined && Object.hasOwn(configured, name);
  if (isConfigured) return `there is no program ${agent.command}; check "agents.${name}.command" in ${configFile}`;
  return `${agent.command} is not on the PATH; run: ${knownAgents[name]?.install}`;
}

/** Where a shell would find it. */
function findProgram(command: string, env: NodeJS.ProcessEnv): string | undefined {
  if (/[\\/]/.test(command)) return isProgram(command) ? command : undefined;
  const endings = process.platform === "win32" ? (env["PATHEXT"] ?? ".EXE;.CMD;.BAT").split(";") : [""];
  const folders = (env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
  return folders.flatMap((folder) => endings.map((ending) => join(folder, `${command}${ending}`))).find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
