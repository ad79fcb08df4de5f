// Agents with a loop of their own in a real browser: choosing one and what it offers, its thought and plan, its own answers to its
// questions, and how full its context is; by keyboard, in the dark, at 400 px, and after a reload.

import { afterAll, describe, expect, it } from "vitest";
import { pageScrolls, tabTo, violations } from "./accessible.ts";
import { answers, hostile, openAgentStage, shownHostile } from "./agent-stage.ts";
import { launchOrExplain, type Browser, type Page } from "./browser.ts";
import { take, takeAside } from "./pictures.ts";
import type { VisitOptions } from "./stage.ts";
import type { Tab } from "./tab.ts";

const browser = await launchOrExplain();
afterAll(() => browser?.close());
const open = (visit?: VisitOptions) => openAgentStage(browser as Browser, visit);

const oldText = `${Array.from({ length: 40 }, (_, at) => `line ${at + 1}`).join("\n")}\n`;
const newText = oldText.replace("line 20\n", "line twenty\n");
const push = {
  toolId: "call-1",
  toolName: "shell",
  input: { command: ["git", "push", "origin main"], cwd: "/home/ada/harbour-log" },
  title: "git push",
  kind: "execute",
  locations: [{ path: "src/berths.ts", line: 12 }],
};
const question = { ...push, permissionId: "p1", reason: "acp/codex asks before it runs something", options: [...answers] };
const plan = (...done: number[]) => ({
  type: "plan" as const,
  data: {
    entries: ["Read the tests", "Fix the parser", hostile].map((content, at) => ({
      content,
      status: done.includes(at) ? ("completed" as const) : done.length === at ? ("in_progress" as const) : ("pending" as const),
    })),
  },
});

const picker = (page: Page) => page.getByRole("button", { name: /^Model or agent:/ });

async function choose(page: Page, name: string): Promise<void> {
  await picker(page).click();
  await page.getByRole("option", { name }).click();
}

/** Until then answers don't count. */
const untilItListens = ({ page, approval }: Tab) =>
  approval.getByRole("toolbar").getByRole("button").and(page.locator(":enabled")).first().waitFor();

async function checkLook(page: Page, state: string): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await violations(page), `${state}, ${colorScheme}`).toEqual([]);
    await takeAside(page, `${state}-${colorScheme}-${page.viewportSize()?.width ?? 0}.png`);
  }
  await page.emulateMedia({ colorScheme: "light" });
  expect(await pageScrolls(page), state).toBe(false);
}

const looks = [
  { width: 1_100, height: 800 },
  { width: 400, height: 740 },
];

describe.skipIf(!browser)("the choice of an agent", () => {
  it("groups models and agents, says why one can't be used, finds by name, by keyboard alone, and decides who answers", async () => {
    await using stage = await open();
    const { page, box, say } = await stage.open();
    const { keyboard } = page;
    await box.focus();
    await keyboard.press("Alt+a");
    const search = page.getByRole("combobox", { name: "Search: Model or agent" });
    await search.and(page.locator(":focus")).waitFor();
    const groups = page.getByRole("listbox").getByRole("group");
    expect(await groups.evaluateAll((all) => all.map((group) => group.getAttribute("aria-label")))).toEqual(["Models", "Agents"]);
    const claude = page.getByRole("option", { name: /^acp\/claude/ });
    expect(await claude.getAttribute("aria-disabled")).toBe("true");
    expect(await claude.innerText()).toContain("Log in with: claude /login");
    await page.getByRole("option", { name: `acp/${shownHostile}` }).waitFor();
    // Nothing of a name is cut off.
    expect(
      await page.getByRole("option", { name: /longer-than-any-select-would-show/ }).evaluate((row) => row.scrollWidth <= row.clientWidth),
    ).toBe(true);
    await keyboard.type("claude");
    await expect.poll(() => page.getByRole("option").count(), { timeout: 30_000 }).toBe(3);
    const marked = (): Promise<string> =>
      page.evaluate(() => document.getElementById(document.activeElement?.getAttribute("aria-activedescendant") ?? "")?.innerText ?? "");
    await keyboard.press("ArrowUp");
    expect(await marked()).toContain("acp/claude");
    // It can be read, and not chosen.
    await keyboard.press("Enter");
    expect(await page.getByRole("option").count()).toBe(3);
    await keyboard.press("Escape");
    await picker(page).and(page.locator(":focus")).waitFor();
    await keyboard.press("Enter");
    await search.fill("codex");
    await keyboard.press("Enter");
    await page.getByRole("button", { name: "Model or agent: acp/codex" }).and(page.locator(":focus")).waitFor();
    await say("hello");
    const turn = await stage.puppet.nextTurn();
    expect(turn.message.metadata).toMatchObject({ model: "acp/codex" });
    // Escape in the list is not the Escape that stops an answer.
    await picker(page).click();
    await keyboard.press("Escape");
    await page.getByRole("listbox").waitFor({ state: "detached" });
    turn.end();
    expect(stage.puppet.asked("cancel")).toEqual([]);
  });

  it("lists what can be chosen about it, sets it, and tells a refusal once", async () => {
    await using stage = await open();
    const { puppet } = stage;
    const { page, say, untilIdle } = await stage.open();
    expect(puppet.asked("list_options")).toEqual([]);
    await choose(page, "acp/codex");
    const mode = page.getByRole("button", { name: "Mode: Ask before edits" });
    await mode.click();
    await page.getByRole("option", { name: shownHostile }).waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Mode: Plan only" }).waitFor();
    await page.getByRole("switch", { name: "Web search", checked: false }).click();
    await page.getByRole("switch", { name: "Web search", checked: true }).waitFor();
    expect(puppet.asked("set_option").map(({ optionId, value, model }) => [optionId, value, model])).toEqual([
      ["mode", "plan", "acp/codex"],
      ["web", true, "acp/codex"],
    ]);
    // Not while it answers, when it would be refused.
    await say("hello");
    const turn = await puppet.nextTurn();
    await page.getByRole("button", { name: "Effort: High", disabled: true }).waitFor();
    puppet.optionsError = "codex is not logged in; log in with: codex login";
    turn.end();
    await untilIdle();
    const notice = page.getByText("codex is not logged in; log in with: codex login");
    await notice.waitFor();
    await say("again");
    (await puppet.nextTurn()).end();
    await untilIdle();
    await expect.poll(() => puppet.asked("list_options").length, { timeout: 30_000 }).toBe(3);
    await page.getByRole("button", { name: "Effort: High" }).click();
    await page.getByRole("option", { name: "Low" }).click();
    await page.getByText("Could not set Effort: codex is not logged in").waitFor();
    expect(await notice.count()).toBe(2);
    await page.getByRole("button", { name: "Effort: High" }).waitFor();
  });

  it.each(looks)("is for everybody, $width px wide", async (viewport) => {
    await using stage = await open({ view: { viewport } });
    const { page } = await stage.open();
    await choose(page, "acp/codex");
    await page.getByRole("button", { name: "Mode: Ask before edits" }).waitFor();
    await picker(page).click();
    await checkLook(page, "picker");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Effort: High" }).click();
    await checkLook(page, "option");
  });
});

describe.skipIf(!browser)("a turn of an agent", () => {
  it("thinks aloud until it answers, keeps its plan up to date in place, and copies only the answer", async () => {
    await using stage = await open({ view: { permissions: ["clipboard-read", "clipboard-write"] } });
    const { page, answers: said, button, say, untilIdle } = await stage.open();
    await say("fix it");
    const turn = await stage.puppet.nextTurn();
    turn.say({ type: "reasoning", data: { text: "The parser " } }, { type: "reasoning", data: { text: "<b>drops</b> a line." } });
    const thinking = page.getByRole("button", { name: "Thinking…", expanded: true });
    await thinking.waitFor();
    const thought = page.getByRole("region", { name: "What was thought" });
    await thought.getByText("The parser <b>drops</b> a line.").waitFor();
    await checkLook(page, "thinking");
    turn.say(plan(0), { type: "token", token: "I fix **it**." });
    await thought.waitFor({ state: "detached" });
    const steps = page.getByRole("region", { name: "Plan" }).getByRole("listitem");
    expect(await steps.allInnerTexts()).toEqual(["Done:\nRead the tests", "Now:\nFix the parser", `To do:\n${shownHostile}`]);
    turn.say(plan(0, 1), { type: "usage", data: { model: "acp/codex", contextTokens: 50_000, contextWindow: 200_000 } });
    await page.getByText("2 of 3 done").waitFor();
    expect(await page.getByRole("region", { name: "Plan" }).count()).toBe(1);
    const meter = page.getByRole("meter", { name: "Context in use" });
    expect([await meter.getAttribute("aria-valuenow"), await meter.getAttribute("aria-valuetext")]).toEqual([
      "25",
      "50,000 of 200,000 tokens of the context are in use",
    ]);
    turn.end();
    await untilIdle();
    await button("Copy answer").click();
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText()), { timeout: 30_000 }).toBe("I fix **it**.");
    await tabTo(page, "Shift+Tab", () => document.activeElement?.textContent?.startsWith("Thought") ?? false);
    await page.keyboard.press("Enter");
    await thought.waitFor();
    await checkLook(page, "thought");
    expect(await said.locator("b").count()).toBe(0);
  });

  it("shows tools in the agent's words, with files and changes", async () => {
    await using stage = await open();
    const { page, toolCard, say, untilIdle } = await stage.open();
    await say("fix it");
    const turn = await stage.puppet.nextTurn();
    const use = { toolId: "t", toolName: "edit" };
    turn.say(
      {
        type: "tool_use",
        data: { ...use, input: {}, title: `Edit ${hostile}`, kind: "edit", locations: [{ path: "src/parser.ts", line: 20 }] },
      },
      { type: "tool_result", data: { ...use, result: null, diffs: [{ path: "src/parser.ts", oldText, newText }] } },
    );
    const card = toolCard("edit");
    await card.getByText(`Edit ${shownHostile}`).waitFor();
    await card.getByText("Changes files").waitFor();
    await card.getByRole("button").first().click();
    await card.getByText("src/parser.ts:20").waitFor();
    const change = card.getByRole("region", { name: "Change in src/parser.ts" });
    await change.getByText("line twenty").waitFor();
    // Neighbours with their numbers; the rest is folded.
    expect((await change.innerText()).replaceAll(/\s+/g, " ")).toContain("20 − removed: line 20 20 + added: line twenty 21 21 line 21");
    await change.getByRole("button", { name: "16 lines that stay" }).click();
    await change.getByText("line 3", { exact: true }).waitFor();
    await checkLook(page, "tool");
    turn.end();
    await untilIdle();
  });

  it("comes back after a reload as it was: thought, plan, and an open question with its answers", async () => {
    await using stage = await open();
    const tab = await stage.open();
    const { page, approval, say, untilIdle } = tab;
    await say("push it");
    const turn = await stage.puppet.nextTurn();
    turn.say(
      { type: "reasoning", data: { text: "I should push." } },
      plan(0),
      { type: "tool_use", data: push },
      { type: "permission_request", data: question },
    );
    await untilItListens(tab);
    const seen = async () => [
      await page.getByRole("region", { name: "Plan" }).innerText(),
      await approval.innerText(),
      await page.getByRole("button", { name: /^Thought/ }).count(),
    ];
    const before = await seen();
    await page.reload();
    await untilItListens(tab);
    expect(await seen()).toEqual(before);
    await page.keyboard.press("Alt+y");
    await approval.waitFor({ state: "detached" });
    await expect
      .poll(() => stage.puppet.asked("permission_response"), { timeout: 30_000 })
      .toMatchObject([{ permissionId: "p1", decision: "allow", optionId: "yes", via: "shortcut" }]);
    turn.end();
    await untilIdle();
  });
});

describe.skipIf(!browser)("a question of an agent", () => {
  it.each(looks)("has the agent's own answers, told apart in words and colours, for everybody, $width px wide", async (viewport) => {
    await using stage = await open({ view: { viewport } });
    const tab = await stage.open();
    const { page, approval, say, untilIdle } = tab;
    await choose(page, "acp/codex");
    await say("push it");
    const turn = await stage.puppet.nextTurn();
    turn.say(
      { type: "reasoning", data: { text: "The tests pass, so I can push." } },
      plan(0),
      { type: "token", token: "The parser is fixed." },
      { type: "usage", data: { model: "acp/codex", inputTokens: 1_200, outputTokens: 40, contextTokens: 170_000, contextWindow: 200_000 } },
      { type: "tool_use", data: push },
      { type: "permission_request", data: { ...question, diffs: [{ path: "src/parser.ts", oldText, newText }] } },
    );
    await untilItListens(tab);
    const buttons = approval.getByRole("toolbar", { name: "Answers" }).getByRole("button");
    expect((await buttons.allInnerTexts()).map((text) => text.replaceAll(/\s+/g, " "))).toEqual([
      "Always allow git push allows it from now on",
      "Yes allows it once Alt Y",
      "No, and tell the agent what to do instead rejects it Alt X",
    ]);
    const colours = await buttons.evaluateAll((all) => all.map((one) => getComputedStyle(one).color));
    expect(new Set(colours).size).toBe(3);
    expect(await approval.innerText()).toMatch(/Runs a program: git push[^]*src\/berths\.ts:12[^]*line twenty[^]*acp\/codex asks before/);
    await checkLook(page, "question");
    if (viewport.width > 1_000) {
      await page.setViewportSize({ width: 1_280, height: 1_000 });
      await take(page, "agent.png");
    }
    await page.keyboard.press("Alt+x");
    await approval.waitFor({ state: "detached" });
    turn.end();
    await untilIdle();
  });

  it("G17 is not answered by typing; the first focus is not at what lasts, which is reached by an arrow key and meant", async () => {
    await using stage = await open();
    const tab = await stage.open();
    const { page, box, approval, toolCard, say, untilIdle } = tab;
    await say("push it");
    const turn = await stage.puppet.nextTurn();
    turn.say({ type: "tool_use", data: push }, { type: "permission_request", data: question });
    await untilItListens(tab);
    await page.keyboard.type("yes always 1 2 3 no");
    expect(await box.inputValue()).toBe("yes always 1 2 3 no");
    await tabTo(page, "Shift+Tab", () => document.activeElement?.closest("[role=toolbar]") !== null);
    expect(await page.evaluate(() => document.activeElement?.textContent)).toContain("Yes");
    // Letters and digits on a button are no answers either.
    for (const key of ["y", "a", "1", "n"]) await page.keyboard.press(key);
    expect(stage.puppet.asked("permission_response")).toEqual([]);
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("Enter");
    await approval.waitFor({ state: "detached" });
    await expect
      .poll(() => stage.puppet.asked("permission_response"), { timeout: 30_000 })
      .toMatchObject([{ decision: "allow_always", optionId: "always", via: "key" }]);
    await toolCard("shell").getByRole("button").first().click();
    await toolCard("shell").getByText("You chose “Always allow git push”.").waitFor();
    turn.end();
    await untilIdle();
  });

  it("about a folder says what it brings, and trust is a click", async () => {
    await using stage = await open();
    const tab = await stage.open();
    const { page, approval, button, say, untilIdle } = tab;
    await say("work there");
    const turn = await stage.puppet.nextTurn();
    const input = { folder: "/home/ada/other", brings: ["2 MCP servers: tides, berths", "instructions in AGENTS.md", hostile] };
    turn.say({
      type: "permission_request",
      data: { permissionId: "p2", toolId: "f", toolName: "trust_folder", input, reason: "trust it only if you know where it comes from" },
    });
    await untilItListens(tab);
    await approval.getByText("Trust the folder /home/ada/other?").waitFor();
    expect(await approval.getByRole("list", { name: "What the folder brings" }).getByRole("listitem").allInnerTexts()).toEqual([
      "2 MCP servers: tides, berths",
      "instructions in AGENTS.md",
      shownHostile,
    ]);
    await checkLook(page, "trust");
    await page.keyboard.press("Alt+y");
    expect(stage.puppet.asked("permission_response")).toEqual([]);
    await button("Trust this folder").click();
    await approval.waitFor({ state: "detached" });
    await expect
      .poll(() => stage.puppet.asked("permission_response"), { timeout: 30_000 })
      .toMatchObject([{ decision: "allow", via: "click" }]);
    turn.end();
    await untilIdle();
  });
});
