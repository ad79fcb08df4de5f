// Keys in a real keychain, from the real window: kept there and nowhere else, given to the agent, still there
// after a restart, and removed when that is wished. One that is locked is no keychain that is missing.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { keyringHome, startKeyring, whyNoKeyring, type Keyring } from "./keyring.ts";
import { button, settingsDialog, field, untilIdle, withText } from "./page.ts";
import { stillRunning, treeOf } from "./process-tree.ts";
import { openDesktop, type DesktopStage } from "./stage.ts";
import type { WebDriver } from "./web-driver.ts";

const reason = whyNoKeyring();
if (reason !== undefined) console.log(`the tests with a real keychain are skipped: ${reason}`);

const secret = "sk-real-keychain-secret";
const name = "ANTHROPIC_API_KEY";
const form = '//form[@aria-label="Anthropic key"]';
const patience = { timeout: 30_000 };

/** The key with which the present runtime was started; empty for none. */
function keyOfRuntime(stage: DesktopStage): string | undefined {
  const pid = stage.runtime()?.pid;
  if (pid === undefined) return undefined;
  const variables = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
  return variables.find((variable) => variable.startsWith(`${name}=`))?.slice(name.length + 1) ?? "";
}

/** Files below the folder that contain the text, in whatever they are. */
function filesWith(folder: string, text: string): string[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.map((entry) => join(entry.parentPath, entry.name)).filter((path) => readFileSync(path).includes(text));
}

async function saveKey(driver: WebDriver, key: string): Promise<void> {
  await driver.type(field("Anthropic"), key);
  await driver.click(`${form}//button[normalize-space()="Save key"]`);
}

async function expectUnseen({ log, folder }: DesktopStage, driver: WebDriver): Promise<void> {
  expect(String(await driver.evaluate("return document.documentElement.outerHTML"))).not.toContain(secret);
  const values = "return [...document.querySelectorAll('input')].map(({ value }) => value).join()";
  expect(String(await driver.evaluate(values))).not.toContain(secret);
  expect(log()).not.toContain(secret);
  expect(filesWith(folder, secret)).toEqual([]);
}

describe.skipIf(reason !== undefined)("a key in the system's keychain", () => {
  let stage: DesktopStage;
  let keyring: Keyring;
  let driver: WebDriver;
  beforeAll(async () => {
    stage = await openDesktop({
      home: keyringHome,
      args: ["--debug-protocol"],
      async prepared(place) {
        keyring = await startKeyring(place);
      },
    });
    driver = stage.driver;
    await untilIdle(driver);
  });
  afterAll(async () => {
    if (driver !== stage?.driver) await driver?.end().catch(() => {});
    await stage?.[Symbol.asyncDispose]();
  });

  it("is kept there and nowhere else, and the agent is started again with it", async () => {
    expect(keyOfRuntime(stage)).toBe("");
    await driver.click(button("Settings"));
    await driver.waitFor(withText(form, "None yet"));
    await saveKey(driver, secret);
    await driver.waitFor(withText(form, "Kept in the system's keychain."));
    expect(keyring.read(name)).toBe(secret);
    await expect.poll(() => keyOfRuntime(stage), patience).toBe(secret);
    await expectUnseen(stage, driver);
    await driver.click(`${settingsDialog}${button("Close")}`);
    await untilIdle(driver);
  });

  it("is still there after a restart of the app and of the keychain", async () => {
    const tree = treeOf(stage.app().pid);
    process.kill(stage.app().pid, "SIGTERM");
    await expect.poll(() => stillRunning(tree), patience).toEqual([]);
    await driver.end().catch(() => {});
    await keyring.end();
    keyring = await startKeyring(stage);
    driver = await stage.reopen();
    await untilIdle(driver);
    expect(keyOfRuntime(stage)).toBe(secret);
    await driver.click(button("Settings"));
    await driver.waitFor(withText(form, "Kept in the system's keychain."));
    await expectUnseen(stage, driver);
  });

  it("is replaced by another one, and removed when that is wished", async () => {
    await saveKey(driver, "sk-the-next-one");
    await expect.poll(() => keyring.read(name), patience).toBe("sk-the-next-one");
    await expect.poll(() => keyOfRuntime(stage), patience).toBe("sk-the-next-one");
    await driver.click(`${form}//button[normalize-space()="Remove"]`);
    await driver.waitFor(withText(form, "None yet"));
    expect(keyring.read(name)).toBe("");
    await expect.poll(() => keyOfRuntime(stage), patience).toBe("");
  });
});

describe.skipIf(reason !== undefined)("a keychain that is locked, and is not opened", () => {
  it("keeps its key: the agent runs without, and neither another key nor its removal is pretended", async () => {
    await using stage = await openDesktop({
      home: keyringHome,
      async prepared(place) {
        const open = await startKeyring(place);
        open.write(name, secret);
        await open.end();
        await startKeyring(place, "locked");
      },
    });
    const { driver } = stage;
    await untilIdle(driver);
    expect(keyOfRuntime(stage)).toBe("");
    await driver.click(button("Settings"));
    await driver.waitFor(withText(form, "None yet"));
    await saveKey(driver, "sk-not-in-a-file");
    await driver.waitFor(withText(form, "the keychain is locked"));
    expect(filesWith(stage.folder, "sk-not-in-a-file")).toEqual([]);
    const removed = await driver.evaluateAsync('await window.__TAURI_INTERNALS__.invoke("key_set", { vendor: "anthropic", key: "" })');
    expect(removed).toContain("rejected: the keychain is locked");
  });
});
