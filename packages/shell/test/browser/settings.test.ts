// The settings of a desktop window, in a real browser that is told it is one: what Tauri puts into a window is
// put into the page, and the test answers for the process behind it.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type axe from "axe-core";
import { afterAll, describe, expect, it } from "vitest";
import { openAgentStage } from "./agent-stage.ts";
import { launchOrExplain, type Browser, type Page } from "./browser.ts";
import { shareShell, type PageStage } from "./stage.ts";
import type { Tab } from "./tab.ts";

const browser = await launchOrExplain();
afterAll(() => browser?.close());
const openStage = shareShell(browser);

const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

interface Invoked {
  readonly command: string;
  readonly args: Record<string, unknown>;
}

interface PretendWindow {
  invoked: Invoked[];
  /** What `settings_set` is refused with. */
  refusal?: string;
  /** Lets an agent that tests keys greet: it is the first one, or another one that was started again. */
  greet(): void;
}

/** Runs in the page, before anything of it. */
function pretendTauri(theme: string): void {
  const callbacks = new Map<number, (event: unknown) => void>();
  const listeners = new Map<string, number>();
  let agents = 0;
  function greet(): void {
    agents += 1;
    emit("agent_state", { runtime: "running" });
    emit("agent_stream", { type: "ready", version: "1.0.0", capabilities: ["settings"], timestamp: 1 });
  }
  const pretend: PretendWindow = { invoked: [], greet };
  const state = {
    settings: { roots: ["/srv/notes"], allowedCommands: [], permissionRules: [], shortcut: "CmdOrCtrl+Shift+Space", theme },
    shortcutProblem: "Another program has this shortcut.",
    where: { settingsFile: "/config/settings.json", dataFolder: "/data" },
  };
  const keys = { anthropic: "none", openai: "environment" };
  function emit(event: string, payload: unknown): void {
    callbacks.get(listeners.get(event) ?? 0)?.({ event, id: 1, payload });
  }
  const commands: Record<string, (args: Record<string, unknown>) => unknown> = {
    "plugin:event|listen": ({ event, handler }) => listeners.set(String(event), Number(handler)).size,
    agent_hello: () => {
      emit("agent_state", { runtime: "running" });
      emit("agent_stream", { type: "ready", timestamp: 1 });
    },
    settings_get: () => structuredClone(state),
    settings_set: ({ settings }) => {
      if (pretend.refusal !== undefined) throw pretend.refusal as unknown as Error;
      Object.assign(state, { settings });
    },
    theme_set: ({ theme: chosen }) => void Object.assign(state.settings, { theme: chosen }),
    keys_get: () => ({ ...keys }),
    key_set({ vendor, key }) {
      Object.assign(keys, { [String(vendor)]: key === "" ? "none" : "keychain" });
      if (agents > 0) emit("agent_state", { runtime: "restarting" });
      return agents > 0;
    },
    agent_send({ line }) {
      const { id, kind, vendor } = JSON.parse(String(line)) as Record<string, unknown>;
      if (kind !== "test_key") return;
      const message = `Agent ${agents} takes it.`;
      emit("agent_stream", { id, type: "key_tested", data: { vendor, works: true, message }, timestamp: 1 });
      emit("agent_stream", { id, type: "done", timestamp: 1 });
    },
  };
  Object.assign(globalThis, {
    pretend,
    __TAURI_EVENT_PLUGIN_INTERNALS__: { unregisterListener() {} },
    __TAURI_INTERNALS__: {
      transformCallback: (callback: (event: unknown) => void) => callbacks.set(callbacks.size + 1, callback).size,
      unregisterCallback() {},
      async invoke(command: string, args: Record<string, unknown>) {
        pretend.invoked.push({ command, args });
        return commands[command]?.(args);
      },
    },
  });
}

async function openDesktop(theme = "light", view: Parameters<Browser["newContext"]>[0] = {}): Promise<{ stage: PageStage; tab: Tab }> {
  const stage = await openStage({ view, preparePage: (page) => page.addInitScript(pretendTauri, theme) });
  return { stage, tab: await stage.open() };
}

const invoked = (page: Page, command: string): Promise<Record<string, unknown>[]> =>
  page.evaluate(
    (name) =>
      (globalThis as unknown as { pretend: PretendWindow }).pretend.invoked.filter((call) => call.command === name).map(({ args }) => args),
    command,
  );

const looks = [
  { name: "in light", view: { colorScheme: "light" as const } },
  { name: "in dark", view: { colorScheme: "dark" as const } },
  { name: "360 px wide", view: { viewport: { width: 360, height: 740 } } },
];

describe.skipIf(!browser)("settings in a desktop window", () => {
  it("are changed by keyboard alone, and count when they are saved", async () => {
    const { stage, tab } = await openDesktop();
    await using _ = stage;
    const { page, button } = tab;
    const { keyboard } = page;
    await button("Theme: light").waitFor();
    await keyboard.press("Alt+Comma");
    const dialog = page.getByRole("dialog", { name: "Settings" });
    await dialog.getByText("Another program has this shortcut.").waitFor();
    await page.locator("input:focus").and(dialog.getByLabel("Model")).waitFor();
    await keyboard.type("offline");
    await keyboard.press("Tab");
    await keyboard.press("End");
    await keyboard.type("\n/srv/more");
    await keyboard.press("Tab");
    await keyboard.type("git");
    await keyboard.press("Tab");
    await keyboard.press("Enter");
    await dialog.getByRole("group", { name: "Rule 1" }).getByLabel("Tool").fill("write_file");
    await dialog.getByRole("group", { name: "Rule 1" }).getByLabel("Matches").fill('{"path": "docs/**"}');
    await dialog.getByRole("group", { name: "Rule 1" }).getByLabel("Decision").selectOption("allow");
    await dialog.getByLabel("Theme").selectOption("dark");
    await dialog.getByLabel("Shortcut").press("Enter");
    await dialog.waitFor({ state: "detached" });
    expect(await invoked(page, "settings_set")).toEqual([
      {
        settings: {
          model: "offline",
          roots: ["/srv/notes", "/srv/more"],
          allowedCommands: ["git"],
          permissionRules: [{ tool: "write_file", match: { path: "docs/**" }, decision: "allow" }],
          shortcut: "CmdOrCtrl+Shift+Space",
          theme: "dark",
        },
      },
    ]);
    await button("Theme: dark").waitFor();
    await keyboard.press("Control+q");
    await expect.poll(() => invoked(page, "quit"), { timeout: 30_000 }).toEqual([{}]);
  });

  it("that are refused say why and stay as they were typed; Escape leaves them unsaved", async () => {
    const { stage, tab } = await openDesktop();
    await using _ = stage;
    const { page, button } = tab;
    await page.evaluate(() => void ((globalThis as unknown as { pretend: PretendWindow }).pretend.refusal = "there is no folder /nowhere"));
    await button("Settings").click();
    const dialog = page.getByRole("dialog", { name: "Settings" });
    await dialog.getByLabel("Folders").fill("/nowhere");
    await dialog.getByRole("button", { name: "Save", exact: true }).click();
    await dialog.getByRole("alert").getByText("there is no folder /nowhere").waitFor();
    expect(await dialog.getByLabel("Folders").inputValue()).toBe("/nowhere");
    await dialog.getByRole("button", { name: "Add a rule" }).click();
    await dialog.getByLabel("Matches").fill("docs/**");
    await dialog.getByRole("button", { name: "Save", exact: true }).click();
    await dialog.getByRole("alert").getByText("Rule 1 needs the name of a tool").waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await button("Settings").click();
    await expect.poll(() => dialog.getByLabel("Folders").inputValue(), { timeout: 30_000 }).toBe("/srv/notes");
  });

  it("take a key, say where it is kept, and never show it", async () => {
    const { stage, tab } = await openDesktop();
    await using _ = stage;
    const { page, button } = tab;
    await button("Settings").click();
    const key = page.getByRole("form", { name: "Anthropic key" });
    await key.getByText("None yet.").waitFor();
    await key.getByLabel("Anthropic", { exact: true }).fill("sk-secret-1");
    await key.getByRole("button", { name: "Save key" }).click();
    await key.getByText("Kept in the system's keychain.").waitFor();
    expect(await key.getByLabel("Anthropic", { exact: true }).inputValue()).toBe("");
    expect(await page.content()).not.toContain("sk-secret-1");
    await page.getByText("Comes from the environment").waitFor();
    await key.getByRole("button", { name: "Remove" }).click();
    await key.getByText("None yet.").waitFor();
    expect(await invoked(page, "key_set")).toEqual([
      { vendor: "anthropic", key: "sk-secret-1" },
      { vendor: "anthropic", key: "" },
    ]);
  });

  it("test a key with the agent that was started again for it", async () => {
    const { stage, tab } = await openDesktop();
    await using _ = stage;
    const { page, button } = tab;
    const greet = (): Promise<void> => page.evaluate(() => (globalThis as unknown as { pretend: PretendWindow }).pretend.greet());
    const tests = async (): Promise<number> =>
      (await invoked(page, "agent_send")).filter(({ line }) => String(line).includes('"test_key"')).length;
    await button("Settings").click();
    await greet();
    const key = page.getByRole("form", { name: "OpenAI key" });
    await key.getByRole("button", { name: "Test" }).click();
    await key.getByText("Agent 1 takes it.").waitFor();
    await key.getByLabel("OpenAI", { exact: true }).fill("sk-secret-1");
    await key.getByRole("button", { name: "Save key" }).click();
    await key.getByText("Kept in the system's keychain.").waitFor();
    expect(await tests()).toBe(1);
    await greet();
    await key.getByText("Agent 2 takes it.").waitFor();
    expect(await tests()).toBe(2);
  });

  it.each(looks)("are right for a screen reader, and fit, $name", async ({ view }) => {
    const { stage, tab } = await openDesktop("system", view);
    await using _ = stage;
    const { page, button } = tab;
    await button("Settings").click();
    const dialog = page.getByRole("dialog", { name: "Settings" });
    await dialog.getByRole("button", { name: "Add a rule" }).click();
    await page.evaluate(axeSource);
    const { violations } = await page.evaluate(() =>
      (globalThis as unknown as { axe: typeof axe }).axe.run(document, { resultTypes: ["violations"] }),
    );
    expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`)).toEqual([]);
    expect(await dialog.evaluate((element) => element.scrollWidth > element.clientWidth)).toBe(false);
    // However far it is scrolled, it can be closed by its button.
    await dialog.evaluate((element) => element.scrollTo(0, element.scrollHeight));
    const [edge, close] = [await dialog.boundingBox(), await dialog.getByRole("button", { name: "Close" }).boundingBox()];
    expect(close?.y).toBeGreaterThanOrEqual(edge?.y ?? Infinity);
  });

  it("are not offered in a browser whose runtime keeps none", async () => {
    await using stage = await openAgentStage(browser as Browser);
    const { page, button } = await stage.open();
    await page.keyboard.press("Alt+Comma");
    expect([await button("Settings").count(), await page.getByRole("dialog").count()]).toEqual([0, 0]);
    await page.keyboard.press("Alt+/");
    await page.getByRole("dialog", { name: "Keys" }).waitFor();
    expect(await page.getByRole("dialog").getByText("Settings").count()).toBe(0);
  });
});
