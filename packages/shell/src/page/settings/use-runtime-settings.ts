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
  const isConnecting = settings?.mcpServers.some(({ state }) => state === "connecting") ?? false;
  useEffect(() => {
    if (!isWanted) return undefined;
    let isLeft = false;
    const ask = (): void =>
      void client.getSettings().then(
        (answer) => (isLeft ? undefined : (setSettings(answer), setProblem(undefined))),
        (error: unknown) => (isLeft ? undefined : setProblem(describeThrown(error))),
      );
    if (!isConnecting) ask();
    const timer = isConnecting ? setInterval(ask, connectingMs) : undefined;
    return () => {
      isLeft = true;
      clearInterval(timer);
    };
  }, [client, greeting, isWanted, isConnecting]);
  return {
    settings,
    problem,
    async change(work) {
      setSettings(await work(client));
      void actions.refreshModels();
    },
  };
}
