// Codex in the page, in a real browser: it is chosen, answers, and calls a function of the running program when it is allowed to.
// With HAWSER_SCREENSHOTS=1 the picture of the documentation is taken on the way.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { afterAll, it } from "vitest";
import { choose, untilItListens } from "../../packages/shell/test/browser/agent-stage.ts";
import { launchBrowser } from "../../packages/shell/test/browser/browser.ts";
import { take } from "../../packages/shell/test/browser/pictures.ts";
import { openPageStage } from "../../packages/shell/test/browser/stage.ts";
import { placeAgent } from "./agent-runtime.ts";
import { realAgents, type RealAgent } from "./real-agents.ts";
import { callOf, startEndpoint, type Scenes } from "./scripted-endpoint.ts";

const codex = realAgents.find(({ name }) => name === "codex") as RealAgent;
const demoTools = resolve(import.meta.dirname, "../../examples/tools.ts");
const browser = await launchBrowser();
afterAll(async () => typeof browser !== "string" && browser.close());

const scenes: Scenes = {
  "say hello": [() => ({ text: ["Hello ", "from the harbour."] })],
  "count the boats": [
    (question) => callOf(question, /(?:^|_)count$/, { by: 4 }),
    (_, results) => ({ text: `I called **count**, a function of the running program. It says: ${numberIn(results.at(-1))} boats.` }),
  ],
};

const numberIn = (result: unknown): string => /\d+/.exec(JSON.stringify(result).replace(/Wall time[^"]*?seconds/, ""))?.[0] ?? "no";

/** Before the runtime starts: its configuration, in which Codex has a model that it knows, since it warns of others in its answers. */
function configure(work: string, modelUrl: string): void {
  const home = dirname(work);
  const start = placeAgent(codex, join(home, "agent"), modelUrl);
  const settings = join(home, "agent", "codex", "config.toml");
  const known = readFileSync(settings, "utf8").replace('model = "scripted"', 'model = "gpt-5.5"');
  // Else that one is not told of tools before it has searched for them.
  writeFileSync(settings, known.replace("[features]\n", "[features]\ntool_search = false\ntool_search_always_defer_mcp_tools = false\n"));
  mkdirSync(join(home, "hawser"));
  writeFileSync(join(home, "hawser", "agent.json"), JSON.stringify({ agents: { codex: start } }));
}

it("acp/codex is chosen in the page, answers, asks there, and calls a function of the running program", async ({ expect, skip }) => {
  skip(!existsSync(codex.program), "not installed: npm run test:agents does that");
  if (typeof browser === "string") return skip(browser);
  const endpoint = await startEndpoint(scenes);
  const view = { viewport: { width: 1_280, height: 800 }, colorScheme: "light" as const };
  {
    await using stage = await openPageStage(browser, {
      view,
      args: [`--tools=${demoTools}`],
      root: "/home/ada/harbour-log",
      prepare: async ({ work }) => configure(work, endpoint.url),
    });
    const tab = await stage.open();
    const { page, answers, approval, say, untilIdle } = tab;
    await choose(page, "acp/codex");
    await say("say hello");
    await answers.getByText("Hello from the harbour.").waitFor();
    await untilIdle();
    await say("count the boats");
    await untilItListens(tab);
    expect(await approval.innerText()).toContain("count");
    await approval.getByRole("button", { name: /^Allow/ }).first().click();
    await answers.getByText("It says: 4 boats.").waitFor();
    await untilIdle();
    expect(stage.decisions().map(([decision]) => decision)).toEqual(["allow"]);
    await page.getByRole("region", { name: /^Tool / }).getByRole("button").first().click();
    await take(page, "codex.png");
  }
  await endpoint.close();
});
