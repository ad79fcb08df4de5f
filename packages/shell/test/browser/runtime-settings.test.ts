// Settings in a real browser, with a real runtime behind the page and vendors that are scripted on loopback: keys, model servers, rules,
// MCP servers, agents. A canary key is looked for wherever it must not be.

import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { startScriptedAnthropic } from "../../../../test/kit/models/scripted-anthropic.ts";
import { startScriptedOpenAI } from "../../../../test/kit/models/scripted-openai.ts";
import { takesKey } from "../../../../test/kit/models/scripted-server.ts";
import { startPuppet } from "../../../../test/kit/puppet-runtime.ts";
import { hostile, shownHostile } from "./agent-talk.ts";
import { pageScrolls, tabTo, violations } from "./accessible.ts";
import { launchOrExplain, type Browser, type Locator, type Page } from "./browser.ts";
import { take } from "./pictures.ts";
import { openPageStage, shareShell, type PageStage } from "./stage.ts";
import type { Tab } from "./tab.ts";

const key = "sk-canary-0123456789-abcdefghij";
const mcpServer = resolve(import.meta.dirname, "../../../hawser/test/agent/fixtures/mcp-server.mjs");

const browser = await launchOrExplain();
const anthropic = await startScriptedAnthropic([{ text: "ahoy from the vendor" }], takesKey(key));
const compatible = await startScriptedOpenAI([{ text: "aye from the server" }], takesKey(key));
afterAll(async () => {
  await browser?.close();
  await anthropic.close();
  await compatible.close();
});
const openStage = shareShell(browser, () => ({ env: { ANTHROPIC_BASE_URL: anthropic.url } }));

const homeOf = ({ work }: PageStage): string => dirname(work);
const configOf = (stage: PageStage): unknown => JSON.parse(readFileSync(join(homeOf(stage), "hawser", "agent.json"), "utf8"));

async function openSettings({ page, button }: Tab): Promise<Locator> {
  await button("Settings").click();
  const dialog = page.getByRole("dialog", { name: "Settings" });
  await dialog.getByRole("heading", { name: "MCP servers" }).waitFor();
  return dialog;
}

/** Every text of every file below a folder, but of those that are the key's own place. */
function textsIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== "keys.json")
    .map((entry) => `${entry.name}\n${readFileSync(join(entry.parentPath, entry.name), "utf8")}`);
}

/** Arguments and environments of all processes that can be seen. */
function processTexts(): string[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.flatMap((pid) =>
    ["cmdline", "environ"].flatMap((name) => {
      try {
        return [readFileSync(`/proc/${pid}/${name}`, "utf8")];
      } catch {
        return [];
      }
    }),
  );
}

/** What the page holds: its text and markup, what is in its fields, its storage and its address. */
const textOfPage = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const values = Array.from(document.querySelectorAll("input, textarea"), (field) => (field as HTMLInputElement).value);
    const stores = [sessionStorage, localStorage].map((store) => JSON.stringify(Object.entries(store)));
    return [document.documentElement.outerHTML, ...values, ...stores, location.href, JSON.stringify(history.state)].join("\n");
  });

describe.skipIf(!browser)("settings in a browser", () => {
  it("G16 take a key by keyboard, test it, make its models usable at once, and keep it out of everything else", async () => {
    await using stage = await openStage();
    const tab = await stage.open();
    const { page } = tab;
    const other = await stage.openAgain(`${stage.origin}/`);
    await other.button("Wire view").click();
    await tab.button("Wire view").click();
    await page.keyboard.press("Alt+Comma");
    const form = page.getByRole("form", { name: "Anthropic key" });
    await form.getByText("None yet.").waitFor();
    await tabTo(page, "Tab", () => document.activeElement?.closest("form")?.getAttribute("aria-label") === "Anthropic key");
    await page.keyboard.type("sk-wrong-0123456789-0123456789");
    await page.keyboard.press("Enter");
    await form.getByText("anthropic refuses the key (401)").waitFor();
    await form.getByLabel("Anthropic", { exact: true }).focus();
    await page.keyboard.type(key);
    await page.keyboard.press("Enter");
    await form.getByText(/^It works: \d+ models\.$/).waitFor();
    await form.getByText("Kept in a file that only you can read: no keychain was found.").waitFor();
    await take(page, "settings.png");
    expect(await form.getByLabel("Anthropic", { exact: true }).inputValue()).toBe("");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: /^Model or agent:/ }).click();
    await page.getByRole("option", { name: "anthropic/claude-sonnet-5-5" }).click();
    await tab.say("hello");
    await tab.answers.last().getByText("ahoy from the vendor").waitFor();
    expect(anthropic.requests.at(-1)?.headers["x-api-key"]).toBe(key);
    // It was seen that it was sent, and nothing of it; another tab has not seen that.
    await page.getByText("set_key").and(page.locator(":not(option)")).first().waitFor();
    expect(await other.page.getByText("set_key").count()).toBe(0);
    const places = {
      page: [await textOfPage(page), await textOfPage(other.page)],
      files: textsIn(homeOf(stage)),
      terminal: stage.notices,
      processes: processTexts(),
    };
    for (const [name, texts] of Object.entries(places))
      expect(
        texts.filter((text) => /sk-canary|sk-wrong/.test(text)),
        name,
      ).toEqual([]);
    expect(places.files.some((text) => text.includes("ahoy from the vendor"))).toBe(true);
    const keysFile = join(homeOf(stage), "hawser", "keys", "keys.json");
    expect([readFileSync(keysFile, "utf8").includes(key), statSync(keysFile).mode & 0o777]).toEqual([true, 0o600]);
    const dialog = await openSettings(tab);
    await dialog.getByRole("form", { name: "Anthropic key" }).getByRole("button", { name: "Remove" }).click();
    await form.getByText("None yet.").waitFor();
    expect(readFileSync(keysFile, "utf8")).not.toContain(key);
  });

  it("add a model server with its key, whose models are listed and answer, and remove it", async () => {
    await using stage = await openStage();
    const tab = await stage.open();
    const { page } = tab;
    const dialog = await openSettings(tab);
    await dialog.getByText("Add a server with OpenAI's interface").click();
    const form = dialog.getByRole("form", { name: "Add model server" });
    await form.getByLabel("Server name").fill("harbour");
    await form.getByLabel("Base URL").fill("not an address");
    await form.getByRole("button", { name: "Add model server" }).click();
    await form.getByRole("alert").getByText("openaiServers.harbour.baseUrl is not an http or https address").waitFor();
    await form.getByLabel("Server name").fill("harbour");
    await form.getByLabel("Base URL").fill(compatible.url);
    await form.getByLabel("Key").fill(key);
    await form.getByRole("button", { name: "Add model server" }).click();
    await form.getByText(/^It works/).waitFor();
    await dialog.getByText(`${compatible.url}: `).waitFor();
    const { openaiServers } = configOf(stage) as { openaiServers: { harbour: { models: string[] } } };
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: /^Model or agent:/ }).click();
    await page.getByRole("option", { name: `harbour/${openaiServers.harbour.models[0]}` }).click();
    await tab.say("hello");
    await tab.answers.last().getByText("aye from the server").waitFor();
    await openSettings(tab);
    await dialog.getByRole("button", { name: "Remove server harbour" }).click();
    await dialog.getByRole("form", { name: "harbour key" }).waitFor({ state: "detached" });
    expect(configOf(stage)).not.toHaveProperty("openaiServers");
    expect(readFileSync(join(homeOf(stage), "hawser", "keys", "keys.json"), "utf8")).not.toContain(key);
  });

  it("change model, commands and rules, which count at once; what is refused says why and changes nothing", async () => {
    await using stage = await openStage({ files: { "note.txt": "of the harbour" } });
    const tab = await stage.open();
    const dialog = await openSettings(tab);
    const form = dialog.getByRole("form", { name: "Settings" });
    await form.getByText("This launch was given --model offline").waitFor();
    await form.getByLabel("Model").fill("nowhere/x");
    await form.getByRole("button", { name: "Save" }).click();
    await form.getByRole("alert").getByText("unknown model").waitFor();
    expect(existsSync(join(homeOf(stage), "hawser", "agent.json")) ? configOf(stage) : {}).not.toHaveProperty("model");
    await form.getByLabel("Model").fill("offline");
    await form.getByLabel("Allowed commands").fill("echo");
    await form.getByRole("button", { name: "Add a rule" }).click();
    const rule = form.getByRole("group", { name: "Rule 1" });
    await rule.getByLabel("Decision").selectOption("deny");
    await rule.getByLabel("Tool").fill("read_file");
    await form.getByRole("button", { name: "Save" }).click();
    await form.getByText("Saved. It counts from now on.").waitFor();
    expect(configOf(stage)).toMatchObject({
      model: "offline",
      allowedCommands: ["echo"],
      permissions: [{ tool: "read_file", decision: "deny" }],
    });
    await tab.page.keyboard.press("Escape");
    await tab.say("read note.txt");
    await tab.answers.last().getByText("denies it").first().waitFor();
    await openSettings(tab);
    await form.getByRole("button", { name: "Remove rule 1" }).click();
    await form.getByRole("button", { name: "Save" }).click();
    await form.getByText("Saved.").waitFor();
    expect(configOf(stage)).toMatchObject({ permissions: [] });
  });

  it("add MCP servers from pasted JSON, show how they are, switch a tool off, restart, and remove them", async () => {
    await using stage = await openStage({ files: { "tides.mjs": readFileSync(mcpServer, "utf8") } });
    const tab = await stage.open();
    const { page } = tab;
    const dialog = await openSettings(tab);
    await dialog.getByText("Add a server", { exact: true }).click();
    const paste = dialog.getByRole("form", { name: "Add pasted servers" });
    await paste.getByLabel("JSON of another client").fill('{"mcpServers": {"tides": ');
    await paste.getByRole("button").click();
    await paste.getByRole("alert").getByText("This is not valid JSON").waitFor();
    const tides = { command: "node", args: ["tides.mjs"], env: { TIDES: "value-that-is-secret" } };
    const pasted = { mcpServers: { tides: { ...tides, autoApprove: ["tide"] }, broken: { command: "no-such-program-anywhere" } } };
    await paste.getByLabel("JSON of another client").fill(JSON.stringify(pasted));
    await paste.getByRole("button").click();
    const item = dialog.getByRole("listitem").filter({ has: page.getByRole("heading", { name: /^tides/ }) });
    await item.getByRole("heading", { name: "tides connected" }).waitFor();
    await item.getByText("With TIDES, whose values are not shown.").waitFor();
    await dialog.getByRole("heading", { name: "broken failed" }).waitFor();
    await dialog.getByText(/no-such-program-anywhere.*ENOENT|ENOENT.*no-such-program-anywhere/s).waitFor();
    await dialog.getByRole("heading", { name: "MCP servers" }).scrollIntoViewIfNeeded();
    await take(page, "settings-servers.png");
    await item.getByText("1 tool", { exact: true }).click();
    await item.getByRole("checkbox", { name: "tide Says the tide." }).click();
    await item.getByText("1 tool, 1 switched off").waitFor();
    expect(configOf(stage)).toMatchObject({ mcpServers: { tides: { ...tides, disabledTools: ["tide"] } } });
    await item.getByRole("checkbox", { name: "tide Says the tide." }).click();
    await item.getByText("1 tool", { exact: true }).waitFor();
    const restart = item.getByRole("button", { name: "Restart tides" });
    await restart.click();
    // It can be pressed again once the server was connected to anew.
    await restart.and(page.locator(":enabled")).waitFor();
    await item.getByRole("heading", { name: "tides connected" }).waitFor();
    expect(await textOfPage(page)).not.toContain("value-that-is-secret");
    await dialog.getByRole("button", { name: "Remove broken" }).click();
    await dialog.getByRole("heading", { name: /^broken/ }).waitFor({ state: "detached" });
    await page.keyboard.press("Escape");
    await tab.say("use tides__tide");
    await tab.approval.getByRole("button", { name: "Allow once" }).click();
    await tab.answers.last().getByText("high tide at noon").first().waitFor();
    await openSettings(tab);
    await dialog.getByRole("button", { name: "Remove tides" }).click();
    await dialog.getByRole("heading", { name: /^tides/ }).waitFor({ state: "detached" });
    expect(configOf(stage)).not.toHaveProperty("mcpServers");
  });

  it("show what a hostile runtime says as text, with what would hide in it made visible", async () => {
    const puppet = await startPuppet();
    await using _ = puppet;
    puppet.settings = {
      ...{ file: hostile, modelGiven: hostile, allowedCommands: [], permissions: [{ tool: hostile, decision: "deny" }] },
      agents: [{ name: hostile, place: hostile }],
      openaiServers: [{ name: hostile, baseUrl: hostile, models: [hostile] }],
      keys: [{ vendor: hostile, place: "file", variable: hostile, problem: hostile }],
      mcpServers: [
        {
          name: hostile,
          state: hostile,
          reason: hostile,
          place: hostile,
          secrets: [hostile],
          tools: [{ name: hostile, description: hostile, on: true }],
        },
      ],
    };
    await using stage = await openPageStage(browser as Browser, { runtime: puppet.runtime });
    const dialog = await openSettings(await stage.open());
    await dialog.getByText("1 tool", { exact: true }).click();
    const text = await dialog.innerText();
    expect(text.split(shownHostile).length).toBeGreaterThan(12);
    expect(text).not.toContain(hostile);
    expect(await dialog.locator("img").count()).toBe(0);
  });

  it("add a server and an agent by form, lead to the instructions in force, and fit and read well in every look", async () => {
    await using stage = await openStage({ view: { viewport: { width: 400, height: 740 } } });
    const tab = await stage.open();
    const { page } = tab;
    const dialog = await openSettings(tab);
    await dialog.getByText("Add a server", { exact: true }).click();
    const form = dialog.getByRole("form", { name: "Add server" });
    await form.getByLabel("Name", { exact: true }).fill("far");
    await form.getByLabel("Program or address").fill("http://127.0.0.1:9/mcp");
    await form.getByLabel("Values").fill("Authorization: Bearer x");
    await form.getByRole("button").click();
    await dialog.getByRole("heading", { name: "far failed" }).waitFor();
    await dialog.getByText("Add an agent").click();
    const agents = dialog.getByRole("form", { name: "Add agent" });
    await agents.getByLabel("Name", { exact: true }).fill("mine");
    await agents.getByLabel("Program").fill("my-agent");
    await agents.getByLabel("Arguments").fill("--acp\n--fast");
    await agents.getByRole("button").click();
    await dialog.getByText("my-agent --acp --fast").waitFor();
    expect(configOf(stage)).toMatchObject({
      mcpServers: { far: { type: "http", url: "http://127.0.0.1:9/mcp", headers: { Authorization: "Bearer x" } } },
      agents: { mine: { command: "my-agent", args: ["--acp", "--fast"] } },
    });
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      // In the dark only the colours are others.
      expect(await violations(page, colorScheme === "dark" ? "of colours" : undefined), colorScheme).toEqual([]);
    }
    expect(await dialog.evaluate((element) => element.scrollWidth > element.clientWidth)).toBe(false);
    expect(await pageScrolls(page)).toBe(false);
    await dialog.getByRole("button", { name: "Remove agent mine" }).click();
    await dialog.getByText("my-agent --acp --fast").waitFor({ state: "detached" });
    await dialog.getByRole("button", { name: "Remove far" }).click();
    await dialog.getByRole("button", { name: "Show what is in force" }).click();
    await page.getByRole("dialog", { name: "Instructions in force" }).getByText("Instructions", { exact: true }).waitFor();
    expect(await dialog.count()).toBe(0);
  });
});
