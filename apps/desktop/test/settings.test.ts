// Settings in the real window: they are kept by the app, reach the runtime, and never bring a key back.

import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { button, field, settingsDialog, status, take, untilIdle, withText } from "./page.ts";
import { openDesktop, type DesktopStage } from "./stage.ts";
import { keys } from "./web-driver.ts";

describe("settings", () => {
  let stage: DesktopStage;
  const stored = (): Record<string, unknown> =>
    JSON.parse(readFileSync(join(stage.folder, "config", "dev.hawser.desktop", "settings.json"), "utf8")) as Record<string, unknown>;
  beforeAll(async () => {
    stage = await openDesktop({ settings: { roots: [], model: "anthropic/claude-sonnet-5-5", theme: "light" } });
  });
  afterAll(() => stage[Symbol.asyncDispose]());

  it("change the theme at once and keep it, in a file of one's own", async () => {
    const { driver } = stage;
    await untilIdle(driver);
    expect(await driver.evaluate("return document.documentElement.dataset.theme")).toBe("light");
    await driver.click(button("Settings"));
    await driver.waitFor(field("Theme"));
    await take(driver, "settings.png");
    await driver.click(`${field("Theme")}/option[@value="dark"]`);
    await driver.click(`${settingsDialog}${button("Save")}`);
    await driver.waitForNone(settingsDialog);
    expect(await driver.evaluate("return document.documentElement.dataset.theme")).toBe("dark");
    expect(stored()).toMatchObject({ theme: "dark" });
    expect(statSync(join(stage.folder, "config", "dev.hawser.desktop", "settings.json")).mode & 0o777).toBe(0o600);
  });

  it("change the model: another runtime answers with it", async () => {
    const { driver } = stage;
    const before = stage.runtime()?.pid;
    await driver.waitFor(withText(status, "claude-sonnet-5-5"));
    await driver.click(button("Settings"));
    await driver.waitFor(field("Model"));
    await driver.clear(field("Model"));
    await driver.type(field("Model"), "offline");
    await driver.click(`${settingsDialog}${button("Save")}`);
    await driver.waitForNone(settingsDialog);
    await expect.poll(() => stage.runtime()?.pid ?? before, { timeout: 30_000 }).not.toBe(before);
    await untilIdle(driver);
    await driver.waitFor(withText("//main", "no key, no network"));
    expect(stored()).toMatchObject({ model: "offline", theme: "dark" });
  });

  it("that can't be are refused with a sentence, and nothing changes", async () => {
    const { driver } = stage;
    const before = stored();
    await driver.click(button("Settings"));
    await driver.waitFor(field("Folders"));
    await driver.clear(field("Folders"));
    await driver.type(field("Folders"), "/no/such/folder");
    await driver.click(`${settingsDialog}${button("Save")}`);
    await driver.waitFor(withText(`${settingsDialog}//*[@role="alert"]`, "/no/such/folder"));
    await driver.type(field("Folders"), keys.escape);
    await driver.waitForNone(settingsDialog);
    expect(stored()).toEqual(before);
  });

  it("take a key into a file that only its owner reads, where there is no keychain, and never show it", async () => {
    const { driver } = stage;
    await driver.click(button("Settings"));
    await driver.type(field("Anthropic"), "sk-desktop-secret");
    await driver.click(`//form[@aria-label="Anthropic key"]//button[normalize-space()="Save key"]`);
    await driver.waitFor(withText('//form[@aria-label="Anthropic key"]', "Kept in a file"));
    expect(String(await driver.evaluate("return document.documentElement.outerHTML"))).not.toContain("sk-desktop-secret");
    expect(JSON.stringify(stored())).not.toContain("sk-desktop-secret");
    expect(stage.log()).not.toContain("sk-desktop-secret");
    await driver.click(`//form[@aria-label="Anthropic key"]//button[normalize-space()="Remove"]`);
    await driver.waitFor(withText('//form[@aria-label="Anthropic key"]', "None yet"));
  });
});
