// Puts an agent runtime together from the flags and the configuration file. Mistakes in them are said before anything is
// served; what takes time is left for later, so that the runtime is ready at once.

import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import {
  agentConfigPath,
  checkDefaultRoot,
  createChangeLog,
  createAuditLog,
  createFileStore,
  createMemoryStore,
  createModelCatalog,
  createRoots,
  createSandbox,
  createTrustedFolders,
  defaultDataFolder,
  loadAgentConfig,
  openRulesFile,
  ownPlaces,
  toCommandRule,
  type AgentConfig,
  type AgentParts,
  type ConversationStore,
  type PolicyOptions,
} from "@hawser/agent/internal";
import { createAcpModels } from "@hawser/acp/internal";
import { createPrivateFolder, logLine, userFolder } from "@hawser/wire/internal/node";
import { readVersion } from "../command-line/launcher.ts";
import type { AgentFlags } from "./flags.ts";
import { createClaudeCodeModels } from "./claude-code-models.ts";
import type { Place } from "./tool-sources.ts";
import { createWorkspaces } from "./workspaces.ts";

/** `store`: the history, where it is not in a folder. Throws `usage` for what is wrong with flags, file or folders. */
export async function composeAgent(flags: AgentFlags, { env, cwd }: Place, store?: ConversationStore) {
  const { config } = await loadAgentConfig({ env, path: flags.config, warn: (message) => logLine(`[hawser] ${message}`) });
  const providers = [createClaudeCodeModels(env, cwd), createAcpModels({ agents: config.agents, env, version: readVersion() })];
  const models = createModelCatalog({ env, config, model: flags.model, contextWindow: flags.contextWindow, providers });
  const folder = flags.dataDir === undefined ? dirname(defaultDataFolder(env)) : resolve(cwd, flags.dataDir);
  const audit = createAuditLog({ path: join(folder, "audit.jsonl") });
  const remembered = config.rememberPermissions ? await openRulesFile(join(folder, "permissions.json")) : undefined;
  const undo = openUndo(flags, config, folder);
  const { changes } = undo;
  const named = ["audit.jsonl", "permissions.json", "trusted-folders.json", "conversations"].map((name) => join(folder, name));
  const ownData = [...named, undo.folder];
  const own = ownPlaces(env);
  const sandbox = createSandbox({
    ...config.sandbox,
    mode: flags.sandbox ?? config.sandbox?.mode ?? "auto",
    hidden: [folder, ...ownData],
    home: env["HOME"] || homedir(),
    // Scripts of the user's own skills.
    read: [...(config.sandbox?.read ?? []), ...own.skills],
  });
  const workspaces = await createWorkspaces({
    changes,
    flags,
    config,
    place: { env, cwd },
    homeFolders: rootsOf(flags, config, cwd),
    policy: { ...rulesOf(flags, config), audit, remembered, sandbox },
    sandbox,
    own,
    trusted: createTrustedFolders(join(folder, "trusted-folders.json")),
    settings: [
      resolve(cwd, flags.config ?? agentConfigPath(env)),
      ...ownData,
      ...own.instructions,
      ...own.skills,
      // Compiled code, which the next start runs.
      join(userFolder("cache", env), "hawser"),
    ],
  });
  const parts: AgentParts = {
    models,
    store: store ?? openHistory(flags, folder),
    workspaces,
    changes,
    build: readVersion(),
    limits: config.limits,
    prices: config.prices,
    budgets: config.budgets,
    toolFailure: flags.toolFailure,
  };
  return {
    parts,
    /** Begins to load the tools that take a while. */
    warmUp: workspaces.warmUp,
    /** Lets go of servers and files; what was promised is on disk. */
    async close(): Promise<void> {
      await Promise.allSettled([models.close?.(), workspaces.close(), audit.close(), remembered?.close()]);
      undo.close();
    },
  };
}

const openHistory = ({ history }: AgentFlags, dataFolder: string): ConversationStore =>
  history === false
    ? createMemoryStore()
    : createFileStore({ folder: join(dataFolder, "conversations"), onNotice: (message) => logLine(`[hawser] history: ${message}`) });

/** What is kept for undo, if anything is. Without a history it goes with the process, too. */
function openUndo(flags: AgentFlags, config: AgentConfig, dataFolder: string) {
  const isOn = flags.undo !== false && config.undo !== false;
  const passing = isOn && flags.history === false ? createPrivateFolder("undo") : undefined;
  const folder = passing?.path ?? join(dataFolder, "undo");
  return {
    folder,
    changes: isOn ? createChangeLog({ folder, limits: config.limits }) : undefined,
    close: (): void => passing?.remove(),
  };
}

/** The rules of the configuration come after those of the flags, and so can narrow them. */
function rulesOf({ permissions, allowCommand = [] }: AgentFlags, config: AgentConfig): Pick<PolicyOptions, "rules" | "mode"> {
  if (permissions !== "commands") return { rules: config.permissions, mode: permissions };
  const allowed = allowCommand.map(toCommandRule);
  return { rules: [...allowed, ...(config.permissions ?? [])], mode: "deny" };
}

/** The folders in which the agent will work. Throws `usage` for those that can't be roots, before anything else is begun. */
export async function checkRoots(flags: AgentFlags, { env, cwd }: Place): Promise<readonly string[]> {
  const { config } = await loadAgentConfig({ env, path: flags.config, warn: () => {} });
  const { paths } = await createRoots(rootsOf(flags, config, cwd));
  return paths;
}

/** The working directory is meant only where it is some project's. */
function rootsOf({ root }: AgentFlags, config: AgentConfig, cwd: string): readonly string[] {
  if (root !== undefined) return root.map((path) => resolve(cwd, path));
  if (config.roots !== undefined && config.roots.length > 0) return config.roots;
  checkDefaultRoot(cwd);
  return [cwd];
}
