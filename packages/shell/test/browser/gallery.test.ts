// Pictures of the states of the page, with the real runtime and its offline model. Made only when they are wanted:
// HAWSER_SCREENSHOTS=1 npm test -- packages/shell/test/browser

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { launchOrExplain, type Browser, type Page } from "./browser.ts";
import { harbour } from "./harbour.ts";
import { take, wantsPictures, withoutPictures } from "./pictures.ts";
import { openPageStage, shareShell, type VisitOptions } from "./stage.ts";
import type { Tab } from "./tab.ts";

const browser = wantsPictures ? await launchOrExplain() : undefined;
afterAll(() => browser?.close());
const openStage = shareShell(browser, () => ({ root: "/home/ada/harbour-log", args: ["--context-window=4000"] }));
const view = { viewport: { width: 1_000, height: 680 } };
const narrow = { viewport: { width: 400, height: 720 } };
const open = (options: VisitOptions = {}) => openStage({ view, files: harbour, ...options });

async function sayAll({ say, untilIdle, button }: Tab, ...conversations: readonly (readonly string[])[]): Promise<void> {
  for (const [at, messages] of conversations.entries()) {
    if (at > 0) await button("New conversation").click();
    for (const message of messages) {
      await say(message);
      await untilIdle();
    }
  }
}

async function allow({ approval, say, untilIdle }: Tab, message: string): Promise<void> {
  await say(message);
  await approval.getByRole("button", { name: "Allow once" }).click();
  await untilIdle();
}

const inTheDark = (page: Page): Promise<void> => page.emulateMedia({ colorScheme: "dark" });

describe("pictures of", () => {
  beforeEach(({ skip }) => skip(!browser, withoutPictures));

  it("the first minute, the keys and the folders", async () => {
    await using stage = await open();
    const { page, button, box } = await stage.open();
    await page.getByText("Try one of these").waitFor();
    await take(page, "first-minute.png");
    await inTheDark(page);
    await take(page, "first-minute-dark.png");
    await page.emulateMedia({ colorScheme: "light" });
    await button("Keys").click();
    await page.getByRole("dialog", { name: "Keys" }).waitFor();
    await take(page, "keys.png");
    await page.keyboard.press("Escape");
    await box.focus();
    await page.keyboard.type("what is in this file? @ber");
    await page.getByRole("option", { name: "src/berths.ts" }).waitFor();
    await take(page, "completion.png");
    await box.fill("");
    await page.keyboard.press("Alt+o");
    const dialog = page.getByRole("dialog", { name: "Folder to work in" });
    await dialog.waitFor();
    await take(page, "folder.png");
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    expect(await page.getByRole("dialog").count()).toBe(0);
  });

  it("the search, wide and narrow", async () => {
    await using stage = await open();
    const tab = await stage.open();
    const { page } = tab;
    await sayAll(
      tab,
      ["my ship is the schooner Marianne", "what is 3.4 * 12?"],
      ["where is berthFor used?", "read the README"],
      ["my name is Ada", "what is 6 * 7?", "the schooner needs a berth of 4 metres"],
    );
    await page.keyboard.press("Alt+k");
    await page.keyboard.type("schooner");
    await page.getByRole("region", { name: "Found in messages" }).getByRole("link").nth(1).waitFor();
    await take(page, "search.png");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.locator("article[data-sought]:focus").waitFor();
    await take(page, "search-jump.png");
    await page.setViewportSize(narrow.viewport);
    await inTheDark(page);
    await page.keyboard.press("Alt+k");
    await page.keyboard.type("schooner");
    await page.getByRole("region", { name: "Found in messages" }).getByRole("link").first().waitFor();
    await take(page, "search-narrow.png");
    expect(await tab.approval.count()).toBe(0);
  });

  it("the review of changes", async () => {
    await using stage = await open();
    const tab = await stage.open();
    const { page } = tab;
    await allow(tab, 'replace "depth > draught" with "depth > draught + 0.5" in src/berths.ts');
    await allow(tab, 'replace "2.3.0" with "2.4.0" in package.json');
    await page.keyboard.press("Alt+r");
    const dialog = page.getByRole("dialog", { name: "Changes" });
    await dialog.getByRole("group", { name: "Change in package.json" }).waitFor();
    await take(page, "review.png");
    await dialog.getByText("Side by side").click();
    await inTheDark(page);
    await take(page, "review-sides.png");
    await page.emulateMedia({ colorScheme: "light" });
    await dialog.getByRole("button", { name: "Take back package.json" }).click();
    await dialog.getByText("changed, taken back").waitFor();
    await take(page, "review-taken-back.png");
    await page.keyboard.press("Escape");
    writeFileSync(join(stage.work, "src/berths.ts"), "// All berths are closed in winter.\n");
    await page.setViewportSize(narrow.viewport);
    await page.keyboard.press("Alt+r");
    await dialog.getByRole("button", { name: "Take back src/berths.ts" }).click();
    await dialog.getByRole("list", { name: "Left as they are" }).waitFor();
    await take(page, "review-conflict.png");
    expect(await dialog.getByText("src/berths.ts was left as it is").count()).toBe(1);
  });

  it("a context that is nearly full, and its summary", async () => {
    await using stage = await open();
    const tab = await stage.open();
    const { page, answers, button } = tab;
    await sayAll(tab, ["my name is Ada", "list the files here", "where is berthFor used?", "what is 3.4 * 12?"]);
    await button("Compact").click();
    const row = answers.getByRole("region", { name: "Summary" }).last();
    await row.getByRole("button").click();
    await row.evaluate((element) => element.scrollIntoView({ block: "center" }));
    await take(page, "summary.png");
    expect(await row.count()).toBe(1);
  });

  it("what went wrong: a file that is not there, a no, and a shell that is gone", async () => {
    const options = { view, files: harbour, root: "/home/ada/harbour-log", expected: /WebSocket|ERR_/ };
    await using stage = await openPageStage(browser as Browser, options);
    const tab = await stage.open();
    const { page, approval, say, untilIdle } = tab;
    await say("read the file tide-table.csv");
    await untilIdle();
    await say('write "closed" to src/berths.ts');
    await approval.getByRole("button", { name: "Deny" }).click();
    await untilIdle();
    await take(page, "failed-and-denied.png");
    await page.setViewportSize(narrow.viewport);
    await take(page, "narrow.png");
    await page.setViewportSize(view.viewport);
    await stage.shell.stop();
    await tab.status.getByText("not connected").waitFor();
    await take(page, "not-connected.png");
    expect(await tab.answers.count()).toBe(2);
  });
});
