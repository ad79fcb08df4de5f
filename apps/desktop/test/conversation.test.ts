// A conversation in the app's window: streamed answers, tool cards, questions; and what all of it costs.

import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { answers, approval, button, say, status, take, toolCard, untilIdle, withText } from "./page.ts";
import { memoryOf, treeOf } from "./process-tree.ts";
import { openDesktop, type DesktopStage } from "./stage.ts";

const files = {
  "README.md": "# Harbour log\n\nArrivals, berths and tides of a small harbour, from the command line.\n",
  "package.json": '{ "name": "harbour-log", "version": "2.3.0", "type": "module" }\n',
  "src/berths.ts":
    "export function berthFor(draught: number, depth: number) {\n  return berths.find((berth) => berth.depth + depth > draught);\n}\n",
  "tale.txt": "the tide came in and went out again\n".repeat(300),
  "src/tides.ts": "export const highTide = { hours: 6.2, depth: 3.4 };\n",
};

describe("the app in its window", () => {
  let stage: DesktopStage;
  beforeAll(async () => {
    stage = await openDesktop({ files, settings: { theme: "light" }, args: ["--debug-protocol"] });
  });
  afterAll(() => stage[Symbol.asyncDispose]());

  it("appears, with the page and a runtime behind it", async () => {
    const { driver } = stage;
    await untilIdle(driver);
    expect(await driver.evaluate("return [document.title, document.visibilityState, innerWidth > 300]")).toEqual([
      "Hawser",
      "visible",
      true,
    ]);
    expect(await driver.windows()).toHaveLength(1);
    expect(stage.runtime()?.command).toContain("hawser.cjs agent");
    await driver.waitFor(withText("//main", "no key, no network"));
    await driver.waitFor(withText(status, `${basename(stage.folder)}/work`));
  });

  it("R140 sends a message and shows its answer as it comes", async () => {
    const { driver } = stage;
    await driver.evaluate(`
      globalThis.lengths = [];
      new MutationObserver(() => lengths.push(document.querySelector('article[aria-label=Agent]')?.textContent.length ?? 0))
        .observe(document.body, { childList: true, subtree: true, characterData: true });`);
    await say(driver, "read the file tale.txt");
    await driver.waitFor(withText(answers, "went out again"));
    await untilIdle(driver);
    // It was drawn in several steps, each longer than the one before.
    const lengths = (await driver.evaluate("return [...new Set(lengths)]")) as number[];
    expect(lengths.filter((length) => length > 0).length).toBeGreaterThan(2);
  });

  it("R144 each message is named on stderr as it passes, a request before its answers, and never quoted", () => {
    const lines = stage.log().split("\n");
    const request = lines.findIndex((line) => line.startsWith("[SEND] user_message "));
    const id = lines[request]?.split(" ")[2] ?? "";
    expect(id).not.toBe("");
    const answered = lines.flatMap((line, place) => (line.startsWith("[RECV] ") && line.endsWith(` ${id}`) ? [place] : []));
    expect(answered.length).toBeGreaterThan(2);
    expect(Math.min(...answered)).toBeGreaterThan(request);
    expect(lines[answered.at(-1) ?? 0]).toBe(`[RECV] done ${id}`);
    expect(lines.indexOf("[RECV] ready")).toBeGreaterThan(-1);
    for (const content of ["read the file", "went out again"]) expect(stage.log()).not.toContain(content);
  });

  it("saves what the wire view shows, beside what was saved before", async () => {
    const { driver } = stage;
    await driver.click(button("Wire view"));
    for (const name of ["hawser-wire.ndjson", "hawser-wire-2.ndjson"]) {
      await driver.click(button("Export"));
      await expect.poll(() => stage.log(), { timeout: 20_000 }).toContain(`hawser: ${join(stage.folder, name)} was saved`);
      const saved = readFileSync(join(stage.folder, name), "utf8").trimEnd().split("\n");
      expect(saved.map((line) => JSON.stringify(JSON.parse(line))).join()).toContain("user_message");
    }
    expect(await driver.evaluate("return location.href")).toMatch(/^tauri:\/\/localhost\b/);
    await driver.click(button("Close wire view"));
  });

  it("opens the card of a tool, with what went in and what came out", async () => {
    const { driver } = stage;
    await driver.click(button("New conversation"));
    await say(driver, "where is berthFor used?");
    await driver.waitFor(withText(toolCard("search_files"), "done"));
    await untilIdle(driver);
    await driver.click(`${toolCard("search_files")}/button`);
    await driver.waitFor(withText(toolCard("search_files"), "src/berths.ts:1"));
    expect(await driver.text(toolCard("search_files"))).toContain("berthFor");
    await take(driver, "window.png");
  });

  it("asks before something is changed: denied, it is not done; allowed, it is", async () => {
    const { driver, work } = stage;
    await driver.click(button("New conversation"));
    await say(driver, 'write "no" to denied.txt');
    await driver.click(`${approval}//button[starts-with(., "Deny")]`);
    await driver.waitForNone(approval);
    await untilIdle(driver);
    await driver.waitFor(withText(answers, "did not work"));
    expect(existsSync(join(work, "denied.txt"))).toBe(false);
    await say(driver, 'replace "2.3.0" with "2.4.0" in package.json');
    await driver.waitFor(approval);
    // G17: what is typed goes on into the box.
    expect(await driver.evaluate("return document.activeElement?.id")).toBe("message-box");
    await driver.click(`${approval}//button[starts-with(., "Allow once")]`);
    await driver.waitForNone(approval);
    await untilIdle(driver);
    expect(readFileSync(join(work, "package.json"), "utf8")).toContain("2.4.0");
  });

  it("runs nothing that is no file of the page, and reaches nothing but the app", async () => {
    const { driver } = stage;
    const probe = `
      const script = document.createElement("script");
      script.textContent = "globalThis.wasRun = true";
      document.body.append(script);
      const outcomes = [];
      try { await fetch("https://example.com/"); outcomes.push("fetched"); } catch { outcomes.push("refused"); }
      try { await window.__TAURI_INTERNALS__.invoke("plugin:window|set_title", { label: "main", value: "x" }); outcomes.push("called"); } catch { outcomes.push("refused"); }
      globalThis.outcome = [...outcomes, globalThis.wasRun === true, "__TAURI__" in globalThis].join();`;
    await driver.evaluate(`void (async () => { ${probe} })()`);
    await expect.poll(() => driver.evaluate("return globalThis.outcome ?? ''"), { timeout: 20_000 }).toBe("refused,refused,false,false");
  });

  it("holds so much memory, all its processes together", async () => {
    await stage.driver.waitFor(status);
    const parts = treeOf(stage.app().pid).map(({ pid, program }) => ({ name: program.split("/").at(-1) ?? "", ...memoryOf(pid) }));
    expect(parts.map(({ name }) => name)).toEqual(expect.arrayContaining(["hawser-desktop", "node", "WebKitWebProcess"]));
    const sum = (name: "resident" | "share"): string => (parts.reduce((total, part) => total + part[name], 0) / 1000).toFixed(0);
    const lines = parts.map(
      ({ name, resident, share }) =>
        `  memory  ${name}: ${(resident / 1000).toFixed(0)} MB resident, ${(share / 1000).toFixed(0)} MB its share\n`,
    );
    lines.push(`  memory  all ${parts.length} processes: ${sum("resident")} MB resident, ${sum("share")} MB their share\n`);
    const place = process.env["HAWSER_DESKTOP_MEASURES"];
    if (place === undefined) console.log(lines.join(""));
    else appendFileSync(place, lines.join(""));
    expect(Number(sum("share"))).toBeLessThan(1_000);
  });
});
