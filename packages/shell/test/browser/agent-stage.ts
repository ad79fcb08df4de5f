// The page with agents behind it, which the test plays: what they are called, what can be chosen about them, and what they ask.

import type { ModelEntry, OptionEntry, PermissionOption } from "@hawser/protocol";
import { startPuppet, type Puppet } from "../../../../test/kit/puppet-runtime.ts";
import type { Browser } from "./browser.ts";
import { openPageStage, type PageStage, type VisitOptions } from "./stage.ts";

export const rightToLeft = "\u202e";
export const hostile = `<img src=x onerror=alert(1)>${rightToLeft}`;
/** As the page shows it. */
export const shownHostile = "<img src=x onerror=alert(1)>⟨U+202E⟩";

const entry = (model: string, reason?: string): ModelEntry => ({
  model,
  available: reason === undefined,
  current: model === "offline",
  ...(reason !== undefined && { reason }),
});

export const models: readonly ModelEntry[] = [
  entry("acp/codex"),
  entry("acp/claude", "Claude Code is not logged in.\nLog in with: claude /login"),
  entry("acp/gemini", "gemini is not on the PATH. Install it with: npm install -g @google/gemini-cli"),
  entry("offline"),
  entry("anthropic/claude-sonnet-5-5-with-a-name-that-is-longer-than-any-select-would-show", "ANTHROPIC_API_KEY is not set"),
  entry("openai/gpt-5", "OPENAI_API_KEY is not set"),
  entry("ollama/qwen3:8b"),
  entry("claude-code/sonnet"),
  entry(`acp/${hostile}`),
];

export const options: readonly OptionEntry[] = [
  {
    optionId: "mode",
    name: "Mode",
    category: "mode",
    value: "ask",
    values: [
      { value: "ask", name: "Ask before edits", description: "Every change is asked about." },
      { value: "plan", name: "Plan only" },
      { value: "full", name: hostile },
    ],
  },
  {
    optionId: "effort",
    name: "Effort",
    category: "thought_level",
    value: "high",
    values: [
      { value: "low", name: "Low" },
      { value: "high", name: "High" },
    ],
  },
  { optionId: "web", name: "Web search", value: false },
];

/** In the order of a well-known agent: what lasts comes first. */
export const answers: readonly PermissionOption[] = [
  { optionId: "always", name: "Always allow git push", kind: "allow_always" },
  { optionId: "yes", name: "Yes", kind: "allow_once" },
  { optionId: "no", name: "No, and tell the agent what to do instead", kind: "reject_once" },
];

export interface AgentStage extends PageStage {
  readonly puppet: Puppet;
}

export async function openAgentStage(browser: Browser, visit: VisitOptions = {}): Promise<AgentStage> {
  const puppet = await startPuppet();
  puppet.models = models;
  puppet.options = options;
  const stage = await openPageStage(browser, { ...visit, runtime: puppet.runtime, root: "/home/ada/harbour-log" });
  return {
    ...stage,
    puppet,
    async [Symbol.asyncDispose]() {
      await stage[Symbol.asyncDispose]();
      await puppet[Symbol.asyncDispose]();
    },
  };
}
