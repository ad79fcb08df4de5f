// Questions of agents in a real browser: the agent's own answers, what it says about what it wants to do, and trust in a folder; by
// keyboard, in the dark and at 400 px. G17: what is typed never answers.

import { afterAll, describe, expect, it } from "vitest";
import { tabTo } from "./accessible.ts";
import { checkLook, choose, looks, openAgentStage, untilItListens } from "./agent-stage.ts";
import { answers, berthChange, berthSteps, edit, hostile, push, question, shownHostile } from "./agent-talk.ts";
import { launchOrExplain, type Browser } from "./browser.ts";
import { take } from "./pictures.ts";
import type { VisitOptions } from "./stage.ts";

const browser = await launchOrExplain();
afterAll(() => browser?.close());
const open = (visit?: VisitOptions) => openAgentStage(browser as Browser, visit);

describe.skipIf(!browser)("a question of an agent", () => {
  it.each(looks)("has the agent's own answers, told apart in words and colours, for everybody, $width px wide", async (viewport) => {
    await using stage = await open({ view: { viewport } });
    const tab = await stage.open();
    const { page, approval, say, untilIdle } = tab;
    await choose(page, "acp/codex");
    await say("berthFor ignores the keel. Fix it, please.");
    const turn = await stage.puppet.nextTurn();
    turn.say(
      { type: "reasoning", data: { text: "The depth below the keel is never added to the draught." } },
      { type: "plan", data: { entries: [...berthSteps] } },
      { type: "token", token: "`berthFor` compares the draught alone. I add the room below the keel." },
      { type: "usage", data: { model: "acp/codex", inputTokens: 1_200, outputTokens: 40, contextTokens: 170_000, contextWindow: 200_000 } },
      { type: "tool_use", data: edit },
      {
        type: "permission_request",
        data: {
          ...edit,
          permissionId: "p1",
          reason: "acp/codex asks before it changes files",
          diffs: [berthChange],
          options: [...answers],
        },
      },
    );
    await untilItListens(tab);
    const buttons = approval.getByRole("toolbar", { name: "Answers" }).getByRole("button");
    expect((await buttons.allInnerTexts()).map((text) => text.replaceAll(/\s+/g, " "))).toEqual([
      "Yes, and don't ask again allows it from now on",
      "Yes allows it once Alt Y",
      "No, and tell the agent what to do instead rejects it Alt X",
    ]);
    const colours = await buttons.evaluateAll((all) => all.map((one) => getComputedStyle(one).color));
    expect(new Set(colours).size).toBe(3);
    expect(await approval.innerText()).toMatch(
      /Changes files: Edit src\/berths\.ts[^]*src\/berths\.ts:12[^]*keelRoom[^]*acp\/codex asks before/,
    );
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
    expect(await page.evaluate(() => document.activeElement?.textContent)).toMatch(/^Yesallows it once/);
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
    await toolCard("shell").getByText("You chose “Yes, and don't ask again”.").waitFor();
    turn.end();
    await untilIdle();
  });

  it("about a folder says what it brings, and trust is a click", async () => {
    await using stage = await open();
    const tab = await stage.open();
    const { page, approval, button, say, untilIdle } = tab;
    await say("work there");
    const turn = await stage.puppet.nextTurn();
    const input = {
      folder: "/home/ada/other",
      brings: ["2 MCP servers: tides, berths", "instructions in AGENTS.md:\n    # Rules\n    Be brief.", hostile],
    };
    turn.say({
      type: "permission_request",
      data: { permissionId: "p2", toolId: "f", toolName: "trust_folder", input, reason: "trust it only if you know where it comes from" },
    });
    await untilItListens(tab);
    await approval.getByText("Trust the folder /home/ada/other?").waitFor();
    expect(await approval.getByRole("list", { name: "What the folder brings" }).getByRole("listitem").allInnerTexts()).toEqual([
      "2 MCP servers: tides, berths",
      "instructions in AGENTS.md:\n    # Rules\n    Be brief.",
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
