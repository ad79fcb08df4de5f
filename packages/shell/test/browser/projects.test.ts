// Folders, completion, notifications and export in a real browser: what people do around a conversation every day.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { violations } from "./accessible.ts";
import { launchOrExplain, type Page } from "./browser.ts";
import { takeAside } from "./pictures.ts";
import { shareShell } from "./stage.ts";

const browser = await launchOrExplain();
afterAll(() => browser?.close());
const openStage = shareShell(browser);

/** A folder beside the one in which the agent was started. */
function makeFolder(work: string, name: string, files: Readonly<Record<string, string>>): string {
  const folder = join(dirname(work), name);
  mkdirSync(join(folder, ".hawser"), { recursive: true });
  for (const [file, content] of Object.entries(files)) writeFileSync(join(folder, file), content);
  return folder;
}

describe.skipIf(!browser)("a folder", () => {
  it("is chosen by a path that is completed; the list groups by folders, and a conversation is begun in one", async () => {
    await using stage = await openStage({ files: { "here.txt": "x" } });
    const folder = makeFolder(stage.work, "harbour-log", { "tides.txt": "high at six" });
    const { page, answers, button, say, untilIdle } = await stage.open();
    await say("what is 1 + 1?");
    await answers.getByText("1 + 1 = 2").waitFor();
    await untilIdle();
    await button("New conversation").click();
    await page.keyboard.press("Alt+o");
    const dialog = page.getByRole("dialog", { name: "Folder to work in" });
    await dialog.getByLabel("Path of a folder").fill(join(dirname(stage.work), "harb"));
    await dialog.getByRole("button", { name: /harbour-log/ }).click();
    expect(await violations(page)).toEqual([]);
    await takeAside(page, "folder-dialog.png");
    await dialog.getByRole("button", { name: "Work there" }).click();
    await dialog.waitFor({ state: "detached" });
    await page.getByTitle(`The agent works in ${folder}`).waitFor();
    await say("list the files here");
    await answers.getByText("tides.txt").first().waitFor();
    await untilIdle();
    const project = page.getByRole("region", { name: "Project harbour-log" });
    await project.getByRole("link", { name: "list the files here" }).waitFor();
    await page.getByRole("region", { name: "Project work" }).getByRole("link", { name: "what is 1 + 1?" }).waitFor();
    await takeAside(page, "projects.png");

    // One more there, also from the other one.
    await page.getByRole("region", { name: "Project work" }).getByRole("link").click();
    await answers.getByText("1 + 1 = 2").waitFor();
    await button("New conversation in harbour-log").click();
    await page.getByTitle(`The agent works in ${folder}`).waitFor();
    await say("read the file tides.txt");
    await answers.getByText("high at six").first().waitFor();
    await untilIdle();
    await page.reload();
    await project.getByRole("link").nth(1).waitFor();
    await page.getByTitle(`The agent works in ${folder}`).waitFor();
    expect(await project.getByRole("link").allTextContents()).toEqual(["read the file tides.txt", "list the files here"]);
  });

  it("by keyboard alone: one that brings settings is used with them only when it is trusted, and what can't be used says so", async () => {
    await using stage = await openStage();
    const folder = makeFolder(stage.work, "strange", { ".hawser/agent.json": '{"instructions":"Speak like a pirate."}' });
    const { page, button } = await stage.open();
    await page.keyboard.press("Alt+o");
    const dialog = page.getByRole("dialog", { name: "Folder to work in" });
    const path = dialog.getByLabel("Path of a folder");
    await path.and(page.locator(":focus")).waitFor();
    await page.keyboard.type("strange");
    await page.keyboard.press("Enter");
    await dialog.getByRole("alert").getByText("Write the whole path").waitFor();
    await path.fill(join(folder, "nowhere"));
    await path.press("Enter");
    await dialog
      .getByRole("alert")
      .getByText(/nowhere can't be used/)
      .waitFor();
    await path.fill(folder);
    await path.press("Enter");
    const question = page.getByRole("dialog", { name: "Trust this folder?" });
    await question.getByRole("list", { name: "What the folder brings" }).getByRole("listitem").first().waitFor();
    expect(await violations(page)).toEqual([]);
    await takeAside(page, "trust.png");
    await question.getByRole("button", { name: "Don't trust" }).click();
    await question.waitFor({ state: "detached" });
    await dialog.waitFor({ state: "detached" });
    await page.getByTitle(`The agent works in ${folder}`).waitFor();
    await expect.poll(stage.decisions, { timeout: 30_000 }).toEqual([["deny", expect.anything()]]);
    expect(await button("Dismiss").count()).toBe(0);
  });
});

describe.skipIf(!browser)("while a message is written", () => {
  it("an @ finds files, and the one that is taken goes along; Escape closes the list and nothing else", async () => {
    await using stage = await openStage({ files: { "src/berths.ts": "export const depth = 3;\n", "notes.txt": "x" } });
    const { page, box, answers, questions, untilIdle } = await stage.open();
    await box.fill("");
    await page.keyboard.type("what is in this file? @BER");
    const files = page.getByRole("listbox", { name: "Files" });
    await files.getByRole("option", { name: "src/berths.ts" }).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await files.waitFor({ state: "detached" });
    expect(await box.inputValue()).toBe("what is in this file? @BER");
    await page.keyboard.press("Backspace");
    await page.keyboard.press("Backspace");
    await page.keyboard.press("Backspace");
    await page.keyboard.press("Backspace");
    await page.keyboard.type("@");
    await files.getByRole("option", { name: "notes.txt" }).waitFor();
    await page.keyboard.type("bert");
    await files.getByRole("option", { name: "src/berths.ts" }).waitFor();
    await takeAside(page, "completion-files.png");
    await page.keyboard.press("Enter");
    expect(await box.inputValue()).toBe("what is in this file? @src/berths.ts ");
    await page.getByRole("button", { name: "Remove src/berths.ts" }).waitFor();
    await page.keyboard.press("Enter");
    await questions.getByText("@src/berths.ts").waitFor();
    await answers.last().getByText("depth = 3").waitFor();
    await untilIdle();
    expect(await questions.getByRole("list", { name: "Attachments" }).innerText()).toBe("berths.ts");
  });

  it("a slash offers what the page can do, and other texts behind a slash go to the agent", async () => {
    await using stage = await openStage();
    const { page, box, questions, answers, untilIdle } = await stage.open();
    await box.fill("");
    await page.keyboard.type("/ke");
    await page
      .getByRole("listbox", { name: "Commands" })
      .getByRole("option", { name: /\/keys/ })
      .waitFor();
    await takeAside(page, "completion-commands.png");
    await page.keyboard.press("Tab");
    await page.getByRole("dialog", { name: "Keys" }).waitFor();
    await page.keyboard.press("Escape");
    expect(await box.inputValue()).toBe("");
    await box.focus();
    await page.keyboard.type("/help");
    await page.keyboard.press("Enter");
    await questions.getByText("/help").waitFor();
    await answers.getByText("This is what I understand").waitFor();
    await untilIdle();
  });
});

describe.skipIf(!browser)("a conversation", () => {
  it("is saved as Markdown, with what was said and which tools were used", async () => {
    await using stage = await openStage({ files: { "notes.txt": "harbour" } });
    const { page, button, say, untilIdle } = await stage.open();
    await say("read the file notes.txt");
    await untilIdle();
    const [download] = await Promise.all([page.waitForEvent("download"), button("Save as Markdown").click()]);
    expect(download.suggestedFilename()).toBe("read-the-file-notes-txt.md");
    const text = readFileSync(await download.path(), "utf8");
    expect(text).toMatch(/^# read the file notes\.txt\n\n## You\n\nread the file notes\.txt\n\n## Agent\b/);
    expect(text).toContain("> Tool `read_file notes.txt`");
  });
});

/** Records what the page would show, as a browser with leave would. */
const recordNotifications = (page: Page): Promise<unknown> =>
  page.addInitScript(() => {
    const shown: unknown[] = [];
    class Recorded extends EventTarget {
      static permission = "default";
      static async requestPermission(): Promise<string> {
        return (Recorded.permission = "granted");
      }
      constructor(title: string, options: object) {
        super();
        shown.push({ title, ...options });
      }
      close(): void {}
    }
    Object.assign(globalThis, { Notification: Recorded, shown, isHidden: false });
    Object.defineProperty(document, "hidden", { get: () => (globalThis as unknown as { isHidden: boolean }).isHidden });
  });

describe.skipIf(!browser)("a hidden tab", () => {
  it("says that a turn has ended or asks, but only to those who have asked for it", async () => {
    await using stage = await openStage();
    const { page, approval, button, say, status, untilIdle } = await stage.open();
    await recordNotifications(page);
    await page.reload();
    await status.getByText("idle").waitFor();
    const shown = (): Promise<{ title: string; body: string }[]> => page.evaluate("shown");
    const hide = (isHidden: boolean): Promise<void> => page.evaluate(`isHidden = ${isHidden}`);
    await hide(true);
    await say("what is 1 + 1?");
    await untilIdle();
    expect(await shown()).toEqual([]);
    await hide(false);
    await button("Notify me when the tab is hidden").click();
    await page.getByRole("button", { name: "Notify me when the tab is hidden", pressed: true }).waitFor();
    await say("what is 2 + 2?");
    await untilIdle();
    expect(await shown()).toEqual([]);
    await hide(true);
    await say('write "hello" to hello.txt');
    await expect
      .poll(async () => (await shown()).map(({ body }) => body), { timeout: 30_000 })
      .toEqual(["The agent asks you before it goes on."]);
    await approval.getByRole("button", { name: "Deny" }).click();
    await expect.poll(async () => (await shown()).length, { timeout: 30_000 }).toBe(2);
    expect((await shown())[1]).toMatchObject({ title: "what is 1 + 1?" });
    await untilIdle();
  });
});
