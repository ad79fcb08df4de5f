// Entries of the settings edited in a real browser, with a real runtime behind the page: by keyboard, from two tabs at once, and the MCP
// servers that a folder brings along, which its file rules.

import { mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { violations } from "./accessible.ts";
import { launchOrExplain, type Locator } from "./browser.ts";
import { takeAside } from "./pictures.ts";
import { shareShell, type PageStage } from "./stage.ts";
import type { Tab } from "./tab.ts";

const mcpServer = resolve(import.meta.dirname, "../../../hawser/test/agent/fixtures/mcp-server.mjs");
const tides = { command: "node", args: [mcpServer], env: { TIDES: "value-that-is-secret", OLD: "x" } };

const browser = await launchOrExplain();
afterAll(() => browser?.close());
const openStage = shareShell(browser);

const configPath = ({ work }: PageStage): string => join(dirname(work), "hawser", "agent.json");
const configOf = (stage: PageStage): unknown => JSON.parse(readFileSync(configPath(stage), "utf8"));

async function openSettings({ page }: Tab): Promise<Locator> {
  await page.keyboard.press("Alt+Comma");
  const dialog = page.getByRole("dialog", { name: "Settings" });
  await dialog.getByRole("heading", { name: "MCP servers" }).waitFor();
  return dialog;
}

async function paste(dialog: Locator, servers: object): Promise<void> {
  await dialog.getByText("Add a server", { exact: true }).click();
  const form = dialog.getByRole("form", { name: "Add pasted servers" });
  await form.getByLabel("JSON of another client").fill(JSON.stringify(servers));
  await form.getByRole("button").click();
}

describe.skipIf(!browser)("an entry of the settings", () => {
  it("is edited by keyboard, with the values that are not shown; Escape leaves the form alone, and what is refused changes nothing", async () => {
    await using stage = await openStage();
    const tab = await stage.open();
    const { page } = tab;
    const { keyboard } = page;
    const dialog = await openSettings(tab);
    await paste(dialog, { tides });
    await dialog.getByRole("heading", { name: "tides connected" }).waitFor();
    const edit = dialog.getByRole("button", { name: "Edit tides" });
    await edit.focus();
    await keyboard.press("Enter");
    const form = dialog.getByRole("form", { name: "Edit server tides" });
    await form.locator("input:focus").waitFor();
    expect(await form.getByLabel("Name", { exact: true }).getAttribute("readonly")).not.toBeNull();
    expect(await form.getByLabel("Program or address").inputValue()).toBe("node");
    expect(await violations(page)).toEqual([]);
    await keyboard.press("Escape");
    await form.waitFor({ state: "detached" });
    await edit.and(page.locator(":focus")).waitFor();
    await keyboard.press("Enter");
    await form.getByLabel("Program or address").fill("");
    await keyboard.press("Enter");
    await form.getByRole("alert").getByText("Say which program is to be started").waitFor();
    expect(configOf(stage)).toEqual({ mcpServers: { tides } });
    await keyboard.type("no-such-program-anywhere");
    await keyboard.press("Tab");
    await keyboard.press("Tab");
    await keyboard.press("Control+Home");
    await keyboard.type("NEW=y");
    await keyboard.press("Enter");
    await keyboard.press("Control+End");
    await keyboard.press("Shift+Home");
    await keyboard.press("Delete");
    await form.getByLabel("Program or address").focus();
    await keyboard.press("Enter");
    await form.waitFor({ state: "detached" });
    await edit.and(page.locator(":focus")).waitFor();
    await dialog.getByText("With TIDES, NEW, whose values are not shown.").waitFor();
    await dialog.getByRole("heading", { name: "tides failed" }).waitFor();
    const env = { TIDES: "value-that-is-secret", NEW: "y" };
    expect(configOf(stage)).toEqual({ mcpServers: { tides: { ...tides, command: "no-such-program-anywhere", env } } });
    await dialog.getByRole("button", { name: "Remove tides" }).click();
    await dialog.getByText("None yet.", { exact: true }).last().waitFor();
  });

  it("is edited for model servers and agents, too, and one that another tab has removed is not made again", async () => {
    await using stage = await openStage();
    const tab = await stage.open();
    const other = await stage.openAgain(`${stage.origin}/`);
    const far = { url: "http://127.0.0.1:9/mcp", disabled: true };
    mkdirSync(dirname(configPath(stage)), { recursive: true });
    writeFileSync(configPath(stage), JSON.stringify({ agents: { mine: { command: "my-agent", env: { A: "1" } } } }));
    const dialog = await openSettings(tab);
    await dialog.getByText("Add a server with OpenAI's interface").click();
    const add = dialog.getByRole("form", { name: "Add model server" });
    await add.getByLabel("Server name").fill("harbour");
    await add.getByLabel("Base URL").fill("http://127.0.0.1:9/v1");
    await add.getByLabel("Models").fill("one");
    await add.getByRole("button").click();
    await dialog.getByRole("button", { name: "Edit server harbour" }).click();
    const form = dialog.getByRole("form", { name: "Edit server harbour" });
    await form.getByLabel("Models").fill("one two");
    await form.getByRole("button", { name: "Save" }).click();
    await dialog.getByText("http://127.0.0.1:9/v1: one, two").waitFor();
    await dialog.getByRole("button", { name: "Edit agent mine" }).click();
    const agent = dialog.getByRole("form", { name: "Edit agent mine" });
    await agent.getByLabel("Arguments").fill("--acp");
    await agent.getByRole("button", { name: "Save" }).click();
    await dialog.getByText("my-agent --acp").waitFor();
    expect(configOf(stage)).toEqual({
      agents: { mine: { command: "my-agent", args: ["--acp"], env: { A: "1" } } },
      openaiServers: { harbour: { baseUrl: "http://127.0.0.1:9/v1", models: ["one", "two"] } },
    });
    await paste(dialog, { far });
    await dialog.getByRole("button", { name: "Edit far" }).click();
    const there = await openSettings(other);
    await there.getByRole("button", { name: "Remove far" }).click();
    await there.getByRole("button", { name: "Remove far" }).waitFor({ state: "detached" });
    const late = dialog.getByRole("form", { name: "Edit server far" });
    await late.getByRole("button", { name: "Save" }).click();
    await late.getByRole("alert").getByText("mcpServers has no far any more").waitFor();
    expect(configOf(stage)).not.toHaveProperty("mcpServers");
    rmSync(configPath(stage));
  });

  it("that another tab has changed meanwhile is not overwritten without a word; a rule is edited in its place", async () => {
    await using stage = await openStage();
    const [tab, other] = [await stage.open(), await stage.openAgain(`${stage.origin}/`)];
    const [here, there] = [await openSettings(tab), await openSettings(other)];
    const [form, elsewhere] = [here, there].map((dialog) => dialog.getByRole("form", { name: "Settings" })) as [Locator, Locator];
    await elsewhere.getByRole("button", { name: "Add a rule" }).click();
    await elsewhere.getByLabel("Tool").fill("write_file");
    await elsewhere.getByRole("button", { name: "Save" }).click();
    await elsewhere.getByText("Saved. It counts from now on.").waitFor();
    await form.getByLabel("Allowed commands").fill("echo");
    await form.getByRole("button", { name: "Save" }).click();
    await form.getByText("Saved. It counts from now on.").waitFor();
    const written = { allowedCommands: ["echo"], permissions: [{ tool: "write_file", decision: "ask" }] };
    expect(configOf(stage)).toMatchObject(written);
    await form.getByRole("button", { name: "Add a rule" }).click();
    await form.getByLabel("Tool").fill("read_file");
    await elsewhere.getByLabel("Decision").selectOption("deny");
    await elsewhere.getByRole("button", { name: "Save" }).click();
    await elsewhere.getByText("Saved. It counts from now on.").waitFor();
    await form.getByRole("button", { name: "Save" }).click();
    await form.getByRole("alert").getByText("The rules were changed elsewhere meanwhile, so nothing was saved.").waitFor();
    expect(configOf(stage)).toMatchObject({ permissions: [{ tool: "write_file", decision: "deny" }] });
    rmSync(configPath(stage));
  });
});

describe.skipIf(!browser)("an MCP server of a folder", () => {
  it("is shown as the folder's with its state, tools and error, and can be restarted, not changed", async () => {
    await using stage = await openStage();
    const folder = join(realpathSync(dirname(stage.work)), "quay");
    mkdirSync(join(folder, ".hawser"), { recursive: true });
    const broken = { command: "no-such-program-anywhere" };
    writeFileSync(join(folder, ".hawser", "agent.json"), JSON.stringify({ mcpServers: { tides, broken } }));
    const tab = await stage.open();
    const { page, say, untilIdle } = tab;
    await page.keyboard.press("Alt+o");
    const path = page.getByRole("dialog", { name: "Folder to work in" }).getByLabel("Path of a folder");
    await path.fill(folder);
    await path.press("Enter");
    await page.getByRole("dialog", { name: "Trust this folder?" }).getByRole("button", { name: "Trust this folder" }).click();
    await page.getByTitle(`The agent works in ${folder}`).waitFor();
    await say("what is 1 + 1?");
    await untilIdle();
    const dialog = await openSettings(tab);
    const item = dialog.getByRole("listitem").filter({ has: page.getByRole("heading", { name: "tides connected" }) });
    await item.getByText(`Of the folder ${folder}: its .hawser/agent.json says`).waitFor();
    await dialog.getByRole("heading", { name: "broken failed" }).waitFor();
    await item.getByText("1 tool", { exact: true }).click();
    const tool = item.getByRole("checkbox", { name: "tide Says the tide." });
    expect([await tool.isChecked(), await tool.isDisabled()]).toEqual([true, true]);
    expect(await item.getByRole("button").allTextContents()).toEqual(["Restart"]);
    expect(await violations(page)).toEqual([]);
    await item.scrollIntoViewIfNeeded();
    await takeAside(page, "settings-folder-servers.png");
    const restart = item.getByRole("button", { name: "Restart tides" });
    await restart.click();
    await restart.and(page.locator(":enabled")).waitFor();
    await item.getByRole("heading", { name: "tides connected" }).waitFor();
    expect(await page.content()).not.toContain("value-that-is-secret");
  });
});
