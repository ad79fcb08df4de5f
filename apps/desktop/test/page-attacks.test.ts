// A page that has gone wrong, or was made to: what it may send, where it may lead the window, and what it can't
// reach. The app refuses with a sentence, and goes on.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { answers, say, untilIdle, withText } from "./page.ts";
import { treeOf } from "./process-tree.ts";
import { openDesktop, type DesktopStage } from "./stage.ts";

const openedBy = '#!/bin/sh\necho "$@" >> "$HOME/opened"\n';
const programs = ["xdg-open", "gio", "gnome-open", "kde-open", "wslview"];

describe("a page that attacks", () => {
  let stage: DesktopStage;
  beforeAll(async () => {
    stage = await openDesktop({
      home: Object.fromEntries(programs.map((name) => [`bin/${name}`, openedBy])),
      path: "bin",
    });
    await untilIdle(stage.driver);
  });
  afterAll(() => stage[Symbol.asyncDispose]());

  const invoke = async (command: string, args: string): Promise<string> =>
    String(
      await stage.driver.evaluateAsync(
        `return await window.__TAURI_INTERNALS__.invoke(${JSON.stringify(command)}, ${args}).then((value) => "taken: " + JSON.stringify(value), (error) => "refused: " + (typeof error === "string" ? error : JSON.stringify(error)));`,
      ),
    );

  it.each([
    ['{ line: "{}\\n{}" }', 'refused: {"code":"usage","message":"a request must be one line"}'],
    ['{ line: "x".repeat(10485761) }', 'refused: {"code":"too_large","message":"the request is longer than 10485760 bytes"}'],
    ['{ line: "\\ud800" }', "refused: "],
    ["{ line: 7 }", "refused: "],
    ["{}", "refused: "],
    ['{ line: "this is no JSON" }', "taken: "],
    ['{ line: "\\u0000" }', "taken: "],
  ])("agent_send(%s) is %s", async (args, outcome) => {
    expect(await invoke("agent_send", args)).toContain(outcome);
  });

  it.each([
    ["7", "these settings can't be used"],
    ['{ roots: "x" }', "these settings can't be used"],
    ["{ roots: [7] }", "these settings can't be used"],
    ['{ theme: "blue" }', "these settings can't be used"],
    ["{ permissionRules: {} }", "these settings can't be used"],
    ['{ shortcut: "Florb+Q" }', "is no shortcut"],
    ['{ roots: ["../.."] }', "must begin with /"],
    ['{ model: "x".repeat(5000) }', "too long"],
  ])("settings_set(%s) is refused: %s", async (settings, sentence) => {
    const before = readFileSync(join(stage.folder, "config/dev.hawser.desktop/settings.json"), "utf8");
    const outcome = await invoke("settings_set", `{ settings: ${settings} }`);
    expect(outcome).toMatch(/^refused: /);
    expect(outcome).toContain(sentence);
    expect(readFileSync(join(stage.folder, "config/dev.hawser.desktop/settings.json"), "utf8")).toBe(before);
  });

  it.each(['"line\\nfeed"', '"nul\\u0000"', '"x".repeat(5000)', "7", "null"])("key_set(%s) is refused", async (key) => {
    expect(await invoke("key_set", `{ vendor: "openai", key: ${key} }`)).toMatch(/^refused: /);
    expect(await invoke("key_set", `{ vendor: "nobody", key: "x" }`)).toMatch(/^refused: /);
    expect(existsSync(join(stage.folder, "config/dev.hawser.desktop/keys.json"))).toBe(false);
  });

  it.each([
    "plugin:event|emit",
    "plugin:window|close",
    "plugin:webview|create_webview_window",
    "plugin:app|version",
    "plugin:path|resolve",
    "no_such",
  ])("%s is not for it", async (command) => {
    expect(await invoke(command, '{ event: "agent_stream", payload: 1, label: "main", options: {} }')).toMatch(/^refused: /);
  });

  it.each(["https://example.com/", "http://127.0.0.1:1/", "file:///etc/passwd", "data:text/html,x", "about:blank", "tauri://other/"])(
    "the window does not go to %s",
    async (address) => {
      await stage.driver.evaluate(`location.href = ${JSON.stringify(address)}`);
      await new Promise((resolve) => setTimeout(resolve, 300));
      expect(await stage.driver.evaluate("return [location.origin, document.title]")).toEqual(["tauri://localhost", "Hawser"]);
    },
  );

  it("nor to what it has made itself, which is saved instead", async () => {
    const { driver, folder } = stage;
    await driver.evaluate('location.href = URL.createObjectURL(new Blob(["<title>Another page</title>"], { type: "text/html" }))');
    await expect.poll(() => stage.log(), { timeout: 20_000 }).toContain("hawser-wire.ndjson was saved");
    expect(readFileSync(join(folder, "hawser-wire.ndjson"), "utf8")).toBe("<title>Another page</title>");
    expect(await driver.evaluate("return [location.protocol, document.title]")).toEqual(["tauri:", "Hawser"]);
  });

  it("links open outside, over https only, and never in a window of the app", async () => {
    const { driver, folder } = stage;
    for (const address of ["http://example.com/", "file:///etc/passwd", "mailto:x@example.com", "https://example.com/a?b=`id`;$(id)"]) {
      await driver.evaluate(`
        const link = Object.assign(document.createElement("a"), { href: ${JSON.stringify(address)}, target: "_blank", id: "probe", textContent: "probe" });
        link.style.cssText = "position:fixed;top:0;left:0;z-index:9999";
        document.body.append(link);`);
      await driver.click('//a[@id="probe"]');
      await driver.evaluate('document.getElementById("probe").remove()');
    }
    const opened = (): string => (existsSync(join(folder, "opened")) ? readFileSync(join(folder, "opened"), "utf8") : "");
    await expect.poll(opened, { timeout: 20_000 }).not.toBe("");
    expect(opened().trim()).toBe("https://example.com/a?b=`id`;$(id)");
    expect(await driver.windows()).toHaveLength(1);
  });

  it("a frame inside the page shows nothing from elsewhere", async () => {
    const outcome = await stage.driver.evaluateAsync(`
      const frame = document.createElement("iframe");
      frame.src = "https://example.com/";
      document.body.append(frame);
      await new Promise((resolve) => setTimeout(resolve, 500));
      const inside = frame.contentDocument?.body?.childElementCount ?? "not ours";
      const powers = frame.contentWindow?.__TAURI_INTERNALS__ === undefined;
      frame.remove();
      return [inside, powers].join();`);
    expect(outcome).toBe("0,true");
  });

  it("is told the folder in which the agent works", async () => {
    const heard = await stage.driver.evaluateAsync(`
      const { invoke, transformCallback } = window.__TAURI_INTERNALS__;
      const heard = new Promise((resolve) =>
        invoke("plugin:event|listen", { event: "agent_state", target: { kind: "Any" }, handler: transformCallback(({ payload }) => resolve(payload)) }));
      await new Promise((resolve) => setTimeout(resolve, 200));
      await invoke("agent_hello");
      return JSON.stringify(await heard);`);
    expect(JSON.parse(String(heard))).toEqual({ runtime: "running", root: stage.work });
  });

  it("after all of that the agent answers", async () => {
    await say(stage.driver, "what is 6 * 7?");
    await stage.driver.waitFor(withText(answers, "= 42"));
    expect(stage.runtime()).toBeDefined();
  });

  it("its process is killed: the page comes back, with the same runtime", async () => {
    const before = stage.runtime()?.pid;
    const web = treeOf(stage.app().pid).find(({ command }) => command.includes("WebKitWebProcess")) ?? expect.fail("there is no page");
    process.kill(web.pid, "SIGKILL");
    await expect.poll(() => stage.log(), { timeout: 20_000 }).toContain("the page has ended by itself; it is loaded again");
    await expect
      .poll(() => treeOf(stage.app().pid).some(({ command, pid }) => command.includes("WebKitWebProcess") && pid !== web.pid), {
        timeout: 20_000,
      })
      .toBe(true);
    expect(stage.runtime()?.pid).toBe(before);
  });
});
