// What a user sets in a host: `get_settings`, `set_settings`, `set_key`, `test_key`, `restart_server`, `switch_tool`. No answer holds a key.

import type { KeyTest, SettingsChanges, SettingsData } from "@hawser/protocol";
import type { RequestBody } from "./exchange.ts";
import type { AskOne } from "./request-answers.ts";

export interface SettingsMethods {
  /** With the MCP servers that the folders of a conversation bring along, where one is named. */
  getSettings(conversationId?: string): Promise<SettingsData>;
  /** Counts at once. Rejects, and nothing has changed, for what the runtime would not start with. */
  setSettings(changes: SettingsChanges): Promise<SettingsData>;
  /** `vendor`: `anthropic`, `openai`, or one of `openaiServers`. An empty key is removed. */
  setKey(vendor: string, apiKey: string): Promise<SettingsData>;
  /** What the vendor says to the key that is kept or set. */
  testKey(vendor: string): Promise<KeyTest>;
  /** Connects to an MCP server of the configuration, or of a folder, anew; resolves when that has worked or failed. */
  restartServer(server: string, of?: { readonly conversationId: string; readonly folder: string }): Promise<SettingsData>;
  /** Whether models are offered this tool of an MCP server of the configuration. */
  switchTool(server: string, tool: string, on: boolean): Promise<SettingsData>;
}

export function createSettingsMethods(askOne: AskOne): SettingsMethods {
  const settingsAfter = async (body: RequestBody): Promise<SettingsData> => (await askOne("settings", body, "settings")).data;
  return {
    getSettings: (conversationId) => settingsAfter({ kind: "get_settings", ...(conversationId !== undefined && { conversationId }) }),
    setSettings: (changes) => settingsAfter({ kind: "set_settings", changes }),
    setKey: (vendor, apiKey) => settingsAfter({ kind: "set_key", vendor, apiKey }),
    testKey: async (vendor) => (await askOne("settings", { kind: "test_key", vendor }, "key_tested")).data,
    restartServer: (server, of) => settingsAfter({ kind: "restart_server", server, ...of }),
    switchTool: (server, tool, on) => settingsAfter({ kind: "switch_tool", server, tool, on }),
  };
}
