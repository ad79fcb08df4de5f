// The settings in the hands of a hostile runtime and of an impatient user, in a real browser: hundreds of models and tools, names that
// hide something, double clicks, Escape, and a runtime that ends in the middle of a change.

import type { SettingsData } from "@hawser/protocol";
import { afterAll, describe, expect, it } from "vitest";
import { startPuppet, type Puppet } from "../../../../test/kit/puppet-runtime.ts";
import { pageScrolls } from "./accessible.ts";
import { hostile, shownHostile } from "./agent-talk.ts";
import { launchOrExplain, type Browser, type Locator } from "./browser.ts";
import { openPageStage, type PageStage } from "./stage.ts";
import type { Tab } from "./tab.ts";

const browser = await launchOrExplain();
afterAll(() => browser?.close());

const huge = "x".repeat(20_000);
const tools = Array.from({ length: 300 }, (_, at) => ({ name: `tool-${at}`, description: at === 0 ? huge : hostile, on: at % 2 === 0 }));
const server = {
  name: "tides",
  state: "connected",
  place: "node tides.mjs",
  command: "node",
  args: ["tides.mjs"],
  secrets: ["TOKEN"],
  tools,
};
const settings: SettingsData = {
  ...{ file: "agent.json", allowedCommands: [], permissions: [], openaiServers: [], keys: [] },
  agents: [{ name: "mine", place: hostile, command: hostile, args: [], secrets: [] }],
  mcpServers: [server, { ...server, name: huge, tools: [] }],
  folderServers: [{ ...server, name: hostile, folder: hostile, tools: [] }],
};

async function openStage(puppet: Puppet): Promise<PageStage> {
  puppet.settings = settings;
  return openPageStage(browser as Browser, { runtime: puppet.runtime });
}

async function openSettings({ page }: Tab): Promise<Locator> {
  await page.keyboard.press("Alt+Comma");
  const dialog = page.getByRole("dialog", { name: "Settings" });
  await dialog.getByRole("heading", { name: "MCP servers" }).waitFor();
  return dialog;
}

describe.skipIf(!browser)("the settings of a hostile runtime", () => {
  it("with hundreds of models and tools and endless names can be used; what hides can't be edited, and all of it stays text", async () => {
    await using puppet = await startPuppet();
    puppet.models = Array.from({ length: 500 }, (_, at) => ({ model: `far/${at}-${hostile}`, available: true, current: at === 0 }));
    await using stage = await openStage(puppet);
    const tab = await stage.open();
    const { page } = tab;
    await page.getByRole("button", { name: /^Model or agent:/ }).click();
    await page.keyboard.type("far/499");
    await page.getByRole("option").first().waitFor();
    expect(await page.getByRole("option").allInnerTexts()).toEqual([`far/499-${shownHostile}`]);
    await page.keyboard.press("Escape");
    const dialog = await openSettings(tab);
    const item = dialog.getByRole("listitem").filter({ has: page.getByRole("heading", { name: /^tides/ }) });
    await item.getByText("300 tools, 150 switched off").click();
    await item.getByRole("checkbox").nth(299).scrollIntoViewIfNeeded();
    expect(await pageScrolls(page)).toBe(false);
    expect(await dialog.evaluate((element) => element.scrollWidth > element.clientWidth)).toBe(false);
    expect(await dialog.getByRole("button", { name: /^Edit/ }).count()).toBe(2);
    const text = await dialog.innerText();
    expect(text).toContain(`Of the folder ${shownHostile}: its .hawser/agent.json`);
    expect([text.includes(hostile), await dialog.locator("img").count()]).toEqual([false, 0]);
  });
});

describe.skipIf(!browser)("an impatient user of the settings", () => {
  it("asks for a thing once, and keeps what was typed when the runtime ends in the middle of it", async () => {
    await using puppet = await startPuppet();
    puppet.silent = ["set_settings", "restart_server"];
    await using stage = await openStage(puppet);
    const tab = await stage.open();
    const { page } = tab;
    const dialog = await openSettings(tab);
    await dialog.getByRole("button", { name: "Restart tides" }).dblclick({ force: true });
    await dialog.getByRole("button", { name: "Edit agent mine" }).waitFor({ state: "detached" });
    await dialog.getByText("Add an agent").click();
    const form = dialog.getByRole("form", { name: "Add agent" });
    await form.getByLabel("Name", { exact: true }).fill("later");
    await form.getByLabel("Program").fill("my-agent");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Enter");
    await expect.poll(() => puppet.asked("set_settings").length, { timeout: 30_000 }).toBe(1);
    const before = puppet.asked("get_settings").length;
    puppet.silent = [];
    puppet.drop();
    await form.getByRole("alert").waitFor();
    // Another runtime runs, and is asked what is set there.
    await expect.poll(() => puppet.asked("get_settings").length, { timeout: 60_000 }).toBeGreaterThan(before);
    expect([puppet.asked("set_settings").length, puppet.asked("restart_server").length]).toEqual([1, 1]);
    expect(await form.getByLabel("Program").inputValue()).toBe("my-agent");
    await form.getByRole("button").click();
    await expect.poll(() => form.getByLabel("Program").inputValue(), { timeout: 30_000 }).toBe("");
    expect(puppet.asked("set_settings").length).toBe(2);
  });

  it("leaves with Escape while something is asked, and comes back to the same settings", async () => {
    await using puppet = await startPuppet();
    puppet.silent = ["set_settings"];
    await using stage = await openStage(puppet);
    const tab = await stage.open();
    const dialog = await openSettings(tab);
    const edit = dialog.getByRole("button", { name: "Edit tides" });
    await edit.dblclick();
    const form = dialog.getByRole("form", { name: "Edit server tides" });
    await form.getByRole("button", { name: "Save" }).click();
    await dialog.getByRole("button", { name: "Close" }).focus();
    for (let at = 0; at < 3; at++) await tab.page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await tab.box.and(tab.page.locator(":focus")).waitFor();
    puppet.drop();
    await tab.untilIdle();
    await openSettings(tab);
    await edit.waitFor();
    expect(puppet.asked("set_settings").length).toBe(1);
  });
});
