// A disk without room under the app: what can't be written is said where it was wanted, what was there before
// stays, nothing ends; and with room again all goes on.

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startApp } from "./bare-app.ts";
import { answers, box, button, field, say, settingsDialog, status, untilIdle, withText } from "./page.ts";
import { stillRunning, treeOf } from "./process-tree.ts";
import { openDesktop } from "./stage.ts";
import { application, prepare } from "./surroundings.ts";
import { mountTinyDisk, whyNoTinyDisk } from "./tiny-disk.ts";
import type { WebDriver } from "./web-driver.ts";

const reason = whyNoTinyDisk();
if (reason !== undefined) console.log(`the tests with a full disk are skipped: ${reason}`);

const noRoom = "can't be written: No space left on device";
const keyForm = '//form[@aria-label="Anthropic key"]';

async function saveSettings(driver: WebDriver): Promise<void> {
  await driver.click(`${settingsDialog}${button("Save")}`);
}

describe.skipIf(reason !== undefined)("a full disk", () => {
  it("under the settings: the earlier ones stay, and the dialog says so until there is room", async () => {
    using disk = mountTinyDisk(256);
    const folder = join(disk.folder, "dev.hawser.desktop");
    const earlier = JSON.stringify({ model: "offline", theme: "light" });
    mkdirSync(folder);
    writeFileSync(join(folder, "settings.json"), earlier);
    await using stage = await openDesktop({ env: { XDG_CONFIG_HOME: disk.folder } });
    const { driver } = stage;
    await untilIdle(driver);
    disk.fill();
    await driver.click(button("Settings"));
    await driver.type(field("Folders"), stage.work);
    await saveSettings(driver);
    await driver.waitFor(withText(`${settingsDialog}//*[@role="alert"]`, `settings.json ${noRoom}`));
    await driver.type(field("Anthropic"), "sk-full-disk");
    await driver.click(`${keyForm}//button[normalize-space()="Save key"]`);
    await driver.waitFor(withText(keyForm, `keys.json ${noRoom}`));
    expect(readFileSync(join(folder, "settings.json"), "utf8")).toBe(earlier);
    expect(readdirSync(folder).toSorted()).toEqual(["agent.json", "settings.json"]);
    disk.clear();
    await saveSettings(driver);
    await driver.waitForNone(settingsDialog);
    expect(JSON.parse(readFileSync(join(folder, "settings.json"), "utf8"))).toMatchObject({ roots: [stage.work], theme: "light" });
    await driver.waitFor(withText(status, "/work"));
    await untilIdle(driver);
  });

  it("under conversations and attached files: each is told, and the same window goes on when there is room", async () => {
    using disk = mountTinyDisk(8_192);
    await using stage = await openDesktop({ env: { XDG_DATA_HOME: disk.folder } });
    const { driver } = stage;
    await untilIdle(driver);
    const app = stage.app().pid;
    disk.fill();
    await say(driver, "what is 2 + 3?");
    await driver.waitFor(withText("//main", "the history can't be written: ENOSPC"));
    const put = 'return await window.__TAURI_INTERNALS__.invoke("file_put", new Uint8Array(9999), { headers: { "x-file-name": "a" } })';
    expect(await driver.evaluateAsync(put)).toContain(noRoom);
    process.kill((stage.runtime() ?? expect.fail("there is no runtime")).pid, "SIGKILL");
    await driver.waitFor(withText('//*[@role="status"]', "being restarted"));
    await untilIdle(driver);
    disk.clear();
    await say(driver, "what is 20 + 22?");
    await driver.waitFor(withText(answers, "20 + 22 = 42"));
    expect(await driver.evaluateAsync(put)).toMatch(/\/attachments\/[\w-]+\/\d+\/a$/);
    expect(stage.app().pid).toBe(app);
  });

  it("from the very start: the window says what is wrong, and saving the settings is all it takes when there is room", async () => {
    using disk = mountTinyDisk(1_024);
    disk.fill();
    const folders = { XDG_CONFIG_HOME: "config", XDG_DATA_HOME: "data", XDG_CACHE_HOME: "cache" };
    const env = Object.fromEntries(Object.entries(folders).map(([name, folder]) => [name, join(disk.folder, folder)]));
    await using stage = await openDesktop({ env });
    const { driver } = stage;
    await driver.waitFor(box);
    await driver.waitFor(withText('//*[@role="status"]', `agent.json ${noRoom}`));
    disk.clear();
    await driver.click(button("Settings"));
    await driver.waitFor(field("Model"));
    await saveSettings(driver);
    await untilIdle(driver);
    const tree = treeOf(stage.app().pid);
    process.kill(stage.app().pid, "SIGTERM");
    await expect.poll(() => stillRunning(tree), { timeout: 30_000 }).toEqual([]);
    expect(existsSync(join(disk.folder, "config/dev.hawser.desktop/settings.json"))).toBe(true);
  });

  it("under what it prints: nobody reads that, and nothing else is wrong", async () => {
    using disk = mountTinyDisk(64);
    disk.fill();
    await using place = await prepare();
    const log = join(disk.folder, "log");
    const app = startApp(place, ["/bin/sh", "-c", `exec "${application}" --debug-protocol > "${log}" 2>&1`]);
    await expect.poll(() => app.runtime(), { timeout: 60_000 }).toBeDefined();
    const tree = app.tree();
    app.kill("SIGTERM");
    expect(await app.ended).toBe("0");
    await expect.poll(() => stillRunning(tree), { timeout: 30_000 }).toEqual([]);
    expect(readFileSync(log, "utf8")).toBe("");
  });
});
