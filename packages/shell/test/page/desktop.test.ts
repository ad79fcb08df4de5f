// What a desktop window offers besides its link, against Tauri's own mock; and settings as they are typed.

import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import type { AgentClient } from "@hawser/agent/host/link";
import { invoke } from "@tauri-apps/api/core";
import { clearMocks, mockIPC } from "@tauri-apps/api/mocks";
import { shellLimits } from "../../src/limits.ts";
import { chooseLink } from "../../src/page/links/choose-link.ts";
import { createDesktop, type DesktopSettings, type TauriPowers } from "../../src/page/links/desktop.ts";
import { createDesktopFiles } from "../../src/page/links/kept-files.ts";
import { explainLink } from "../../src/page/components/link-banner.tsx";
import { addRule, fromDraft, toDraft } from "../../src/page/settings/draft.ts";
import { nextGreeting } from "../../src/page/session/next-greeting.ts";
import { createStore, type Store } from "../../src/page/session/store.ts";
import { DesktopSettings as DesktopSettingsPart } from "../../src/page/settings/desktop-settings.tsx";

const settings: DesktopSettings = {
  model: "offline",
  roots: ["/home/me/project", "/srv/notes"],
  allowedCommands: ["git"],
  permissionRules: [
    { tool: "write_file", match: { path: "docs/**" }, decision: "allow" },
    { tool: "run_command", match: { command: "git", args: ["status"] }, decision: "allow" },
    { tool: "tickets__*", decision: "deny" },
  ],
  shortcut: "CmdOrCtrl+Shift+Space",
  theme: "dark",
};
const where = { settingsFile: "/config/settings.json", dataFolder: "/data" };

const calls: { command: string; args: unknown }[] = [];
let answer: (command: string) => unknown = () => undefined;

beforeEach(() => {
  Object.assign(globalThis, { window: globalThis });
  calls.length = 0;
  mockIPC((command, args) => {
    calls.push({ command, args });
    return answer(command);
  });
});
afterEach(() => {
  clearMocks();
  Reflect.deleteProperty(globalThis, "window");
});

describe("the desktop's own commands", () => {
  const desktop = createDesktop({ invoke });

  it("reads settings, and what is wrong", async () => {
    answer = () => ({ settings, shortcutProblem: "taken", settingsProblem: "broken", where });
    expect(await desktop.read()).toEqual({
      settings,
      shortcutProblem: "taken",
      settingsProblem: "broken",
      where,
    });
    expect(calls).toEqual([{ command: "settings_get", args: {} }]);
  });

  it("is content with less, and with words that it does not know", async () => {
    answer = () => ({ settings: { theme: "sepia", roots: ["/a", 5], model: "" }, where: null });
    expect(await desktop.read()).toEqual({
      settings: { roots: ["/a"], allowedCommands: [], permissionRules: [], shortcut: "", theme: "system" },
      where: { settingsFile: "", dataFolder: "" },
    });
    answer = () => "nonsense";
    await expect(desktop.read()).rejects.toThrow("the app did not say what its settings are");
  });

  it("asks apart from them where keys are kept, which may take long", async () => {
    answer = () => ({ anthropic: "keychain", openai: "file" });
    expect(await desktop.readKeys()).toEqual({ anthropic: "keychain", openai: "file" });
    expect(calls).toEqual([{ command: "keys_get", args: {} }]);
    answer = () => ({ anthropic: "vault" });
    expect(await desktop.readKeys()).toEqual({ anthropic: "none", openai: "none" });
  });

  it("writes settings, the theme alone, and keys, removes a key, asks for a folder, and quits", async () => {
    answer = () => null;
    await desktop.save(settings);
    await desktop.saveTheme("light");
    answer = (command) => (command === "key_set" ? true : undefined);
    expect(await desktop.saveKey("openai", "secret")).toBe(true);
    await desktop.saveKey("openai", "");
    expect(await desktop.pickFolder()).toBeUndefined();
    await desktop.quit();
    expect(calls).toEqual([
      { command: "settings_set", args: { settings } },
      { command: "theme_set", args: { theme: "light" } },
      { command: "key_set", args: { vendor: "openai", key: "secret" } },
      { command: "key_set", args: { vendor: "openai", key: "" } },
      { command: "folder_pick", args: {} },
      { command: "quit", args: {} },
    ]);
  });

  it("passes a refusal on as the sentence it is", async () => {
    answer = () => {
      // eslint-disable-next-line typescript/only-throw-error -- Tauri rejects with what the command returned, which is a text.
      throw "there is no folder /nowhere";
    };
    await expect(desktop.save(settings)).rejects.toMatchObject({ code: "usage", message: "there is no folder /nowhere" });
  });

  it("are offered inside of Tauri only, where there is no server and no key to exchange", async () => {
    const asked: string[] = [];
    vi.stubGlobal("fetch", async (path: string) => (asked.push(path), Response.json({ credential: "c" }, { status: 201 })));
    vi.stubGlobal("location", { host: "127.0.0.1:1", pathname: "/", search: "", hash: "#key=k" });
    vi.stubGlobal("history", { replaceState: () => {} });
    vi.stubGlobal("addEventListener", () => {});
    onTestFinished(() => void vi.unstubAllGlobals());
    const isLocked = () => expect.fail("it has access");
    expect((await chooseLink(isLocked)).desktop).toBeDefined();
    expect(asked).toEqual([]);
    clearMocks();
    Reflect.deleteProperty(globalThis, "__TAURI_INTERNALS__");
    expect((await chooseLink(isLocked)).desktop).toBeUndefined();
    expect(asked).toEqual(["/credentials"]);
  });
});

describe("a file that is attached in a desktop window", () => {
  /** Tauri's mock does not pass them on. */
  const headers: unknown[] = [];
  const withHeaders: TauriPowers["invoke"] = (command, args, options) => {
    headers.push(options?.headers);
    return invoke(command, args, options);
  };

  it("goes to the app as its bytes, with its name in a header, and comes back as a path", async () => {
    answer = () => "/data/attachments/1/Übersicht 1.txt";
    const files = createDesktopFiles({ invoke: withHeaders });
    const bytes = new Uint8Array([0, 255, 10]);
    const kept = await files.keep(new File([bytes], "Übersicht 1.txt", { type: "text/plain" }));
    expect(kept).toEqual({ path: "/data/attachments/1/Übersicht 1.txt" });
    expect(calls).toEqual([{ command: "file_put", args: bytes }]);
    expect(headers).toEqual([{ "x-file-name": "%C3%9Cbersicht%201.txt" }]);
    expect(await files.addressOf(kept.path)).toBeUndefined();
  });

  it("is shown out of the page's own memory when it is an image", async () => {
    answer = () => "/data/attachments/2/a.png";
    const files = createDesktopFiles({ invoke });
    const { address = "" } = await files.keep(new File(["png"], "a.png", { type: "image/png" }));
    expect(address).toMatch(/^blob:/);
    expect(await files.addressOf("/data/attachments/2/a.png")).toBe(address);
    expect(await (await fetch(address)).text()).toBe("png");
    expect(await files.addressOf("/data/attachments/3/a.png")).toBeUndefined();
    URL.revokeObjectURL(address);
  });

  it("is not even read when it is too large, and refused with the app's own words when it can't be kept", async () => {
    const files = createDesktopFiles({ invoke });
    const large = new File([new Uint8Array(shellLimits.shellFileBytes + 1)], "large");
    await expect(files.keep(large)).rejects.toMatchObject({
      code: "too_large",
      message: expect.stringContaining("larger than 10485760 bytes") as string,
    });
    expect(calls).toEqual([]);
    answer = () => {
      // eslint-disable-next-line typescript/only-throw-error -- Tauri rejects with what the command returned, which is a text.
      throw "the disk is full";
    };
    await expect(files.keep(new File(["x"], "a"))).rejects.toMatchObject({ code: "usage", message: "the disk is full" });
    answer = () => null;
    await expect(files.keep(new File(["x"], "a"))).rejects.toThrow("the app did not say where the file is");
  });
});

describe("settings as texts", () => {
  it("come back as they went", () => {
    expect(fromDraft(toDraft(settings))).toEqual(settings);
    const { model: _, ...bare } = { ...settings, roots: [], allowedCommands: [], permissionRules: [] };
    expect(fromDraft(toDraft(bare))).toEqual(bare);
  });

  it("lose empty lines, spaces and rules that say nothing", () => {
    const draft = {
      ...toDraft(settings),
      model: " ",
      roots: " /a \n\n/b\n",
      allowedCommands: "\n",
      shortcut: " Alt+Space ",
      rules: addRule([]),
    };
    expect(fromDraft(draft)).toEqual({
      roots: ["/a", "/b"],
      allowedCommands: [],
      permissionRules: [],
      shortcut: "Alt+Space",
      theme: "dark",
    });
  });

  it.each([
    [{ tool: " ", match: '{"path":"x"}' }, "Rule 2 needs the name of a tool, or a pattern such as read_*."],
    [{ tool: "t", match: "docs/**" }, 'Rule 2: what it matches must be JSON such as {"path": "docs/**"}, or nothing.'],
    [{ tool: "t", match: '["docs/**"]' }, 'Rule 2: what it matches must be JSON such as {"path": "docs/**"}, or nothing.'],
    // The agent would not start with these, and these are its words.
    [{ tool: "t", match: '{"path":5}' }, "Rule 2 has a match.path that is neither a pattern nor a list of patterns"],
    [{ tool: "t", match: '{"path":""}' }, "Rule 2 has a match.path that is neither a pattern nor a list of patterns"],
  ])("that can't be a rule say which one and why: %j", (facts, message) => {
    const bad = { key: 7, decision: "ask" as const, ...facts };
    // Empty rows count, since they are on the screen.
    const rules = [...addRule([]), bad];
    expect(() => fromDraft({ ...toDraft(settings), rules })).toThrow(message);
  });

  it("show rules that were written by hand, whatever they are, and save none that the agent would refuse", () => {
    const odd = [
      7,
      null,
      "text",
      ["list"],
      { tool: 5, decision: "maybe", match: null },
      { tool: "a", match: { path: [1] } },
      { tool: "b" },
    ];
    const draft = toDraft({ ...settings, permissionRules: odd as never });
    expect(draft.rules.map(({ tool, decision, match }) => [tool, decision, match])).toEqual([
      ["", "ask", "7"],
      ["", "ask", "null"],
      ["", "ask", '"text"'],
      ["", "ask", '["list"]'],
      ["", "ask", "null"],
      ["a", "ask", '{"path":[1]}'],
      ["b", "ask", ""],
    ]);
    expect(() => fromDraft(draft)).toThrow("Rule 1 needs the name of a tool");
    expect(() => fromDraft({ ...draft, rules: draft.rules.slice(5) })).toThrow("Rule 1 has a match.path");
    expect(fromDraft({ ...draft, rules: draft.rules.slice(6) }).permissionRules).toEqual([{ tool: "b", decision: "ask" }]);
  });

  it("have no more rules than the agent takes", () => {
    const rules = Array.from({ length: 1_001 }, () => ({ tool: "t", decision: "ask" as const }));
    expect(() => fromDraft(toDraft({ ...settings, permissionRules: rules }))).toThrow("permission rules");
    expect(fromDraft(toDraft({ ...settings, permissionRules: rules.slice(1) })).permissionRules).toHaveLength(rules.length - 1);
  });

  it("keep their rules apart, however often some are added and removed", () => {
    const rules = addRule(addRule(toDraft(settings).rules).slice(1));
    expect(new Set(rules.map(({ key }) => key)).size).toBe(rules.length);
  });
});

it("the dialog says that it waits for the settings, until they are there", () => {
  const session = { store: createStore((flush) => flush()), client: {} as AgentClient };
  const desktop = createDesktop({ invoke });
  const dialog = createElement(DesktopSettingsPart, { desktop, session, canTest: false, onTheme() {}, onClose() {} });
  expect(renderToStaticMarkup(dialog)).toContain("Loading…");
});

describe("the next greeting", () => {
  const running = { phase: "open", runtime: "running" } as const;
  const greeted = { type: "greeted", info: { version: "1.0.0", capabilities: [], startedAt: 0 } } as const;
  const openStore = (): Store => {
    const store = createStore((flush) => flush());
    store.dispatch({ type: "link", link: running });
    store.dispatch(greeted);
    return store;
  };

  it("is that of another runtime, also of one that was quick", async () => {
    const store = openStore();
    const [quick, slow] = [nextGreeting(store), nextGreeting(store)];
    let hasCome = false;
    const coming = slow().then(() => (hasCome = true));
    await Promise.resolve();
    expect(hasCome).toBe(false);
    store.dispatch({ type: "link", link: { phase: "open", runtime: "restarting" } });
    store.dispatch({ type: "link", link: running });
    store.dispatch(greeted);
    expect(await coming).toBe(true);
    await quick();
  });

  it("does not come from one that can't be started, but a runtime that had failed before may greet", async () => {
    const store = openStore();
    const failed = { type: "link", link: { phase: "open", runtime: "failed", message: "no Node" } } as const;
    const first = nextGreeting(store)();
    store.dispatch(failed);
    await expect(first).rejects.toThrow("the agent can't be started: no Node");
    const second = nextGreeting(store)();
    store.dispatch({ type: "link", link: running });
    store.dispatch(greeted);
    await second;
  });
});

it("a runtime that can't be started points to the settings, where there are some", () => {
  const failed = { phase: "open", runtime: "failed", message: "no Node" } as const;
  expect(explainLink(failed, false, true)?.text).toBe("Fix the settings, or quit the app and start it again. (no Node)");
  expect(explainLink(failed, false)?.text).toContain("terminal");
});
