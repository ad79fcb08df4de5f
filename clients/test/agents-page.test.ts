// Codex in the page, in a real browser: it is chosen, answers, and calls a function of the running program when it is allowed to.
// With HAWSER_SCREENSHOTS=1 the picture of the documentation is taken on the way.

import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { afterAll, it } from "vitest";
import { launchBrowser, type Browser } from "../../packages/shell/test/browser/browser.ts";
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

/** Before the runtime starts: its configuration. */
function configure(work: string, modelUrl: string): void {
  const home = dirname(work);
  const start = placeAgent(codex, join(home, "agent"), modelUrl);
  mkdirSync(join(home, "hawser"));
  writeFileSync(join(home, "hawser", "agent.json"), JSON.stringify({ agents: { codex: start } }));
}

it("acp/codex is chosen in the page, answers, asks there, and calls a function of the running program", async ({ expect, skip }) => {
  skip(!existsSync(codex.program), "not installed: npm run test:agents does that");
  skip(typeof browser === "string", typeof browser === "string" ? browser : "");
  const endpoint = await startEndpoint(scenes);
  const view = { viewport: { width: 1_280, height: 800 }, colorScheme: "light" as const };
  {
    await using stage = await openPageStage(browser as Browser, {
      view,
      args: [`--tools=${demoTools}`],
      root: "/home/ada/harbour-log",
      prepare: async ({ work }) => configure(work, endpoint.url),
    });
    const { page, answers, approval, button, say, untilIdle } = await stage.open();
    await button(/^Model or agent:/).click();
    await page.getByRole("option", { name: "acp/codex" }).click();
    await say("say hello");
    await answers.getByText("Hello from the harbour.").waitFor();
    await untilIdle();
    await say("count the boats");
    // Until it can be pressed, answers don't count.
    const allow = approval
      .getByRole("button", { name: /^Allow/ })
      .and(page.locator(":enabled"))
      .first();
    await allow.waitFor();
    expect(await approval.innerText()).toContain("count");
    await allow.click();
    await answers.getByText("It says: 4 boats.").waitFor();
    await untilIdle();
    // What Codex asked, and the call, which the same answer allows.
    expect(stage.decisions().map(([decision]) => decision)).toEqual(["allow", "allow"]);
    await page
      .getByRole("region", { name: /^Tool / })
      .getByRole("button")
      .first()
      .click();
    await take(page, "codex.png");
  }
  await endpoint.close();
});
