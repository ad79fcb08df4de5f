// What of the configuration a host is told: never a value of `env` or `headers`, nor a name or password in an address. An entry in which
// such a login stands is told for people only: edited and written again, it would have lost it.

import { settingsLimits, type AgentConfig, type ConfiguredServer } from "@hawser/agent/internal";
import type { SettingsData } from "@hawser/protocol";
import { cutText } from "@hawser/protocol/internal";
import type { ConfiguredServers } from "./configured-servers.ts";
import { showPlace, toPlace } from "./settings-places.ts";

export const describeServers = (servers: ConfiguredServers): SettingsData["mcpServers"] =>
  servers.describe().map(({ configured, name, state, reason, tools }) => ({
    name,
    state,
    ...(reason !== undefined && { reason }),
    ...toEditable(configured),
    secrets: [...Object.keys(configured.env ?? {}), ...Object.keys(configured.headers ?? {})],
    tools: tools.map((tool) => ({
      ...tool,
      description: cutText(tool.description, settingsLimits.shownDescriptionChars).toWellFormed(),
    })),
  }));

function toEditable(configured: ConfiguredServer): Pick<SettingsData["mcpServers"][number], "place" | "command" | "args" | "url"> {
  const place = toPlace(configured);
  const { command, args = [], url } = configured;
  const isWhole = [command, ...args, url].every((part) => part === undefined || showPlace(part) === part);
  if (!isWhole) return { place };
  return { place, ...(command !== undefined && { command, args: [...args] }), ...(url !== undefined && { url }) };
}

/** As the file has it, without what may be secret. */
export function toWritten(
  config: AgentConfig,
): Pick<SettingsData, "model" | "allowedCommands" | "permissions" | "agents" | "openaiServers"> {
  const { model, allowedCommands = [], permissions = [], agents = {}, openaiServers = {} } = config;
  return {
    ...(model !== undefined && { model }),
    allowedCommands: [...allowedCommands],
    permissions: [...permissions],
    agents: Object.entries(agents).map(([name, { command, args = [], env = {} }]) => ({
      name,
      ...toEditable({ command, args }),
      secrets: Object.keys(env),
    })),
    openaiServers: Object.entries(openaiServers).map(([name, { baseUrl, models = [] }]) => ({
      ...{ name, baseUrl: showPlace(baseUrl), models: [...models] },
    })),
  };
}
