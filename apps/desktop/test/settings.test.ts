// Settings in the real window: they are kept by the app, reach the runtime, and never bring a key back.

import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { box, button, field, settingsDialog, status, take, untilIdle, withText } from "./page.ts";
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
    await expect.poll(() => driver.evaluate("return document.documentElement.dataset.theme")).toBe("light");
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

  it("keep the theme that a key has chosen, and nothing else of it", async () => {
    const { driver } = stage;
    const before = stored();
    await driver.type(box, `${keys.alt}l${keys.nothing}`);
    await expect.poll(() => stored()["theme"], { timeout: 20_000 }).toBe("system");
    expect(stored()).toEqual({ ...before, theme: "system" });
    // Faster than anything is drawn or written.
    const press = 'document.body.dispatchEvent(new KeyboardEvent("keydown", { altKey: true, code: "KeyL", bubbles: true }));';
    await driver.evaluate(`${press} ${press}`);
    await expect.poll(() => stored()["theme"], { timeout: 20_000 }).toBe("dark");
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

it("a theme is kept beside a folder that is gone", async () => {
  await using stage = await openDesktop({ settings: { roots: ["/no/longer/there"], theme: "light" } });
  const path = join(stage.folder, "config", "dev.hawser.desktop", "settings.json");
  await stage.driver.waitFor(box);
  await expect.poll(() => stage.driver.evaluate("return document.documentElement.dataset.theme")).toBe("light");
  await stage.driver.type(box, `${keys.alt}l${keys.nothing}`);
  await expect.poll(() => readFileSync(path, "utf8"), { timeout: 20_000 }).toMatch(/"theme": "dark"/);
  expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({ model: "offline", roots: ["/no/longer/there"] });
});

it("a file that can't be used stays as it is when only the theme is changed", async () => {
  await using stage = await openDesktop({ home: { "config/dev.hawser.desktop/settings.json": "{ mine" } });
  const { driver } = stage;
  await driver.waitFor(box);
  await driver.type(box, `${keys.alt}l${keys.nothing}`);
  await expect.poll(() => driver.evaluate("return document.documentElement.dataset.theme ?? ''")).toBe("light");
  expect(await driver.evaluateAsync(`return window.__TAURI_INTERNALS__.invoke("theme_set", { theme: "dark" })`)).toContain(
    "the usual settings are used instead",
  );
  expect(readFileSync(join(stage.folder, "config", "dev.hawser.desktop", "settings.json"), "utf8")).toBe("{ mine");
});

it("a keychain that does not answer holds up neither the page nor its theme, and the dialog says that it is asked", async () => {
  const service = "[D-BUS Service]\nName=org.freedesktop.secrets\nExec=/bin/sleep 1000\n";
  await using stage = await openDesktop({
    settings: { theme: "dark" },
    home: { "data/dbus-1/services/org.freedesktop.secrets.service": service },
  });
  const { driver } = stage;
  await driver.waitFor(box);
  await expect.poll(() => driver.evaluate("return document.documentElement.dataset.theme")).toBe("dark");
  // The agent waits for its keys; nobody else does.
  expect(stage.runtime()).toBeUndefined();
  await driver.click(button("Settings"));
  await driver.waitFor(field("Model"));
  await driver.waitFor(withText('//form[@aria-label="Anthropic key"]', "Asking the system's keychain"));
});

it("a rule that the agent can't use is refused in its own words, by itself and by the dialog, which is the way back", async () => {
  const rule = { tool: "write_file", match: { path: "" }, decision: "ask" };
  await using stage = await openDesktop({ settings: { permissionRules: [rule, 7] } });
  const { driver } = stage;
  const words = "has a match.path that is neither a pattern nor a list of patterns";
  await driver.waitFor(withText('//*[@role="status"]', `permissions[0] ${words}`));
  await driver.waitFor(withText('//*[@role="status"]', "Fix the settings"));
  await driver.click(button("Settings"));
  // What is no rule at all is there to be removed.
  await driver.click(button("Remove rule 2"));
  await driver.click(`${settingsDialog}${button("Save")}`);
  await driver.waitFor(withText(`${settingsDialog}//*[@role="alert"]`, `Rule 1 ${words}`));
  const matches = '//*[@aria-label="Rule 1"]//*[@aria-label="Matches"]';
  await driver.clear(matches);
  await driver.type(matches, '{"path": "docs/**"}');
  await driver.click(`${settingsDialog}${button("Save")}`);
  await driver.waitForNone(settingsDialog);
  await untilIdle(driver);
  const path = join(stage.folder, "config", "dev.hawser.desktop", "settings.json");
  expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({ permissionRules: [{ ...rule, match: { path: "docs/**" } }] });
});
