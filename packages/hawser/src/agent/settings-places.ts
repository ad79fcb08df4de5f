// Addresses of servers in the settings: which ones a host may set, and how one is told. A name or a password in an address goes neither
// into the configuration by a host nor back to one, also where a person has written it into the file.

import { serverUrl, type ConfiguredServer } from "@hawser/agent/internal";
import { HawserError, type SettingsChanges } from "@hawser/protocol";
import { isRecord } from "@hawser/protocol/internal";

/** What stands between `//` and `@`. */
const login = /\/\/[^/?#\s]*@/g;

/** Throws `usage` for an address that could never be used. It is not shown: it may hold a password. */
export function checkPlaces({ openaiServers = {}, mcpServers = {} }: SettingsChanges): void {
  for (const [name, server] of Object.entries(openaiServers))
    if (isRecord(server) && typeof server["baseUrl"] === "string") serverUrl(name, { baseUrl: server["baseUrl"] });
  for (const [name, server] of Object.entries(mcpServers))
    if (isRecord(server) && typeof server["url"] === "string" && showPlace(server["url"]) !== server["url"])
      throw new HawserError("usage", `mcpServers.${name}.url holds a name or password; give them as a header`);
}

export const showPlace = (text: string): string => text.replaceAll(login, "//");

/** Where a server is: its program with its arguments, or its address. */
export function toPlace({ command, args = [], url, fleet, service }: ConfiguredServer): string {
  if (command !== undefined) return showPlace([command, ...args].join(" "));
  return showPlace(url ?? [fleet, service].filter((part) => part !== undefined).join(" "));
}
