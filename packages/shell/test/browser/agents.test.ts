// Agents with a loop of their own in a real browser: choosing one and what it offers, its thought and plan, its tools, and how full
// its context is; by keyboard, in the dark, at 400 px, and after a reload.

import { afterAll, describe, expect, it } from "vitest";
import { tabTo } from "./accessible.ts";
import { checkLook, choose, looks, openAgentStage, picker, untilItListens } from "./agent-stage.ts";
import { hostile, newText, oldText, plan, push, question, shownHostile } from "./agent-talk.ts";
import { launchOrExplain, type Browser } from "./browser.ts";
import type { VisitOptions } from "./stage.ts";

const browser = await launchOrExplain();
afterAll(() => browser?.close());
const open = (visit?: VisitOptions) => openAgentStage(browser as Browser, visit);

describe.skipIf(!browser)("the choice of an agent", () => {
  it("groups models and agents, says why one can't be used, finds by name, by keyboard alone, and decides who answers", async () => {
    await using stage = await open({ view: { permissions: ["clipboard-read", "clipboard-write"] } });
    const { page, box, say } = await stage.open();
    const { keyboard } = page;
    // It is there when the models have been listed.
    await picker(page).waitFor();
    await box.focus();
    await keyboard.press("Alt+a");
    const search = page.getByRole("combobox", { name: "Search: Model or agent" });
    await search.and(page.locator(":focus")).waitFor();
    const groups = page.getByRole("listbox").getByRole("group");
    expect(await groups.evaluateAll((all) => all.map((group) => group.getAttribute("aria-label")))).toEqual([
      "On this machine",
      "Claude Code",
      "Agents",
      "Anthropic",
      "OpenAI",
    ]);
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
    await keyboard.press("ArrowDown");
    expect(await marked()).toContain("acp/claude");
    // It can be read, and not chosen; Enter leads to the command that would help.
    await keyboard.press("Enter");
    expect(await page.getByRole("option").count()).toBe(3);
    await page.getByRole("button", { name: "Copy claude /login" }).and(page.locator(":focus")).waitFor();
    await keyboard.press("Enter");
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText()), { timeout: 30_000 }).toBe("claude /login");
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
    // Whole, however narrow the page is.
    const { x, width } = (await page.getByRole("dialog").boundingBox()) ?? { x: -1, width: 0 };
    expect([x >= 0, x + width <= viewport.width]).toEqual([true, true]);
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
