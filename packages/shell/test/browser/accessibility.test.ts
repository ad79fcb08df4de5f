// The page for everybody, in a real browser: without a pointer, with a screen reader's rules (axe), in light
// and dark, and on a narrow screen.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { pageScrolls, tabTo, violations } from "./accessible.ts";
import { launchOrExplain, type Page } from "./browser.ts";
import { shareShell } from "./stage.ts";

const browser = await launchOrExplain();
afterAll(() => browser?.close());
const openStage = shareShell(browser);

const looks = [
  { name: "in light and dark", view: {}, schemes: ["dark", "light"] as const },
  { name: "360 px wide", view: { viewport: { width: 360, height: 740 } }, schemes: ["light"] as const },
];

describe.skipIf(!browser)("axe finds nothing", () => {
  it.each(looks)(
    "in any state of the page, $name; and the page itself never scrolls",
    async ({ view, schemes }) => {
      const files = { "notes.md": `# Notes\n\n${"a-line-without-a-space_".repeat(20)}\n` };
      await using stage = await openStage({ view, files });
      const { page, approval, button, toolCard, say, untilIdle } = await stage.open();
      const found: Record<string, readonly string[]> = {};
      const scrolling: string[] = [];
      async function check(state: string): Promise<void> {
        // In the dark only the colours are others.
        for (const colorScheme of schemes) {
          await page.emulateMedia({ colorScheme });
          found[`${state}, ${colorScheme}`] = await violations(page, colorScheme === "dark" ? "of colours" : undefined);
        }
        if (await pageScrolls(page)) scrolling.push(state);
      }
      await check("empty");
      await say("read the file notes.md");
      await untilIdle();
      await toolCard("read_file").getByRole("button").first().click();
      await say('write "hello" to hello.txt');
      await approval.waitFor();
      await check("question");
      await approval.getByRole("button", { name: "Deny" }).click();
      await untilIdle();
      await check("failed tool");
      await button("Wire view").click();
      const wire = page.getByRole("complementary", { name: "Protocol messages" });
      await wire.getByRole("listitem").getByText("tool_result").first().click();
      await check("wire view");
      await button("Close wire view").click();
      // Last, since it has hundreds of tokens, each a row of the wire view.
      await say("what can you do?");
      await untilIdle();
      await check("conversation");
      await button("Keys").click();
      await page.getByRole("dialog", { name: "Keys" }).waitFor();
      await check("keys");
      expect(found).toEqual(Object.fromEntries(Object.keys(found).map((state) => [state, []])));
      expect(scrolling).toEqual([]);
    },
    400_000,
  );
});

describe.skipIf(!browser)("light and dark", () => {
  const background = (page: Page): Promise<string> => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  async function untilBackground(page: Page, colour: string): Promise<void> {
    await expect.poll(() => background(page), { timeout: 30_000 }).toBe(colour);
  }

  it("follow the system, can be chosen, and the choice stays", async () => {
    await using stage = await openStage({ view: { colorScheme: "light" } });
    const { page, button, status } = await stage.open();
    const light = await background(page);
    await page.emulateMedia({ colorScheme: "dark" });
    await expect.poll(() => background(page), { timeout: 30_000 }).not.toBe(light);
    const dark = await background(page);
    await button("Theme: system").click();
    await button("Theme: light").waitFor();
    await untilBackground(page, light);
    await page.reload();
    await status.getByText("idle").waitFor();
    await button("Theme: light").waitFor();
    await untilBackground(page, light);
    await button("Theme: light").click();
    await page.emulateMedia({ colorScheme: "light" });
    await untilBackground(page, dark);
  });
});

describe.skipIf(!browser)("by keyboard alone", () => {
  it("a message is sent, a tool card opened, a conversation begun, changed and found, and the list of keys read", async () => {
    await using stage = await openStage({ files: { "notes.txt": "harbour" } });
    const { page, answers, conversations, toolCard, untilIdle } = await stage.open();
    const { keyboard } = page;
    await page.locator("textarea:focus").waitFor();
    await keyboard.type("read the file notes.txt");
    await keyboard.press("Enter");
    await answers.getByText("harbour").waitFor();
    await untilIdle();
    await tabTo(page, "Shift+Tab", () => document.activeElement?.textContent?.startsWith("read_file") ?? false);
    await keyboard.press("Enter");
    await toolCard("read_file").getByRole("region", { name: "notes.txt" }).waitFor();

    await keyboard.press("Alt+n");
    await page.getByText("no key, no network").waitFor();
    await page.locator("textarea:focus").waitFor();
    await keyboard.type("what is 1 + 1?");
    await keyboard.press("Enter");
    await answers.getByText("1 + 1 = 2").waitFor();
    await conversations.nth(1).waitFor();
    await keyboard.press("Alt+ArrowDown");
    await answers.getByText("harbour").first().waitFor();
    await keyboard.press("Alt+ArrowUp");
    await answers.getByText("1 + 1 = 2").waitFor();

    await keyboard.press("Alt+/");
    await page.getByRole("dialog", { name: "Keys" }).getByText("New conversation").waitFor();
    await keyboard.press("Escape");
    await page.getByRole("dialog", { name: "Keys" }).waitFor({ state: "detached" });
    await keyboard.press("Alt+k");
    await page.locator("input:focus").and(page.getByLabel("Search conversations")).waitFor();
    await keyboard.type("notes");
    await conversations.getByText("1 + 1").waitFor({ state: "detached" });
    await keyboard.press("Tab");
    await keyboard.press("F2");
    await page.locator("input:focus").and(page.getByLabel("New title")).waitFor();
    await keyboard.type("Renamed");
    await keyboard.press("Enter");
    // It is no longer what is searched for. Until it is gone, the focus may still come back to it, and with it a key of ours.
    await conversations.first().waitFor({ state: "detached" });
    await page.getByRole("searchbox", { name: "Search conversations" }).fill("");
    await conversations.getByText("Renamed").waitFor();
    await expect.poll(() => conversations.count(), { timeout: 30_000 }).toBe(2);
  });

  it("a question is heard while the focus stays, and is answered by going to a button, after which the focus is back", async () => {
    await using stage = await openStage();
    const { page, approval, say, untilIdle } = await stage.open();
    const focused = page.locator("textarea:focus");
    await say('write "yes" to one.txt');
    await page.getByRole("alert").getByText("The agent asks for permission.").waitFor();
    await focused.waitFor();
    // Until a moment has passed, the buttons can't be reached.
    await approval.getByRole("button", { name: "Allow once" }).and(page.locator(":enabled")).waitFor();
    await tabTo(page, "Shift+Tab", () => document.activeElement?.textContent?.startsWith("Allow once") ?? false);
    await page.keyboard.press("Enter");
    await untilIdle();
    await focused.waitFor();
    expect(existsSync(join(stage.work, "one.txt"))).toBe(true);
    await expect.poll(stage.decisions, { timeout: 30_000 }).toEqual([["allow", "key"]]);
  });

  it("a conversation is deleted after a question, and kept when the question is left with Escape", async () => {
    await using stage = await openStage();
    const { page, conversations, say, untilIdle } = await stage.open();
    await say("what is 1 + 1?");
    await untilIdle();
    await conversations.first().focus();
    await page.keyboard.press("Delete");
    await page.getByRole("dialog", { name: "Delete conversation" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(await conversations.count()).toBe(1);
    await conversations.first().focus();
    await page.keyboard.press("Delete");
    await page.getByRole("dialog", { name: "Delete conversation" }).waitFor();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await conversations.first().waitFor({ state: "detached" });
  });
});

describe.skipIf(!browser)("at 360 px", () => {
  it("the list of conversations is a drawer, and a conversation can be led to its end", async () => {
    await using stage = await openStage({ view: { viewport: { width: 360, height: 740 }, hasTouch: true } });
    const { page, answers, approval, conversations, button, say, untilIdle } = await stage.open();
    // The first words are to be read from their beginning, though they are longer than the screen.
    const log = page.getByRole("log");
    await page.getByText("no key, no network").waitFor();
    expect(await log.evaluate((element) => [element.scrollTop, element.scrollHeight > element.clientHeight])).toEqual([0, true]);
    await say("what is 1 + 1?");
    await answers.getByText("1 + 1 = 2").waitFor();
    await button("Show conversations").click();
    await button("New conversation").click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await say('write "hello" to hello.txt');
    await approval.getByRole("button", { name: "Allow once" }).click();
    await untilIdle();
    expect(existsSync(join(stage.work, "hello.txt"))).toBe(true);
    await button("Show conversations").click();
    await conversations.getByText("what is 1 + 1?").click();
    await answers.getByText("1 + 1 = 2").waitFor();
    expect(await pageScrolls(page)).toBe(false);
  });
});
