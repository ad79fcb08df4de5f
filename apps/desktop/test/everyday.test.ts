// What people do every day, in the real window, with vendors that are scripted on loopback: a key that is tested and makes its models
// usable, a server of models, a folder to work in, changes that are reviewed and taken back, and the search.

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startScriptedAnthropic } from "../../../test/kit/models/scripted-anthropic.ts";
import { startScriptedOpenAI } from "../../../test/kit/models/scripted-openai.ts";
import { takesKey, type ScriptedServer } from "../../../test/kit/models/scripted-server.ts";
import { answers, approval, box, button, field, say, settingsDialog, status, untilIdle, withText } from "./page.ts";
import { openDesktop, type DesktopStage } from "./stage.ts";
import { keys } from "./web-driver.ts";

const key = "sk-desktop-0123456789-abcdefghij";
const anthropicKey = '//form[@aria-label="Anthropic key"]';
const picker = '//button[@aria-haspopup="dialog"][span[1][normalize-space()="Model or agent:"]]';
const dialogNamed = (name: string): string => `//dialog[@aria-label="${name}"]`;

describe("every day, in the window", () => {
  let stage: DesktopStage;
  let anthropic: ScriptedServer;
  let compatible: ScriptedServer;
  const read = (name: string): string | undefined =>
    existsSync(join(stage.work, name)) ? readFileSync(join(stage.work, name), "utf8") : undefined;

  async function pick(model: string): Promise<void> {
    await stage.driver.click(picker);
    await stage.driver.click(`//*[@role="option"][contains(., "${model}")]`);
    await stage.driver.waitFor(withText(picker, model));
  }
  async function closeSettings(): Promise<void> {
    await stage.driver.type(field("Model"), keys.escape);
    await stage.driver.waitForNone(settingsDialog);
  }

  beforeAll(async () => {
    anthropic = await startScriptedAnthropic([{ text: "ahoy from the vendor" }], takesKey(key));
    compatible = await startScriptedOpenAI([{ text: "aye from the server" }], takesKey(key));
    stage = await openDesktop({ files: { "notes.txt": "salt\npepper\n" }, env: { ANTHROPIC_BASE_URL: anthropic.url } });
    await untilIdle(stage.driver);
  });
  afterAll(async () => {
    await stage[Symbol.asyncDispose]();
    await anthropic.close();
    await compatible.close();
  });

  it("a key is tested by the agent that has it, a wrong one is refused, and its models can be used at once", async () => {
    const { driver } = stage;
    await driver.click(button("Settings"));
    await driver.type(field("Anthropic"), "sk-wrong-0123456789");
    await driver.click(`${anthropicKey}//button[normalize-space()="Save key"]`);
    await driver.waitFor(withText(anthropicKey, "anthropic refuses the key (401)"));
    await driver.type(field("Anthropic"), key);
    await driver.click(`${anthropicKey}//button[normalize-space()="Save key"]`);
    await driver.waitFor(withText(anthropicKey, "It works: "));
    await closeSettings();
    await pick("anthropic/claude-sonnet-5-5");
    await say(driver, "hello");
    await driver.waitFor(withText(answers, "ahoy from the vendor"));
    await untilIdle(driver);
    expect(anthropic.requests.at(-1)?.headers["x-api-key"]).toBe(key);
    expect(String(await driver.evaluate("return document.documentElement.outerHTML"))).not.toContain("sk-desktop");
    expect(stage.log()).not.toContain("sk-desktop");
    expect(statSync(join(stage.folder, "config", "dev.hawser.desktop", "keys.json")).mode & 0o777).toBe(0o600);
  });

  it("a server with OpenAI's interface is added with its key, tested, and answers, without another agent", async () => {
    const { driver } = stage;
    const before = stage.runtime()?.pid;
    await driver.click(button("Settings"));
    await driver.click(`${settingsDialog}//summary[contains(., "Add a server with OpenAI")]`);
    await driver.type(field("Server name"), "quay");
    await driver.type(field("Base URL"), compatible.url);
    await driver.type(field("Key"), key);
    await driver.click(`${settingsDialog}${button("Add model server")}`);
    await driver.waitFor(withText('//form[@aria-label="Add model server"]', "It works: "));
    await driver.waitFor(withText('//form[@aria-label="quay key"]', "Kept in "));
    await closeSettings();
    const models = JSON.parse(readFileSync(join(stage.folder, "config", "dev.hawser.desktop", "agent.local.json"), "utf8")) as {
      openaiServers: { quay: { models: string[] } };
    };
    await driver.click(button("New conversation"));
    await pick(`quay/${models.openaiServers.quay.models[0] ?? ""}`);
    await say(driver, "hello");
    await driver.waitFor(withText(answers, "aye from the server"));
    await untilIdle(driver);
    expect(stage.runtime()?.pid).toBe(before);
    expect(JSON.stringify(models)).not.toContain(key);
  });

  it("a folder is chosen by a path that is completed, and the conversation works there", async () => {
    const { driver } = stage;
    const folder = join(stage.folder, "harbour-log");
    mkdirSync(folder);
    writeFileSync(join(folder, "tides.txt"), "high at six\n");
    await driver.click(button("New conversation"));
    await pick("offline");
    await driver.type(box, `${keys.alt}o${keys.nothing}`);
    const dialog = dialogNamed("Folder to work in");
    await driver.type(`${dialog}//input[@aria-label="Path of a folder"]`, join(stage.folder, "harb"));
    await driver.click(`${dialog}//section[@aria-label="Folders there"]//button[contains(., "harbour-log")]`);
    await driver.click(`${dialog}${button("Work there")}`);
    await driver.waitForNone(dialog);
    await driver.waitFor(withText(status, "harbour-log"));
    await say(driver, "list the files here");
    await driver.waitFor(withText(answers, "tides.txt"));
    await untilIdle(driver);
    await expect(driver.waitFor(withText('//section[@aria-label="Project harbour-log"]', "list the files here"))).resolves.toBeUndefined();
  });

  it("a folder is chosen in the system's own dialog, or none is", async ({ skip }) => {
    skip(spawnSync("xdotool", ["version"]).error !== undefined, "xdotool, which types into that dialog, is not installed");
    const { driver } = stage;
    const folder = join(stage.folder, "lighthouse");
    mkdirSync(folder);
    const press = (...keysToPress: readonly string[]): void => {
      const found = spawnSync(
        "xdotool",
        ["search", "--sync", "--onlyvisible", "--name", "^Folder to work in$", "windowfocus", "--sync", ...keysToPress],
        {
          env: stage.env,
          encoding: "utf8",
          timeout: 60_000,
        },
      );
      // A key that closes the dialog may be let go only when its window is gone.
      const isLetGoLate = keysToPress[0] === "key" && found.stderr.includes("BadWindow");
      expect(isLetGoLate ? { status: 0, stderr: "" } : found).toMatchObject({ status: 0, stderr: "" });
    };
    const dialog = dialogNamed("Folder to work in");
    await driver.type(box, `${keys.alt}o${keys.nothing}`);
    await driver.click(`${dialog}${button("Browse…")}`);
    press("key", "Escape");
    await driver.click(`${dialog}${button("Browse…")}`);
    press("type", folder);
    press("key", "Return");
    await driver.waitForNone(dialog);
    await driver.waitFor(withText(status, "lighthouse"));
  });

  it("changes are reviewed in a panel, taken back by a click, and brought back by another", async () => {
    const { driver } = stage;
    await driver.click(button("New conversation in work"));
    await driver.waitFor(withText(status, "work"));
    await pick("offline");
    await say(driver, 'replace "pepper" with "paprika" in notes.txt');
    await driver.click(`${approval}//button[starts-with(., "Allow once")]`);
    await driver.waitForNone(approval);
    await untilIdle(driver);
    expect(read("notes.txt")).toBe("salt\npaprika\n");
    await driver.type(box, `${keys.alt}r${keys.nothing}`);
    const dialog = dialogNamed("Changes");
    await driver.waitFor(withText(`${dialog}//*[@aria-label="Change in notes.txt"]`, "paprika"));
    await driver.click(`${dialog}//button[@aria-label="Take back notes.txt"]`);
    await expect.poll(() => read("notes.txt")).toBe("salt\npepper\n");
    await driver.click(`${dialog}${button("Undo")}`);
    await expect.poll(() => read("notes.txt")).toBe("salt\npaprika\n");
    await driver.click(`${dialog}${button("Close")}`);
    await driver.waitForNone(dialog);
  });

  it("what was said in other conversations is found, and the way leads there", async () => {
    const { driver } = stage;
    await driver.type(box, `${keys.alt}k${keys.nothing}`);
    await driver.type('//input[@aria-label="Search conversations"]', "ahoy");
    const found = '//section[@aria-label="Found in messages"]';
    await driver.click(`${found}//*[self::a or self::button][contains(., "ahoy")]`);
    expect(await driver.text(withText(answers, "ahoy"))).toContain("ahoy from the vendor");
  });
});
