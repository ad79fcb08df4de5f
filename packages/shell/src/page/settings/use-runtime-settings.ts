// The settings that the runtime keeps, while the dialog is open: asked for once, again while a server is being connected to, and after
// each change as the runtime says they are then. What is refused is said by the part of the dialog that asked.

import { describeThrown, type SettingsData } from "@hawser/protocol";
import type { AgentClient } from "@hawser/agent/host/link";
import { useEffect, useState } from "react";
import { usePage, usePageParts } from "../session/page-context.ts";

export interface RuntimeSettings {
  /** Undefined until the runtime has answered. */
  readonly settings: SettingsData | undefined;
  /** Why it could not be asked. */
  readonly problem: string | undefined;
  /** Rejects with the runtime's words, and nothing has changed then. */
  change(work: (client: AgentClient) => Promise<SettingsData>): Promise<void>;
}

const connectingMs = 1_000;

export function useRuntimeSettings(isWanted: boolean): RuntimeSettings {
  const { session, actions } = usePageParts();
  const { client } = session;
  // Another runtime may have been started since.
  const greeting = usePage(({ runtime }) => runtime?.greeting);
  const [settings, setSettings] = useState<SettingsData>();
  const [problem, setProblem] = useState<string>();
  const conversationId = usePage(({ currentId, runtime }) =>
    runtime?.info.capabilities.includes("settings_edit") ? currentId : undefined,
  );
  const servers = [...(settings?.mcpServers ?? []), ...(settings?.folderServers ?? [])];
  const isConnecting = servers.some(({ state }) => state === "connecting");
  useEffect(() => {
    if (!isWanted) return undefined;
    let isLeft = false;
    const ask = (): void =>
      void client.getSettings(conversationId).then(
        (answer) => (isLeft ? undefined : (setSettings(answer), setProblem(undefined))),
        (error: unknown) => (isLeft ? undefined : setProblem(describeThrown(error))),
      );
    if (!isConnecting) ask();
    const timer = isConnecting ? setInterval(ask, connectingMs) : undefined;
    return () => {
      isLeft = true;
      clearInterval(timer);
    };
  }, [client, greeting, isWanted, isConnecting, conversationId]);
  return {
    settings,
    problem,
    async change(work) {
      const answer = await work(client);
      // What folders bring along is told only where it is asked for.
      setSettings((before) => ({ ...(before?.folderServers && { folderServers: before.folderServers }), ...answer }));
      void actions.refreshModels();
    },
  };
}
