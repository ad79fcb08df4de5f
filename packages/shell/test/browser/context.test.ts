// How full the model's context is, and making room in it, in a real browser with the offline model.

import { afterAll, describe, expect, it } from "vitest";
import { pageScrolls, tabTo, violations } from "./accessible.ts";
import { launchOrExplain } from "./browser.ts";
import { takeAside } from "./pictures.ts";
import { shareShell } from "./stage.ts";

const browser = await launchOrExplain();
afterAll(() => browser?.close());
const openStage = shareShell(browser, () => ({ args: ["--context-window=20000"] }));

describe.skipIf(!browser)("the context of the model", () => {
  it("is summarised by a click beside its meter; a row unfolds what the model is told, on every page and after a reload", async () => {
    await using stage = await openStage();
    const tab = await stage.open();
    const { page, answers, button, say, untilIdle } = tab;
    // The meter counts the tools as well: what the summary leaves out has to be seen beside them.
    const long = `my name is Ada\n${"and the harbour is open ".repeat(150)}`;
    for (const words of [long, "help", "what is 6 * 7?"]) {
      await say(words);
      await untilIdle();
    }
    const other = await stage.openAgain(page.url());
    await other.answers.getByText("6 * 7 = 42").waitFor();
    const meter = page.getByRole("meter", { name: "Context in use" });
    const before = Number(await meter.getAttribute("aria-valuenow"));
    await tabTo(page, "Tab", () => document.activeElement?.textContent === "Compact");
    await page.keyboard.press("Enter");
    const row = answers.getByRole("region", { name: "Summary" });
    await row.getByText(/^Summary of the first \d messages/).waitFor();
    await page.getByText(/^The model now has a summary of the first \d messages: about \d+ tokens/).waitFor();
    await expect.poll(async () => Number(await meter.getAttribute("aria-valuenow")), { timeout: 30_000 }).toBeLessThan(before);
    const unfold = row.getByRole("button", { expanded: false });
    await unfold.focus();
    await page.keyboard.press("Enter");
    await row.getByText("User: my name is Ada").waitFor();
    expect(await violations(page)).toEqual([]);
    await takeAside(page, "compaction.png");
    // What was said stays as it is, and is what is copied and told to others.
    expect(await answers.count()).toBe(3);
    expect(await tab.questions.count()).toBe(3);
    await other.answers.getByRole("region", { name: "Summary" }).waitFor();
    await page.reload();
    await row.getByText(/^Summary of the first \d messages/).waitFor();
    await say("what is my name?");
    await answers.getByText("Your name is Ada").waitFor();
    await untilIdle();
    expect(await row.count()).toBe(1);
    await button("Compact").waitFor();
  });

  it("that has nothing to summarise says so, and while an answer is made it waits", async () => {
    await using stage = await openStage({ view: { viewport: { width: 400, height: 740 }, colorScheme: "dark" } });
    const { page, approval, button, say, untilIdle } = await stage.open();
    await say("what is 1 + 1?");
    await untilIdle();
    await button("Compact").click();
    await page.getByText(/Could not make room: .*there is nothing to summarise/).waitFor();
    expect(await violations(page)).toEqual([]);
    expect(await pageScrolls(page)).toBe(false);
    await takeAside(page, "compaction-refused.png");
    await say('write "x" to x.txt');
    await approval.waitFor();
    await page.getByRole("button", { name: "Compact", disabled: true }).waitFor();
    await approval.getByRole("button", { name: "Deny" }).click();
    await untilIdle();
  });
});
