// What a scripted model needs to be the agent's model: a server on this machine that stands for a vendor's.
// The same script answers every conversation; gates in it let a test look at an answer in the middle.

import { startScriptedAnthropic } from "../../../agent/test/model/scripted-anthropic.ts";
import type { Script, ScriptedServer } from "../../../agent/test/model/scripted-server.ts";
import type { StageOptions } from "./stage.ts";

export interface ScriptedAgent extends AsyncDisposable {
  readonly server: ScriptedServer;
  /** For the stage. */
  readonly options: Pick<StageOptions, "model" | "env">;
}

export async function startScriptedAgent(script: Script): Promise<ScriptedAgent> {
  const server = await startScriptedAnthropic(script);
  return {
    server,
    options: { model: "anthropic/scripted", env: { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: "sk-not-a-real-key" } },
    [Symbol.asyncDispose]: () => server.close(),
  };
}
