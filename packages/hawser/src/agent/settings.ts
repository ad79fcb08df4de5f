// What a host may set while the runtime runs: the configuration file, the keys of vendors, the MCP servers. One change at a time; each is
// checked as a start would check it, written whole, and counts at once. What is told never holds a key, nor a value of `env` or `headers`.

import {
  changeConfigFile,
  checkCommands,
  changedFile,
  keyFrom,
  settingsLimits,
  testKey,
  toWanted,
  type AgentConfig,
  mergeEntries,
  type ConfigFiles,
  type ConfiguredCatalog,
  type ConfiguredServer,
  type KeyStore,
  type RuntimeSettings,
} from "@hawser/agent/internal";
import { HawserError, type KeyEntry, type SettingsChanges, type SettingsData } from "@hawser/protocol";
import { cutText, isRecord } from "@hawser/protocol/internal";
import { createSemaphore } from "@hawser/wire/internal";
import type { ConfiguredServers } from "./configured-servers.ts";
import type { AgentFlags } from "./flags.ts";
import { checkPlaces, showPlace, toPlace } from "./settings-places.ts";

export interface SettingsOptions {
  /** The configuration file; it need not be there yet. */
  readonly files: ConfigFiles;
  readonly flags: Pick<AgentFlags, "model">;
  readonly env: NodeJS.ProcessEnv;
  /** What counts now; exchanged here. */
  readonly present: { config: AgentConfig };
  readonly keys: KeyStore;
  readonly models: ConfiguredCatalog;
  readonly servers: ConfiguredServers;
}

type Members = Readonly<Record<string, unknown>>;

export function createSettings({ files, flags, env, present, keys, models, servers }: SettingsOptions): RuntimeSettings {
  const oneByOne = createSemaphore(1);
  const vendors = (): string[] => ["anthropic", "openai", ...Object.keys(present.config.openaiServers ?? {})];

  function checkVendor(vendor: string): void {
    if (!vendors().includes(vendor)) throw new HawserError("usage", `there is no vendor of this name; there are: ${vendors().join(", ")}`);
  }

  function toKeyEntry(vendor: string): KeyEntry {
    const [variable] = keyFrom(vendor, env, present.config) ?? [];
    if (variable !== undefined) return { vendor, place: "environment", variable };
    const problem = keys.problemOf(vendor);
    return { vendor, place: keys.placeOf(vendor), ...(problem !== undefined && { problem }) };
  }

  /** Written, and in force. */
  async function save(change: (members: Members) => Members): Promise<void> {
    const before = present.config;
    const config = await changeConfigFile(files, change, async (changed) => {
      models.check(changed);
      toWanted(changed.mcpServers ?? {});
      checkCommands(changed.allowedCommands ?? []);
      // Where a server is gone, or at another address, its key must not go to what comes next under its name. Before the change is
      // written: where the key can't be removed, or the runtime is killed here, the address stays as it was.
      for (const [name, { baseUrl }] of Object.entries(before.openaiServers ?? {}))
        if (changed.openaiServers?.[name]?.baseUrl !== baseUrl) await keys.set(name, "");
    });
    present.config = config;
    models.reconfigure(config);
    await servers.update(config.mcpServers ?? {});
  }

  return {
    read: () => ({
      file: changedFile(files),
      ...toWritten(present.config),
      ...givenModel(flags, env),
      keys: vendors().map(toKeyEntry),
      mcpServers: servers.describe().map(({ configured, name, state, reason, tools }) => ({
        name,
        state,
        ...(reason !== undefined && { reason }),
        place: toPlace(configured),
        secrets: [...Object.keys(configured.env ?? {}), ...Object.keys(configured.headers ?? {})],
        tools: tools.map((tool) => ({
          ...tool,
          description: cutText(tool.description, settingsLimits.shownDescriptionChars).toWellFormed(),
        })),
      })),
    }),
    change: (changes) =>
      oneByOne.run(() => {
        checkPlaces(changes);
        return save((members) => applyChanges(members, changes));
      }),
    setKey: (vendor, apiKey) =>
      oneByOne.run(async () => {
        checkVendor(vendor);
        const [variable] = keyFrom(vendor, env, present.config) ?? [];
        if (variable !== undefined && apiKey.trim() !== "")
          throw new HawserError(
            "usage",
            `${variable} in the environment comes before a key that is kept: change it there, or start without it`,
          );
        await keys.set(vendor, apiKey);
        models.reconfigure(present.config);
      }),
    testKey: (vendor, signal) => testKey({ vendor, env, config: present.config, kept: keys.get, signal }),
    restartServer: (name) => servers.restart(name),
    switchTool: (server, tool, isOn) =>
      oneByOne.run(() =>
        save((members) => {
          const all = members["mcpServers"];
          const configured = isRecord(all) && Object.hasOwn(all, server) ? all[server] : undefined;
          if (!isRecord(configured)) throw new HawserError("usage", "the configuration has no MCP server of this name");
          const { disabledTools, ...others } = configured as ConfiguredServer;
          const off = [...(disabledTools ?? []).filter((name) => name !== tool), ...(isOn ? [] : [tool])];
          const changed = { ...others, ...(off.length > 0 && { disabledTools: off }) };
          return { ...members, mcpServers: { ...(members["mcpServers"] as Members), [server]: changed } };
        }),
      ),
  };
}

function applyChanges(
  members: Members,
  { model, allowedCommands, permissions, agents, mcpServers, openaiServers }: SettingsChanges,
): Members {
  const lists = { allowedCommands, permissions };
  const records = { agents, mcpServers, openaiServers };
  return {
    ...members,
    ...(model !== undefined && { model: model ?? undefined }),
    ...Object.fromEntries(Object.entries(lists).filter(([, list]) => list !== undefined)),
    ...Object.fromEntries(
      Object.entries(records).flatMap(([name, entries]) => (entries ? [[name, withEntries(members[name], entries)] as const] : [])),
    ),
  };
}

/** Without entries there is no member. */
function withEntries(entries: unknown, changes: Members): Members | undefined {
  const changed = mergeEntries(isRecord(entries) ? entries : {}, changes);
  return Object.keys(changed).length === 0 ? undefined : changed;
}

/** As the file has it, without what may be secret. */
function toWritten(config: AgentConfig): Pick<SettingsData, "model" | "allowedCommands" | "permissions" | "agents" | "openaiServers"> {
  const { model, allowedCommands = [], permissions = [], agents = {}, openaiServers = {} } = config;
  return {
    ...(model !== undefined && { model }),
    allowedCommands: [...allowedCommands],
    permissions: [...permissions],
    agents: Object.entries(agents).map(([name, { command, args = [] }]) => ({ name, place: toPlace({ command, args }) })),
    openaiServers: Object.entries(openaiServers).map(([name, { baseUrl, models = [] }]) => ({
      ...{ name, baseUrl: showPlace(baseUrl), models: [...models] },
    })),
  };
}

function givenModel({ model }: Pick<AgentFlags, "model">, env: NodeJS.ProcessEnv): Pick<SettingsData, "modelGiven"> {
  if (model !== undefined) return { modelGiven: `--model ${model}` };
  const variable = env["HAWSER_MODEL"]?.trim();
  return variable ? { modelGiven: `HAWSER_MODEL=${variable}` } : {};
}
