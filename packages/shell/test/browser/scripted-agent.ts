// What a scripted model needs to be the agent's model: a server on this machine that stands for a vendor's.
// The same script answers every conversation; gates in it let a test look at an answer in the middle. One
// server may play several scripts, one after the other.

import { afterAll } from "vitest";
import { startScriptedAnthropic } from "../../../../test/kit/models/scripted-anthropic.ts";
import type { Script, ScriptedRequest, ScriptedServer, ScriptedStep } from "../../../../test/kit/models/scripted-server.ts";
import type { Browser } from "./browser.ts";
import type { ServedShellOptions } from "./served-shell.ts";
import { shareShell, type PageStage, type VisitOptions } from "./stage.ts";

export interface ScriptedAgent extends AsyncDisposable {
  readonly server: ScriptedServer;
  /** For the shell. */
  readonly options: Pick<ServedShellOptions, "model" | "env">;
}

export async function startScriptedAgent(script: Script): Promise<ScriptedAgent> {
  const server = await startScriptedAnthropic(script);
  return {
    server,
    options: { model: "anthropic/scripted", env: { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: "sk-not-a-real-key" } },
    [Symbol.asyncDispose]: () => server.close(),
  };
}

export interface ScriptedStage extends PageStage {
  /** What the model was asked since the script began. */
  readonly requests: readonly ScriptedRequest[];
}

export type PlayScript = (script: Script, options?: VisitOptions) => Promise<ScriptedStage>;

/** For the top of a test file: each script begins on a clean stage, all of them on the same shell. */
export function shareScriptedShell(
  browser: Browser | undefined,
  more: Pick<ServedShellOptions, "args" | "files" | "root"> = {},
): PlayScript {
  let requests: ScriptedRequest[] = [];
  let current: Script = [];
  async function answer(request: ScriptedRequest): Promise<ScriptedStep> {
    const index = requests.push(request) - 1;
    return typeof current === "function" ? current(request, index) : (current[index] ?? { status: 400, body: "the script is over" });
  }
  let starting: Promise<ScriptedAgent> | undefined;
  // Hooks run last first: the shell ends before its model.
  afterAll(async () => (await starting)?.[Symbol.asyncDispose]());
  let options: ServedShellOptions = more;
  const openStage = shareShell(browser, () => options);
  return async (script, visitOptions) => {
    options = { ...(await (starting ??= startScriptedAgent(answer))).options, ...more };
    requests = [];
    current = script;
    const seen = requests;
    return { ...(await openStage(visitOptions)), requests: seen };
  };
}
