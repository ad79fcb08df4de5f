// What was changed in files, reviewed in a real browser: by turn and by file, inline and side by side, taken back and brought back.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { pageScrolls, tabTo, violations } from "./accessible.ts";
import { launchOrExplain } from "./browser.ts";
import { takeAside } from "./pictures.ts";
import { shareShell, type PageStage } from "./stage.ts";
import type { Tab } from "./tab.ts";

const browser = await launchOrExplain();
afterAll(() => browser?.close());
const openStage = shareShell(browser);

const notes = `${Array.from({ length: 30 }, (_, at) => `line ${at + 1}`).join("\n")}\n`;

async function allow({ approval, say, untilIdle }: Tab, message: string): Promise<void> {
  await say(message);
  await approval.getByRole("button", { name: "Allow once" }).click();
  await untilIdle();
}

/** Two turns: one file changed in both, one made in the second. */
async function makeChanges(stage: PageStage): Promise<Tab> {
  const tab = await stage.open();
  await allow(tab, 'replace "line 12" with "line twelve" in notes.txt');
  await allow(tab, 'replace "line 13" with "line thirteen" in notes.txt');
  await allow(tab, 'write "hello" to hello.txt');
  return tab;
}

describe.skipIf(!browser)("the review of changes", () => {
  it("shows each file with numbers and neighbours, takes back a file or everything, and leads back each time", async () => {
    await using stage = await openStage({ files: { "notes.txt": notes } });
    const { page } = await makeChanges(stage);
    const read = (name: string): string | undefined =>
      existsSync(join(stage.work, name)) ? readFileSync(join(stage.work, name), "utf8") : undefined;
    const changed = notes.replace("line 12", "line twelve").replace("line 13", "line thirteen");
    await page.keyboard.press("Alt+r");
    const dialog = page.getByRole("dialog", { name: "Changes" });
    const first = dialog.getByRole("group", { name: 'replace "line 12" with "line twelve" in notes.txt' });
    const lines = first.getByRole("group", { name: "Change in notes.txt" });
    await lines.getByText("line twelve").waitFor();
    const flat = async () => (await lines.innerText()).replaceAll(/\s+/g, " ");
    expect(await flat()).toContain(
      "8 lines that stay 9 9 line 9 10 10 line 10 11 11 line 11 12 − removed: line 12 12 + added: line twelve",
    );
    expect(await violations(page)).toEqual([]);
    await takeAside(page, "review-inline.png");
    await dialog.getByText("Side by side").click();
    await expect.poll(flat, { timeout: 30_000 }).toContain("12 − removed: line 12 12 + added: line twelve 13 line 13 13 line 13");
    await takeAside(page, "review-sides.png");

    // An earlier turn lies below a later one: what can't be taken back alone stays, and says why.
    await first.getByRole("button", { name: "Take back notes.txt" }).click();
    await dialog.getByRole("list", { name: "Left as they are" }).getByText("notes.txt was left as it is").waitFor();
    expect(read("notes.txt")).toBe(changed);

    // The choices are kept.
    await dialog.getByText("By file").click();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Changes", exact: true }).click();
    const file = dialog.getByRole("group", { name: "notes.txt", exact: true });
    expect(await dialog.getByRole("radio", { name: "Side by side" }).isChecked()).toBe(true);
    // Both turns of one file.
    await file.getByRole("button", { name: "Take back notes.txt" }).first().click();
    await expect.poll(() => read("notes.txt"), { timeout: 30_000 }).toBe(notes);
    await file.getByText("changed, taken back").nth(1).waitFor();
    expect(read("hello.txt")).toBe("hello");
    await takeAside(page, "review-taken-back.png");
    await dialog.getByRole("status").getByRole("button", { name: "Undo" }).click();
    await expect.poll(() => read("notes.txt"), { timeout: 30_000 }).toBe(changed);

    await dialog.getByRole("button", { name: "Take everything back" }).click();
    await expect.poll(() => [read("notes.txt"), read("hello.txt")], { timeout: 30_000 }).toEqual([notes, undefined]);
    await dialog.getByRole("button", { name: "Bring everything back" }).click();
    await expect.poll(() => [read("notes.txt"), read("hello.txt")], { timeout: 30_000 }).toEqual([changed, "hello"]);
  });

  it("leaves alone what was changed since, waits while a turn runs, and is for everybody", async () => {
    const view = { viewport: { width: 400, height: 740 }, colorScheme: "dark" as const };
    await using stage = await openStage({ files: { "notes.txt": notes }, view });
    const tab = await stage.open();
    const { page, approval, box, say, untilIdle } = tab;
    await page.keyboard.press("Alt+r");
    const dialog = page.getByRole("dialog", { name: "Changes" });
    await dialog.getByText("Nothing was changed in this conversation.").waitFor();
    await takeAside(page, "review-empty-narrow.png");
    await page.keyboard.press("Escape");
    await allow(tab, 'replace "line 12" with "line twelve" in notes.txt');
    writeFileSync(join(stage.work, "notes.txt"), "mine\n");
    await box.fill("/changes");
    await box.press("Enter");
    await dialog.getByRole("group", { name: "Change in notes.txt" }).getByText("line twelve").waitFor();
    expect(await violations(page)).toEqual([]);
    expect(await pageScrolls(page)).toBe(false);
    await tabTo(page, "Tab", () => document.activeElement?.getAttribute("aria-label") === "Take back notes.txt");
    await page.keyboard.press("Enter");
    await dialog.getByRole("list", { name: "Left as they are" }).getByText("notes.txt").waitFor();
    await takeAside(page, "review-conflict-narrow.png");
    expect(readFileSync(join(stage.work, "notes.txt"), "utf8")).toBe("mine\n");
    await page.keyboard.press("Escape");
    await say('write "x" to x.txt');
    await approval.waitFor();
    await page.keyboard.press("Alt+r");
    await dialog.getByText("Changes can be taken back when the answer has ended.").waitFor();
    await dialog.getByRole("button", { name: "Take back notes.txt", disabled: true }).waitFor();
    await page.keyboard.press("Escape");
    await approval.getByRole("button", { name: "Deny" }).click();
    await untilIdle();
  });
});
