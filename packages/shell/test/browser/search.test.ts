// The search over all conversations in a real browser, on one page and one runtime with a long past: ten thousand messages in one
// conversation, and some others.

import { join } from "node:path";
import { createFileStore } from "@hawser/agent";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { shellLimits } from "../../src/limits.ts";
import { pageScrolls, violations } from "./accessible.ts";
import { hostile, shownHostile } from "./agent-talk.ts";
import { launchOrExplain, type Browser } from "./browser.ts";
import { takeAside } from "./pictures.ts";
import { openPageStage, type PageStage } from "./stage.ts";
import type { Tab } from "./tab.ts";

const browser = await launchOrExplain();
const count = 10_000;
let stage: PageStage;
let tab: Tab;

async function writePast(folder: string): Promise<void> {
  const store = createFileStore({ folder: join(folder, "conversations"), onNotice: () => {} });
  const write = async (conversationId: string, texts: readonly string[]): Promise<void> => {
    const conversation = await store.open(conversationId);
    for (const [at, text] of texts.entries()) {
      // An answer goes to the disk before the next one, which takes its time.
      const role = at === texts.length - 1 || at % 20 === 19 ? "assistant" : "user";
      await conversation.add({ messageId: `m${at + 1}`, role, parts: [{ type: "text", text }], timestamp: 1_750_000_000_000 + at });
      if (role === "assistant") await conversation.finish(`m${at + 1}`);
    }
    await conversation.close();
  };
  const long = Array.from({ length: count }, (_, at) => `message ${at + 1} of the log\n\n${"- a line\n".repeat(at % 7)}`);
  await write("long", long.with(3_338, "The Überfahrt of the schooner began").with(3_339, "The schooner **Marianne** left at dawn."));
  const short = Array.from({ length: 60 }, (_, at) => `word ${at + 1}`);
  await write("short", short.with(20, "a brigantine"));
  await write("hebrew", ["מה זה מפרש?", "מפרש הוא בד. A schooner."]);
  await write("hostile", [`${hostile} schooner`, "I see."]);
  await store.close();
}

beforeAll(async () => {
  if (!browser) return;
  stage = await openPageStage(browser as Browser, { prepare: ({ data }) => writePast(data) });
  tab = await stage.open();
}, 300_000);
afterAll(async () => {
  await stage?.[Symbol.asyncDispose]();
  await browser?.close();
});

describe.skipIf(!browser)("the search over all conversations", () => {
  const field = () => tab.page.getByRole("searchbox", { name: "Search conversations" });
  const results = () => tab.page.getByRole("region", { name: "Found in messages" });
  const isInMiddle = (text: string) =>
    tab.page.getByRole("log").evaluate((log, wanted) => {
      const { top, bottom } = log.getBoundingClientRect();
      const sought = log.querySelector("[data-sought]");
      const place = sought?.getBoundingClientRect();
      return place !== undefined && sought?.textContent?.includes(wanted) === true && place.top >= top && place.bottom <= bottom;
    }, text);

  it("lists messages by conversation, with the words marked, and what others wrote stays text", async () => {
    const { page } = tab;
    await page.keyboard.press("Alt+k");
    await page.keyboard.type("SCHOON");
    await results().getByText("4 messages in 3 conversations.").waitFor();
    const groups = results().getByRole("region");
    expect(await groups.count()).toBe(3);
    expect(await results().locator("mark").allTextContents()).toEqual(["schoon", "schoon", "schoon", "schoon"]);
    await results().getByText(`${shownHostile} schooner`).waitFor();
    expect(await results().locator("img").count()).toBe(0);
    expect(await violations(page)).toEqual([]);
    await takeAside(page, "search.png");
    await field().fill("uberfahrt");
    await results().getByText("1 message in 1 conversation.").waitFor();
    expect(await results().locator("mark").allTextContents()).toEqual(["Überfahrt"]);
    await field().fill("no such words");
    await results().getByText("No message has these words.").waitFor();
    // Nothing but signs is not searched for.
    await field().fill("?!");
    await results().waitFor({ state: "detached" });
  });

  it("leads by keyboard alone to a message among ten thousand, and stays there", async () => {
    const { page, answers, box } = tab;
    await page.keyboard.press("Alt+k");
    await field().fill("marianne");
    await results().getByText("1 message in 1 conversation.").waitFor();
    await page.keyboard.press("ArrowDown");
    await results().getByRole("link").first().and(page.locator(":focus")).waitFor();
    await page.keyboard.press("ArrowUp");
    await field().and(page.locator(":focus")).waitFor();
    await page.keyboard.press("Enter");
    await answers.getByText("left at dawn").waitFor();
    await expect.poll(() => isInMiddle("left at dawn"), { timeout: 30_000 }).toBe(true);
    await page.locator("article[data-sought]:focus").waitFor();
    await takeAside(page, "search-jump.png");
    // Its neighbours are there as well, and nothing pulls the list to its end.
    await tab.questions.getByText("Überfahrt of the schooner").waitFor();
    await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
    expect(await isInMiddle("left at dawn")).toBe(true);
    await tab.button("Jump to latest").click();
    await answers.getByText(`message ${count} of the log`).waitFor();
    // The same one again, from the end of the same conversation.
    await results().getByRole("link").first().click();
    await expect.poll(() => isInMiddle("left at dawn"), { timeout: 30_000 }).toBe(true);
    // From another conversation to it, both of which are held already: the message has the focus, not the box.
    await field().fill("schooner");
    await results()
      .getByRole("link", { name: /A schooner/ })
      .click();
    await page.locator("article[data-sought]:focus").getByText("A schooner").waitFor();
    await results()
      .getByRole("link", { name: /left at dawn/ })
      .click();
    await page.locator("article[data-sought]:focus").getByText("left at dawn").waitFor();
    await page.keyboard.press("Alt+m");
    await box.and(page.locator(":focus")).waitFor();
  });

  it("stays at the message also where everything is drawn at once, and when the window changes", async () => {
    const { page } = tab;
    await field().fill("brigantine");
    await results()
      .getByRole("link", { name: /brigantine/ })
      .click();
    await expect.poll(() => isInMiddle("brigantine"), { timeout: 30_000 }).toBe(true);
    await page.evaluate(async (frames) => {
      for (let at = 0; at < frames; at++) await new Promise(requestAnimationFrame);
    }, shellLimits.shellSoughtFrames + 5);
    await page.setViewportSize({ width: 1_100, height: 780 });
    await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
    expect(await isInMiddle("brigantine")).toBe(true);
    await page.setViewportSize({ width: 1_100, height: 800 });
  });

  it("is left by Escape, and all conversations are listed again", async () => {
    const { page, conversations } = tab;
    await field().fill("marianne");
    await results().getByRole("link").first().focus();
    await page.keyboard.press("Escape");
    await results().waitFor({ state: "detached" });
    await field().and(page.locator(":focus")).waitFor();
    await expect.poll(() => conversations.count(), { timeout: 30_000 }).toBe(4);
  });

  it("is for everybody: dark, 400 px wide, at twice the size, with text from right to left", async () => {
    const { page } = tab;
    await page.setViewportSize({ width: 400, height: 740 });
    await page.emulateMedia({ colorScheme: "dark", reducedMotion: "reduce" });
    await page.keyboard.press("Alt+k");
    await field().and(page.locator(":focus")).waitFor();
    await page.keyboard.type("מפרש");
    await results().getByText("2 messages in 1 conversation.").waitFor();
    expect(
      await results()
        .locator("mark")
        .first()
        .evaluate((mark) => getComputedStyle(mark.parentElement as Element).direction),
    ).toBe("rtl");
    expect(await violations(page)).toEqual([]);
    await takeAside(page, "search-narrow-dark.png");
    await results().getByRole("link").last().click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.locator("article[data-sought]:focus").waitFor();
    const room = await tab.answers.getByText("מפרש הוא בד").evaluate((element) => {
      const text = document.createRange();
      text.selectNodeContents(element);
      const [around, inside] = [element.getBoundingClientRect(), text.getBoundingClientRect()];
      return { left: inside.left - around.left, right: around.right - inside.right };
    });
    expect(room.right).toBeLessThan(2);
    expect(room.left).toBeGreaterThan(10);
    // As a browser zooms: half as many pixels of the page.
    await page.setViewportSize({ width: 550, height: 400 });
    expect(await pageScrolls(page)).toBe(false);
    await page.emulateMedia({ colorScheme: "light" });
    await page.setViewportSize({ width: 1_100, height: 800 });
  });
});
