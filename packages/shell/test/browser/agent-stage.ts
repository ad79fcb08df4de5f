// The page with agents behind it, which the test plays: what they are called, what can be chosen about them, and what they ask.

import type { ModelEntry, OptionEntry } from "@hawser/protocol";
import { expect } from "vitest";
import { startPuppet, type Puppet } from "../../../../test/kit/puppet-runtime.ts";
import { pageScrolls, violations } from "./accessible.ts";
import { hostile } from "./agent-talk.ts";
import type { Browser, Page } from "./browser.ts";
import { takeAside } from "./pictures.ts";
import { openPageStage, type PageStage, type VisitOptions } from "./stage.ts";
import type { Tab } from "./tab.ts";

const entry = (model: string, reason?: string): ModelEntry => ({
  model,
  available: reason === undefined,
  current: model === "offline",
  ...(reason !== undefined && { reason }),
});

const models: readonly ModelEntry[] = [
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

const options: readonly OptionEntry[] = [
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

export const picker = (page: Page) => page.getByRole("button", { name: /^Model or agent:/ });

export async function choose(page: Page, name: string): Promise<void> {
  await picker(page).click();
  await page.getByRole("option", { name }).click();
}

/** Until then answers don't count. */
export const untilItListens = ({ page, approval }: Tab) =>
  approval.getByRole("toolbar").getByRole("button").and(page.locator(":enabled")).first().waitFor();

export async function checkLook(page: Page, state: string): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    // In the dark only the colours are others.
    expect(await violations(page, colorScheme === "dark" ? "of colours" : undefined), `${state}, ${colorScheme}`).toEqual([]);
    await takeAside(page, `${state}-${colorScheme}-${page.viewportSize()?.width ?? 0}.png`);
  }
  await page.emulateMedia({ colorScheme: "light" });
  expect(await pageScrolls(page), state).toBe(false);
}

export const looks = [
  { width: 1_100, height: 800 },
  { width: 400, height: 740 },
];
