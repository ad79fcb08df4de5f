// Codex, Claude Code, Gemini CLI, opencode and Goose in the page, in a real browser: each is chosen, answers, asks there before it calls a
// function of the running program or writes a file, is stopped, is killed, and goes on. With HAWSER_SCREENSHOTS=1 the picture of the
// documentation is taken on the way.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { afterAll, beforeAll, describe, it } from "vitest";
import { launchBrowser, type Browser } from "../../packages/shell/test/browser/browser.ts";
import { take } from "../../packages/shell/test/browser/pictures.ts";
import { openPageStage, type PageStage } from "../../packages/shell/test/browser/stage.ts";
import type { Tab } from "../../packages/shell/test/browser/tab.ts";
import type { ScriptedServer } from "../../test/kit/models/scripted-server.ts";
import { until } from "../../test/kit/until.ts";
import { processesOf } from "./agent-runtime.ts";
import { placeAgent, realAgents, type RealAgent } from "./real-agents.ts";
import { callOf, startEndpoint, type Scenes } from "./scripted-endpoint.ts";

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

interface AgentPage {
  readonly endpoint: ScriptedServer;
  readonly stage: PageStage;
  readonly tab: Tab;
  /** Where nothing but the agent has its home. */
  readonly agentHome: string;
}

/** The page, with the agent among those that can be chosen, and chosen. */
async function openAgentPage(agent: RealAgent): Promise<AgentPage> {
  const endpoint = await startEndpoint({ ...agent.scenes, ...scenes });
  let agentHome = "";
  const stage = await openPageStage(browser as Browser, {
    view: { viewport: { width: 1_280, height: 800 }, colorScheme: "light" },
    args: [`--tools=${demoTools}`],
    root: "/home/ada/harbour-log",
    async prepare({ work }) {
      const home = dirname(work);
      agentHome = join(home, "agent");
      mkdirSync(join(home, "hawser"));
      const start = placeAgent(agent, agentHome, endpoint.url);
      writeFileSync(join(home, "hawser", "agent.json"), JSON.stringify({ agents: { [agent.name]: start } }));
    },
  });
  const tab = await stage.open();
  await tab.button(/^Model or agent:/).click();
  await tab.page.getByRole("option", { name: `acp/${agent.name}` }).click();
  return { endpoint, stage, tab, agentHome };
}

/** The one question that comes, answered by its key. */
async function answerQuestion(tab: Tab, key: "Alt+y" | "Alt+x"): Promise<string> {
  // Until it can be pressed, answers don't count.
  await tab.approval.getByRole("toolbar").getByRole("button").and(tab.page.locator(":enabled")).first().waitFor();
  const asked = await tab.approval.innerText();
  await tab.page.keyboard.press(key);
  await tab.untilIdle();
  return asked;
}

/** Says something to be remembered; what is answered stands behind the answers that were there before. */
async function greet({ say, answers, untilIdle }: Tab): Promise<void> {
  const before = await answers.count();
  await say("say hello");
  await answers.nth(before).getByText("Hello from the harbour.").waitFor();
  await untilIdle();
}

/** Begins a turn that has no end, and waits until it is on its way. */
async function talk(tab: Tab): Promise<void> {
  await greet(tab);
  const before = await tab.answers.count();
  await tab.say("talk without end");
  await tab.answers.nth(before).getByText("one").waitFor();
}

async function expectMemory({ say, answers, untilIdle }: Tab): Promise<void> {
  const before = await answers.count();
  await say("what was said");
  await answers.nth(before).getByText("you wanted hello").waitFor();
  await untilIdle();
}

describe.for(realAgents)("acp/$name in the page", (agent) => {
  const whyNot = !existsSync(agent.program)
    ? "not installed: npm run test:agents does that, opencode and Goose on Linux x64 only"
    : typeof browser === "string"
      ? browser
      : "";
  let open: AgentPage;
  beforeAll(async () => {
    if (whyNot === "") open = await openAgentPage(agent);
  });
  afterAll(async () => {
    if (whyNot !== "") return;
    await open.stage[Symbol.asyncDispose]();
    await open.endpoint.close();
    await until(() => processesOf(open.agentHome).length === 0, 30_000);
  });

  it("is chosen there, answers, and asks before it calls a function of the running program", async ({ expect, skip }) => {
    skip(whyNot !== "", whyNot);
    const { stage, tab } = open;
    const { page, answers, say } = tab;
    await greet(tab);
    await say("count the boats");
    expect(await answerQuestion(tab, "Alt+y")).toContain("count");
    await answers.getByText("It says: 4 boats.").waitFor();
    // Asked once, by the agent or by us: where the agent asks, its answer allows the call that follows too.
    const decisions = stage.decisions().map(([decision]) => decision);
    expect([...new Set(decisions)]).toEqual(["allow"]);
    await page
      .getByRole("region", { name: /^Tool / })
      .getByRole("button")
      .first()
      .click();
    if (agent.name === "codex") await take(page, "codex.png");
  });

  it("G17 writes nothing after a no, and writes after a yes", async ({ expect, skip }) => {
    skip(whyNot !== "", whyNot);
    const { stage, tab } = open;
    const file = join(stage.work, "boats.txt");
    await tab.say("write the file");
    await answerQuestion(tab, "Alt+x");
    expect(existsSync(file)).toBe(false);
    await tab.say("write the file");
    await answerQuestion(tab, "Alt+y");
    expect(readFileSync(file, "utf8")).toBe("four\n");
    expect(stage.decisions().map(([decision]) => decision)).toContain("deny");
  });

  it("G5 is stopped in the middle, and the next message works", async ({ expect, skip }) => {
    skip(whyNot !== "", whyNot);
    const { tab } = open;
    await talk(tab);
    await tab.button("Stop").click();
    await tab.answers.last().getByText("Stopped. What was said until then is kept.").waitFor();
    await tab.untilIdle();
    expect(await tab.answers.last().innerText()).toContain("one two");
    await expectMemory(tab);
  });

  it("G12 killed in the middle it is one error that says so, and the next message goes on in its session", async ({ expect, skip }) => {
    skip(whyNot !== "", whyNot);
    const { tab, agentHome } = open;
    await talk(tab);
    const before = processesOf(agentHome);
    process.kill(before[0] ?? 0, "SIGKILL");
    await tab.answers.last().getByText(`acp/${agent.name} ended with SIGKILL`).waitFor();
    await tab.untilIdle();
    await expectMemory(tab);
    const after = processesOf(agentHome);
    expect(before.filter((pid) => after.includes(pid))).toEqual([]);
  });

  it("G12 after the runtime was killed the conversation goes on", async ({ expect, skip }) => {
    skip(whyNot !== "", whyNot);
    const { tab, stage, agentHome } = open;
    await greet(tab);
    const runtime = stage.agentPid() ?? 0;
    const before = processesOf(agentHome);
    process.kill(runtime, "SIGKILL");
    await until(() => ![undefined, runtime].includes(stage.agentPid()), 60_000);
    await tab.untilIdle();
    await expectMemory(tab);
    const after = processesOf(agentHome);
    expect(before.filter((pid) => after.includes(pid))).toEqual([]);
  });
});
