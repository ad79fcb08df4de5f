// Pictures of what agents and models do: with agents that the test plays, and with a scripted model. Made only when they are wanted, as
// those of gallery.test.ts.

import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { choose, openAgentStage, picker, untilItListens } from "./agent-stage.ts";
import { berthChange, berthSteps, edit } from "./agent-talk.ts";
import { launchOrExplain, type Browser } from "./browser.ts";
import { harbour } from "./harbour.ts";
import { take, wantsPictures, withoutPictures } from "./pictures.ts";
import { shareScriptedShell } from "./scripted-agent.ts";

const browser = wantsPictures ? await launchOrExplain() : undefined;
afterAll(() => browser?.close());
const view = { viewport: { width: 1_000, height: 680 } };
const playScript = shareScriptedShell(browser, { root: "/home/ada/harbour-log" });

const models = [
  { model: "anthropic/claude-sonnet-5-5", available: true, current: true },
  { model: "openai/gpt-5.5", available: false, current: false, reason: "OPENAI_API_KEY is not set" },
  { model: "ollama/qwen3:8b", available: true, current: false },
  { model: "offline", available: true, current: false },
  { model: "claude-code/sonnet", available: true, current: false },
  { model: "acp/codex", available: true, current: false },
  { model: "acp/goose", available: true, current: false },
  {
    model: "acp/gemini",
    available: false,
    current: false,
    reason: "gemini is not on the PATH; run: npm install -g @google/gemini-cli",
  },
];

describe("pictures of", () => {
  beforeEach(({ skip }) => skip(!browser, withoutPictures));

  it("the choice of a model or an agent, and what an agent thinks, plans and changes", async () => {
    await using stage = await openAgentStage(browser as Browser, { view });
    stage.puppet.models = models;
    stage.puppet.conversations = [{ conversationId: "tides", title: "When is the tide high?", updatedAt: 1, messages: 2 }];
    const { page, say, untilIdle } = await stage.open();
    await page.reload();
    await picker(page).click();
    await take(page, "picker.png");
    await page.keyboard.type("gemini");
    await page.getByRole("button", { name: /^Copy npm install/ }).waitFor();
    await take(page, "picker-command.png");
    await page.keyboard.press("Escape");
    await choose(page, "acp/codex");
    await page.getByRole("button", { name: "Mode: Ask before edits" }).waitFor();
    await say("Leave half a metre of water below the keel");
    const turn = await stage.puppet.nextTurn();
    turn.say(
      {
        type: "reasoning",
        data: { text: "A berth is chosen in src/berths.ts. The tide counts there already; the room below the keel does not." },
      },
      { type: "plan", data: { entries: [...berthSteps] } },
    );
    await page
      .getByRole("button", { name: "Thinking…" })
      .or(page.getByRole("button", { name: /^Thought/ }))
      .waitFor();
    await take(page, "thought-and-plan.png");
    const input = { folder: "/home/ada/harbour-tools", brings: ["an MCP server: tides", "instructions in AGENTS.md"] };
    const trust = {
      permissionId: "p1",
      toolId: "t",
      toolName: "trust_folder",
      input,
      reason: "Trust it only if you know where it comes from.",
    };
    turn.say({ type: "permission_request", data: trust });
    const yes = page.getByRole("button", { name: "Trust this folder" });
    await yes.and(page.locator(":enabled")).waitFor();
    await take(page, "trust.png");
    await yes.click();
    turn.say(
      { type: "tool_result", data: { toolId: "t", toolName: "trust_folder", result: null } },
      { type: "tool_use", data: edit },
      { type: "tool_result", data: { toolId: edit.toolId, toolName: edit.toolName, result: null, diffs: [berthChange] } },
      { type: "token", token: "A ship now needs **half a metre** more than its draught.\n\n```ts\nconst keelRoom = 0.5;\n```\n" },
      { type: "usage", data: { model: "acp/codex", contextTokens: 168_000, contextWindow: 200_000 } },
    );
    turn.end();
    await untilIdle();
    await page.getByRole("region", { name: "Tool edit" }).getByRole("button").first().click();
    await page.emulateMedia({ colorScheme: "dark" });
    await page.locator("code span", { hasText: "const" }).first().waitFor();
    await take(page, "change-dark.png");
    expect(await page.getByRole("region", { name: "Plan" }).count()).toBe(1);
  });

  it("messages that wait, words for the turn that runs, and a question that was answered elsewhere", async () => {
    const call = { calls: [{ id: "call-1", name: "write_file", input: { path: "notes.txt", content: "High tide at six.\n" } }] };
    await using stage = await playScript([{ text: "I write it down.", ...call }, { text: "Noted." }, { text: "Done." }], {
      view,
      files: harbour,
    });
    const tab = await stage.open();
    const { page, box, say, answers, untilIdle } = tab;
    await say("Note when the tide is high");
    await untilItListens(tab);
    await box.fill("in metres, please");
    await box.press("Control+Enter");
    await say("And now the berths");
    await page.getByRole("list", { name: "Waiting" }).getByRole("listitem").nth(1).waitFor();
    await page.getByRole("log").evaluate((log) => (log.scrollTop = 0));
    await take(page, "waiting.png");
    const other = await stage.openAgain(page.url());
    await untilItListens(other);
    await other.approval.getByRole("button", { name: "Allow once" }).click();
    await answers.getByText("Done.").waitFor();
    await untilIdle();
    await page.getByText("Allowed once on another page.").waitFor();
    await page.getByRole("log").evaluate((log) => (log.scrollTop = 0));
    await take(page, "answered-elsewhere.png");
    expect(stage.decisions()).toEqual([["allow", "click"]]);
  });

  it("text from right to left, and the page at twice its size", async () => {
    const text = "## מפרש\n\nמפרש הוא בד שהרוח ממלאת:\n\n- מפרש ראשי\n- חלוץ\n\nA *sail* in English, too.";
    await using stage = await playScript([{ text }], { view: { viewport: { width: 500, height: 340 }, deviceScaleFactor: 2 } });
    const { page, answers, say, untilIdle } = await stage.open();
    await page.setViewportSize(view.viewport);
    await say("מה זה מפרש?");
    await untilIdle();
    await answers.getByText("חלוץ").waitFor();
    await page.setViewportSize({ width: 500, height: 440 });
    await take(page, "right-to-left-at-200.png");
    expect(await answers.count()).toBe(1);
  });
});
