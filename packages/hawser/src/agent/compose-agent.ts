// Puts an agent runtime together from the flags and the configuration file. Mistakes in them are said before anything is
// served; what takes time is left for later, so that the runtime is ready at once.

import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import {
  agentConfigPath,
  changedFile,
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
  createKeyStore,
  keysPath,
  loadAgentConfig,
  openRulesFile,
  ownPlaces,
  toCommandRule,
  type AgentConfig,
  type AgentParts,
  type ConversationStore,
  type PermissionRule,
  type Sandbox,
} from "@hawser/agent/internal";
import { createAcpModels } from "@hawser/acp/internal";
import { createPrivateFolder, logLine, userFolder } from "@hawser/wire/internal/node";
import { readVersion } from "../command-line/launcher.ts";
import type { AgentFlags } from "./flags.ts";
import { createClaudeCodeModels } from "./claude-code-models.ts";
import { keyPlacesOf } from "./key-places.ts";
import { createSettings } from "./settings.ts";
import { createSystemKeychain } from "./system-keychain.ts";
import type { Place } from "./tool-sources.ts";
import { createWorkspaces, remade, type WorkspacesOptions } from "./workspaces.ts";

/** In the folder of the data: what decides about the agent, or was decided. */
const decisiveFiles = ["audit.jsonl", "permissions.json", "trusted-folders.json", "conversations"];

/** `store`: the history, where it is not in a folder. Throws `usage` for what is wrong with flags, file or folders. */
export async function composeAgent(flags: AgentFlags, { env, cwd }: Place, store?: ConversationStore) {
  const { config } = await loadAgentConfig({ env, path: flags.config, warn: (message) => logLine(`[hawser] ${message}`) });
  const files = { path: resolve(cwd, flags.config ?? agentConfigPath(env)), isNamed: flags.config !== undefined };
  /** A host may change it while the runtime runs. */
  const present = { config };
  const { keys, models } = openModels(flags, { env, cwd }, { present, configFile: files.path });
  const folder = flags.dataDir === undefined ? dirname(defaultDataFolder(env)) : resolve(cwd, flags.dataDir);
  const audit = createAuditLog({ path: join(folder, "audit.jsonl") });
  const remembered = config.rememberPermissions ? await openRulesFile(join(folder, "permissions.json")) : undefined;
  const undo = placeOfUndo(flags, config, folder);
  const own = ownPlaces(env);
  const keyPlaces = keyPlacesOf(env);
  const ownData = [...decisiveFiles.map((name) => join(folder, name)), undo.folder];
  const settings = [
    ...[files.path, changedFile(files)],
    // The files as well: they may be links into a root.
    ...[keyPlaces.folder, ...keyPlaces.files],
    ...[...ownData, ...own.instructions, ...own.skills],
    // Compiled code, which the next start runs.
    join(userFolder("cache", env), "hawser"),
  ];
  const { isOn, isPassing } = undo;
  const changes = isOn ? createChangeLog({ folder: undo.folder, settings, limits: config.limits, isPassing }) : undefined;
  const sandbox = openSandbox(flags, config, env, { hidden: [folder, ...ownData, ...keyPlaces.files], skills: own.skills });
  const workspaces = await createWorkspaces({
    changes,
    flags,
    config: withDemoGateway(config, flags),
    place: { env, cwd },
    homeFolders: rootsOf(flags, config, cwd),
    ...permissionsOf(flags, () => present.config, keyPlaces.patterns, { audit, remembered, sandbox, configFile: files.path }),
    sandbox,
    own,
    trusted: createTrustedFolders(join(folder, "trusted-folders.json")),
    settings,
  });
  const parts: AgentParts = {
    models,
    store: store ?? openHistory(flags, folder),
    workspaces,
    // Hosts of a fleet may ask, but not change this machine, and no key travels there.
    settings: store ? undefined : createSettings({ files, flags, env, present, keys, models, workspaces }),
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

/** For this run only: `present`, from which the file is written, doesn't know of it. */
const withDemoGateway = (config: AgentConfig, { demoGateway: url }: AgentFlags): AgentConfig =>
  url === undefined ? config : { ...config, gateway: { url, allowMutations: true } };

const openHistory = ({ history }: AgentFlags, dataFolder: string): ConversationStore =>
  history === false
    ? createMemoryStore()
    : createFileStore({ folder: join(dataFolder, "conversations"), onNotice: (message) => logLine(`[hawser] history: ${message}`) });

interface Configured {
  readonly present: { readonly config: AgentConfig };
  /** For messages. */
  readonly configFile: string;
}

/** The models, and the keys that they are used with. */
function openModels(flags: AgentFlags, { env, cwd }: Place, { present, configFile }: Configured) {
  const keys = createKeyStore(keysPath(env), createSystemKeychain(env));
  const agents = (): AgentConfig["agents"] => present.config.agents;
  const providers = [createClaudeCodeModels(env, cwd), createAcpModels({ agents, env, version: readVersion(), configFile })];
  const { model, contextWindow } = flags;
  return { keys, models: createModelCatalog({ env, config: present.config, keys, model, contextWindow, providers }) };
}

interface SandboxPlaces {
  /** What no command sees. */
  readonly hidden: readonly string[];
  /** The user's own, whose scripts a command may run. */
  readonly skills: readonly string[];
}

const openSandbox = (flags: AgentFlags, { sandbox }: AgentConfig, env: Place["env"], { hidden, skills }: SandboxPlaces): Sandbox =>
  createSandbox({
    ...sandbox,
    mode: flags.sandbox ?? sandbox?.mode ?? "auto",
    hidden,
    secrets: keyPlacesOf(env).folder,
    home: env["HOME"] || homedir(),
    read: [...(sandbox?.read ?? []), ...skills],
  });

/** Where something is kept for undo, if anything is. Without a history it goes with the process, too. */
function placeOfUndo(flags: AgentFlags, config: AgentConfig, dataFolder: string) {
  const isOn = flags.undo !== false && config.undo !== false;
  const passing = isOn && flags.history === false ? createPrivateFolder("undo") : undefined;
  return {
    isOn,
    isPassing: passing !== undefined,
    folder: passing?.path ?? join(dataFolder, "undo"),
    close: (): void => passing?.remove(),
  };
}

/** What decides besides: where decisions are written and remembered, what is around commands, and where rules are written. */
type Surroundings = Pick<WorkspacesOptions["policy"], "audit" | "remembered" | "sandbox" | "configFile">;

/** As the configuration is now. Its rules come after those of the flags, and so can narrow them. */
function permissionsOf(
  { permissions, allowCommand = [] }: AgentFlags,
  config: () => AgentConfig,
  keyPatterns: readonly string[],
  surroundings: Surroundings,
): Pick<WorkspacesOptions, "allowedCommands" | "policy"> {
  const first: readonly PermissionRule[] = permissions === "commands" ? allowCommand.map(toCommandRule) : [];
  // No tool reads the keys, nor what they are written to before it becomes the file, whatever is allowed.
  const last = keyPatterns.map((path): PermissionRule => ({ tool: "*", match: { path }, decision: "deny" }));
  const rules = remade(
    () => config().permissions,
    (written = []) => [...first, ...written, ...last],
  );
  const allowedCommands = remade(
    () => config().allowedCommands,
    (allowed = []) => [...allowed, ...allowCommand],
  );
  return { allowedCommands, policy: { rules, mode: permissions === "commands" ? "deny" : permissions, ...surroundings } };
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
