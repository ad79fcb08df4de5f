// What is set through the host: `get_settings`, `set_settings`, `set_key`, `test_key`, `restart_server`, `switch_tool`. The composing
// program keeps the settings; without them the capability is not offered.

import { HawserError, type KeyTest, type SettingsChanges, type SettingsData } from "@hawser/protocol";
import { untilAborted } from "@hawser/wire/internal";
import type { Answer, ControlOptions } from "./control-requests.ts";
import type { Reply } from "./reply.ts";
import { withinSettingsLine } from "./settings-line.ts";

export interface RuntimeSettings {
  /** With what the folders of a conversation bring along, where one is named. */
  read(conversationId?: string): SettingsData;
  /** Throws `usage`, and changes nothing, for what the runtime would not start with. */
  change(changes: SettingsChanges): Promise<void>;
  /** An empty key is removed. */
  setKey(vendor: string, apiKey: string): Promise<void>;
  testKey(vendor: string, signal: AbortSignal): Promise<KeyTest>;
  /** One of the configuration, or one that a folder of a conversation brings along. */
  restartServer(name: string, of?: { readonly conversationId: string; readonly folder: string }): Promise<void>;
  switchTool(server: string, tool: string, isOn: boolean): Promise<void>;
}

type Kinds = "get_settings" | "set_settings" | "set_key" | "test_key" | "restart_server" | "switch_tool";

export function createSettingsAnswers({ parts }: Pick<ControlOptions, "parts">): { readonly [Kind in Kinds]: Answer<Kind> } {
  function settings(): RuntimeSettings {
    if (parts.settings) return parts.settings;
    throw new HawserError("unknown_method", "this runtime has no settings that a host could change");
  }
  async function tell(reply: Reply, conversationId?: string): Promise<void> {
    await reply.emit({ type: "settings", data: withinSettingsLine(settings().read(conversationId)) });
    await reply.done();
  }
  return {
    get_settings: ({ conversationId }, reply) => tell(reply, conversationId),
    // A keychain or a server may take long: the end of the runtime does not wait for it.
    async set_settings({ changes }, reply, signal) {
      await untilAborted(signal, settings().change(changes));
      await tell(reply);
    },
    async set_key({ vendor, apiKey }, reply, signal) {
      await untilAborted(signal, settings().setKey(vendor, apiKey));
      await tell(reply);
    },
    async test_key({ vendor }, reply, signal) {
      await reply.emit({ type: "key_tested", data: await settings().testKey(vendor, signal) });
      await reply.done();
    },
    async restart_server({ server, conversationId, folder }, reply, signal) {
      const of = conversationId === undefined || folder === undefined ? undefined : { conversationId, folder };
      await untilAborted(signal, settings().restartServer(server, of));
      await tell(reply, conversationId);
    },
    async switch_tool({ server, tool, on }, reply, signal) {
      await untilAborted(signal, settings().switchTool(server, tool, on));
      await tell(reply);
    },
  };
}
