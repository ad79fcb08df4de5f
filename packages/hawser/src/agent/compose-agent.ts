// Puts an agent runtime together from the flags and the configuration file. Mistakes in them are said before anything is
// served; what takes time is left for later, so that the runtime is ready at once.

import { dirname, join, resolve } from "node:path";
import {
  agentConfigPath,
  checkDefaultRoot,
  createAuditLog,
  createFileStore,
  createMemoryStore,
  createModelCatalog,
  createRoots,
  createTrustedFolders,
  defaultDataFolder,
  loadAgentConfig,
  openRulesFile,
  toCommandRule,
  type AgentConfig,
  type AgentParts,
  type PolicyOptions,
} from "@hawser/agent/internal";
import { createAcpModels } from "@hawser/acp/internal";
import { logLine, userFolder } from "@hawser/wire/internal/node";
import { readVersion } from "../command-line/launcher.ts";
import type { AgentFlags } from "./flags.ts";
import { createClaudeCodeModels } from "./claude-code-models.ts";
import type { Place } from "./tool-sources.ts";
import { createWorkspaces } from "./workspaces.ts";

/** Throws `usage` for what is wrong with flags, file or folders. */
export async function composeAgent(flags: AgentFlags, { env, cwd }: Place) {
  const { config } = await loadAgentConfig({ env, path: flags.config, warn: (message) => logLine(`[hawser] ${message}`) });
  const providers = [createClaudeCodeModels(env, cwd), createAcpModels({ agents: config.agents, env, version: readVersion() })];
  const models = createModelCatalog({ env, config, model: flags.model, providers });
  const folder = flags.dataDir === undefined ? dirname(defaultDataFolder(env)) : resolve(cwd, flags.dataDir);
  const audit = createAuditLog({ path: join(folder, "audit.jsonl") });
  const remembered = config.rememberPermissions ? await openRulesFile(join(folder, "permissions.json")) : undefined;
  const workspaces = await createWorkspaces({
    flags,
    config,
    place: { env, cwd },
    homeFolders: rootsOf(flags, config, cwd),
    policy: { ...rulesOf(flags, config), audit, remembered },
    trusted: createTrustedFolders(join(folder, "trusted-folders.json")),
    settings: [
      resolve(cwd, flags.config ?? agentConfigPath(env)),
      ...["audit.jsonl", "permissions.json", "trusted-folders.json", "conversations"].map((name) => join(folder, name)),
      // Compiled code, which the next start runs.
      join(userFolder("cache", env), "hawser"),
    ],
  });
  const parts: AgentParts = {
    models,
    store:
      flags.history === false
        ? createMemoryStore()
        : createFileStore({ folder: join(folder, "conversations"), onNotice: (message) => logLine(`[hawser] history: ${message}`) }),
    workspaces,
    build: readVersion(),
    limits: config.limits,
    prices: config.prices,
    toolFailure: flags.toolFailure,
  };
  return {
    parts,
    /** Begins to load the tools that take a while. */
    warmUp: workspaces.warmUp,
    /** Lets go of servers and files; what was promised is on disk. */
    async close(): Promise<void> {
      await Promise.allSettled([models.close?.(), workspaces.close(), audit.close(), remembered?.close()]);
    },
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
