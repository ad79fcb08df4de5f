// What a host may set while the runtime runs: the configuration file, the keys of vendors, the MCP servers. One change at a time; each is
// checked as a start would check it, written whole, and counts at once. What is told never holds a key, nor a value of `env` or `headers`.

import {
  changeConfigFile,
  checkCommands,
  changedFile,
  keyAddress,
  keyFrom,
  testKey,
  toWanted,
  type AgentConfig,
  type ConfigFiles,
  type ConfiguredCatalog,
  type ConfiguredServer,
  type KeyStore,
  type RuntimeSettings,
} from "@hawser/agent/internal";
import { HawserError, type KeyEntry, type SettingsData } from "@hawser/protocol";
import { isRecord } from "@hawser/protocol/internal";
import { createSemaphore } from "@hawser/wire/internal";
import type { AgentFlags } from "./flags.ts";
import { describeServers, toWritten } from "./settings-data.ts";
import { applyChanges, type Members } from "./settings-changes.ts";
import { checkPlaces } from "./settings-places.ts";
import type { ComposedWorkspaces } from "./workspaces.ts";

export interface SettingsOptions {
  /** The configuration file; it need not be there yet. */
  readonly files: ConfigFiles;
  readonly flags: Pick<AgentFlags, "model">;
  readonly env: NodeJS.ProcessEnv;
  /** What counts now; exchanged here. */
  readonly present: { config: AgentConfig };
  readonly keys: KeyStore;
  readonly models: ConfiguredCatalog;
  readonly workspaces: Pick<ComposedWorkspaces, "servers" | "folderServersOf">;
}

export function createSettings({ files, flags, env, present, keys, models, workspaces }: SettingsOptions): RuntimeSettings {
  const { servers } = workspaces;
  const oneByOne = createSemaphore(1);
  const vendors = (): string[] => ["anthropic", "openai", ...Object.keys(present.config.openaiServers ?? {})];

  function checkVendor(vendor: string): void {
    if (!vendors().includes(vendor)) throw new HawserError("usage", `there is no vendor of this name; there are: ${vendors().join(", ")}`);
  }

  function toKeyEntry(vendor: string): KeyEntry {
    const [variable] = keyFrom(vendor, env, present.config) ?? [];
    if (variable !== undefined) return { vendor, place: "environment", variable };
    const problem = keys.problemOf(vendor, keyAddress(vendor, present.config));
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
      for (const name of Object.keys(before.openaiServers ?? {})) {
        const address = keyAddress(name, before);
        if (address !== undefined && keyAddress(name, changed) !== address) await keys.leave(name, address);
      }
    });
    present.config = config;
    models.reconfigure(config);
    await servers.update(config.mcpServers ?? {});
  }

  return {
    read: (conversationId) => ({
      file: changedFile(files),
      ...toWritten(present.config),
      ...givenModel(flags, env),
      keys: vendors().map(toKeyEntry),
      mcpServers: describeServers(servers),
      ...(conversationId !== undefined && {
        folderServers: workspaces
          .folderServersOf(conversationId)
          .flatMap(({ folder, servers: brought }) => describeServers(brought).map((server) => ({ ...server, folder }))),
      }),
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
        await keys.set(vendor, apiKey, keyAddress(vendor, present.config));
        models.reconfigure(present.config);
      }),
    testKey: (vendor, signal) => testKey({ vendor, env, config: present.config, kept: keys, signal }),
    restartServer(name, of) {
      if (!of) return servers.restart(name);
      const brought = workspaces.folderServersOf(of.conversationId).find(({ folder }) => folder === of.folder);
      if (!brought) throw new HawserError("usage", "the conversation works in no folder of this name that brings MCP servers along");
      return brought.servers.restart(name);
    },
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

function givenModel({ model }: Pick<AgentFlags, "model">, env: NodeJS.ProcessEnv): Pick<SettingsData, "modelGiven"> {
  if (model !== undefined) return { modelGiven: `--model ${model}` };
  const variable = env["HAWSER_MODEL"]?.trim();
  return variable ? { modelGiven: `HAWSER_MODEL=${variable}` } : {};
}
