// What a user does while a turn runs, and beside it, in a real browser: messages that wait, words for the turn that runs, forks, and
// what the agent is told.

import { afterAll, describe, expect, it } from "vitest";
import { violations } from "./accessible.ts";
import { launchOrExplain, type Browser } from "./browser.ts";
import { takeAside } from "./pictures.ts";
import { shareScriptedShell } from "./scripted-agent.ts";
import { openPageStage, shareShell } from "./stage.ts";

const browser = await launchOrExplain();
afterAll(() => browser?.close());
const playScript = shareScriptedShell(browser);
const openStage = shareShell(browser);

const textIn = (body: unknown): string => JSON.stringify(body);

describe.skipIf(!browser)("a message that waits", () => {
  it("is listed, changed and taken back before its turn; what is left is sent in its new words", async () => {
    const gate = Promise.withResolvers<void>();
    await using stage = await playScript((_, index) => (index === 0 ? { text: ["One moment", gate.promise, "."] } : { text: "Well." }));
    const { page, answers, questions, button, say, untilIdle } = await stage.open();
    await say("first");
    await answers.getByText("One moment").waitFor();
    await say("second");
    await say("third");
    const waiting = page.getByRole("list", { name: "Waiting" }).getByRole("listitem");
    await waiting.nth(1).waitFor();
    await answers.getByText("Waiting for its turn…").first().waitFor();
    expect(await violations(page)).toEqual([]);
    await takeAside(page, "waiting.png");
    await button("Change: second").click();
    await page.getByLabel("What waits, in other words").fill("second, in other words");
    await page.keyboard.press("Enter");
    await waiting.getByText("second, in other words").waitFor();
    await questions.getByText("second, in other words").waitFor();
    await button("Take back: third").click();
    await expect.poll(() => waiting.count(), { timeout: 30_000 }).toBe(1);
    gate.resolve();
    await answers.getByText("Well.").waitFor();
    await untilIdle();
    await page.getByRole("list", { name: "Waiting" }).waitFor({ state: "detached" });
    expect(stage.requests.map(({ body }) => textIn(body).includes("third"))).toEqual([false, false]);
    expect(textIn(stage.requests[1]?.body)).toContain("second, in other words");
  });
});

describe.skipIf(!browser)("what is said to a turn that runs", () => {
  it("waits until the model's next step, can be taken back, and then stands in the answer, also after a reload", async () => {
    const call = { calls: [{ id: "call-1", name: "write_file", input: { path: "note.txt", content: "x" } }] };
    await using stage = await playScript([call, { text: "As you wish." }]);
    const { page, answers, approval, box, button, say, untilIdle } = await stage.open();
    await say("write a note");
    await approval.waitFor();
    for (const words of ["forget it", "in capitals, please"]) {
      await box.fill(words);
      await box.press("Control+Enter");
      await page.getByRole("list", { name: "Waiting" }).getByText(words).waitFor();
    }
    await takeAside(page, "steering.png");
    await button("Take back: forget it").click();
    await page.getByRole("list", { name: "Waiting" }).getByText("forget it").waitFor({ state: "detached" });
    await approval.getByRole("button", { name: "Allow once" }).click();
    const meanwhile = answers.getByRole("region", { name: "You, meanwhile" });
    await meanwhile.getByText("in capitals, please").waitFor();
    await answers.getByText("As you wish.").waitFor();
    await untilIdle();
    expect(textIn(stage.requests[1]?.body)).toContain("in capitals, please");
    expect(textIn(stage.requests[1]?.body)).not.toContain("forget it");
    await page.reload();
    await meanwhile.getByText("in capitals, please").waitFor();
    expect(await answers.count()).toBe(1);
  });
});

describe.skipIf(!browser)("a fork", () => {
  it("begins as the conversation does up to an answer, and leaves it as it is", async () => {
    await using stage = await openStage();
    const { page, answers, questions, conversations, say, untilIdle } = await stage.open();
    await say("what is 1 + 1?");
    await answers.getByText("1 + 1 = 2").waitFor();
    await untilIdle();
    await say("what is 2 + 2?");
    await answers.getByText("2 + 2 = 4").waitFor();
    await untilIdle();
    await answers.first().getByRole("button", { name: "Fork" }).click();
    await conversations.nth(1).waitFor();
    await answers.getByText("2 + 2 = 4").waitFor({ state: "detached" });
    expect(await questions.allInnerTexts()).toHaveLength(1);
    await say("what is 3 + 3?");
    await answers.getByText("3 + 3 = 6").waitFor();
    await untilIdle();
    await page.goBack();
    await answers.getByText("2 + 2 = 4").waitFor();
    expect(await answers.count()).toBe(2);
  });
});

describe.skipIf(!browser)("what the agent is told", () => {
  it("is counted in the line at the bottom, and listed on demand; the text of a name stays text", async () => {
    const files = { "AGENTS.md": "Speak plainly.\n" };
    await using stage = await openPageStage(browser as Browser, { files, args: ["--trust"] });
    const { page, answers, box, say, untilIdle } = await stage.open();
    await say("what is 1 + 1?");
    await answers.getByText("1 + 1 = 2").waitFor();
    await untilIdle();
    await page.getByRole("button", { name: /^\d+ instructions?$/ }).waitFor();
    await box.fill("/instructions");
    await box.press("Escape");
    await box.press("Enter");
    const dialog = page.getByRole("dialog", { name: "Instructions in force" });
    await dialog
      .getByRole("region", { name: "Instructions" })
      .getByText(/AGENTS\.md$/)
      .waitFor();
    expect(await violations(page)).toEqual([]);
    await takeAside(page, "instructions.png");
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
  });
});
