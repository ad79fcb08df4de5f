// The app as an AppImage: a file that mounts itself and starts what is in it, with libraries of its own. These
// tests run where one was made; `npm run test:desktop` says why there is none.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { answers, box, say, untilIdle, withText } from "./page.ts";
import { listProcesses, startedWith, stillRunning, treeOf, type ProcessFacts } from "./process-tree.ts";
import { openDesktop, type DesktopStage } from "./stage.ts";
import { application } from "./surroundings.ts";
import { keys } from "./web-driver.ts";

const files = { "note.txt": "the harbour is open\n" };
/** Stands for the browser; there is nothing to be read before all of it is. */
const home = { "bin/xdg-open": '#!/bin/sh\nenv > "$HOME/opening" && mv "$HOME/opening" "$HOME/opened"\n' };
const permissionRules = [{ tool: "run_command", match: { command: "env" }, decision: "allow" }];

function variablesOf({ pid }: ProcessFacts): Map<string, string> {
  const entries = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
  return new Map(entries.map((entry) => [entry.split("=", 1)[0] ?? "", entry.slice(entry.indexOf("=") + 1)]));
}

/** Not by its path: that is another one each time. */
const appsOf = ({ folder }: DesktopStage): ProcessFacts[] =>
  listProcesses().filter((facts) => facts.program.endsWith("/usr/bin/hawser-desktop") && variablesOf(facts).get("HOME") === folder);
const appOf = (stage: DesktopStage): ProcessFacts => appsOf(stage)[0] ?? expect.fail(`the app does not run: ${stage.log()}`);
/** The folder at which it is mounted. */
const imageOf = (stage: DesktopStage): string => variablesOf(appOf(stage)).get("APPDIR") ?? expect.fail("no AppImage has started the app");

/** The file itself is the process that serves its mount, until all have gone; whoever ends it before leaves the mount behind. */
async function quit({ driver, folder }: DesktopStage): Promise<void> {
  // The window may be gone before the driver has an answer, and it then waits for another one.
  void driver.type(box, `${keys.control}q${keys.nothing}`).catch(() => {});
  const servers = (): ProcessFacts[] => startedWith(`${folder}/`).filter(({ program }) => program === application);
  const apps = (): ProcessFacts[] => startedWith(`${folder}/`).filter(({ program }) => program.endsWith("/hawser-desktop"));
  await vi.waitFor(() => expect([...apps(), ...servers()]).toEqual([]), { timeout: 60_000 });
}

describe("the app as an AppImage", () => {
  let stage: DesktopStage;
  beforeAll(async () => {
    stage = await openDesktop({ files, home, path: "bin", settings: { allowedCommands: ["env"], permissionRules } });
    await untilIdle(stage.driver);
  });
  afterAll(async () => {
    await quit(stage);
    await stage[Symbol.asyncDispose]();
  });

  const runtime = (): ProcessFacts =>
    treeOf(appOf(stage).pid).find(({ command }) => command.includes("hawser.cjs agent")) ?? expect.fail("there is no runtime");

  it("answers in its window, with a runtime, a Node and a browser of its own", async () => {
    const image = imageOf(stage);
    await say(stage.driver, "read the file note.txt");
    await stage.driver.waitFor(withText(answers, "the harbour is open"));
    const programs = treeOf(appOf(stage).pid).map(({ program }) => program);
    expect(programs.filter((program) => !program.startsWith(`${image}/`))).toEqual([]);
    const names = programs.map((program) => program.split("/").at(-1));
    expect(names).toEqual(expect.arrayContaining(["hawser-desktop", "node", "WebKitWebProcess", "WebKitNetworkProcess"]));
    expect(runtime().command).toContain(`${image}/usr/lib/Hawser/runtime/node_modules/hawser/bin/hawser.cjs`);
  });

  it("starts the runtime, and that its commands, with the environment of the machine", async () => {
    const image = imageOf(stage);
    const given = variablesOf(runtime());
    expect([...given].filter(([, value]) => value.includes(image)).map(([name]) => name)).toEqual([]);
    for (const name of ["APPDIR", "APPIMAGE", "ARGV0", "OWD", "LD_LIBRARY_PATH", "PYTHONHOME", "GTK_THEME", "GIO_MODULE_DIR"])
      expect(given.has(name), name).toBe(false);
    expect(given.get("PATH")).toBe(stage.env["PATH"]);
    await say(stage.driver, "run env");
    await stage.driver.waitFor(withText(answers, "PATH="));
    await untilIdle(stage.driver);
    expect(await stage.driver.text("//main")).not.toContain(image);
  });

  it("opens links with the environment of the machine", async () => {
    const { driver, folder } = stage;
    await driver.evaluate(`
      const link = Object.assign(document.createElement("a"), { href: "https://example.com/", target: "_blank", id: "probe", textContent: "probe" });
      link.style.cssText = "position:fixed;top:0;left:0;z-index:9999";
      document.body.append(link);`);
    await driver.click('//a[@id="probe"]');
    await driver.evaluate('document.getElementById("probe").remove()');
    const given = (): string => (existsSync(join(folder, "opened")) ? readFileSync(join(folder, "opened"), "utf8") : "");
    await expect.poll(given, { timeout: 20_000 }).toContain("PATH=");
    expect(given()).not.toContain(imageOf(stage));
  });

  it("is there once: a second start shows the first one's window, and takes nothing of it away", async () => {
    const { pid } = appOf(stage);
    expect(await stage.startAgain()).toBe(0);
    expect(appsOf(stage).map((facts) => facts.pid)).toEqual([pid]);
    await say(stage.driver, "what is 20 + 22?");
    await stage.driver.waitFor(withText(answers, "20 + 22 = 42"));
  });
});

it("an AppImage that quits leaves no process and no mount", async () => {
  await using stage = await openDesktop();
  await untilIdle(stage.driver);
  const [image, tree] = [imageOf(stage), treeOf(appOf(stage).pid)];
  expect(tree.length).toBeGreaterThan(2);
  await quit(stage);
  await expect.poll(() => stillRunning(tree).map(({ command }) => command), { timeout: 30_000 }).toEqual([]);
  expect(readFileSync("/proc/self/mounts", "utf8")).not.toContain(` ${image} `);
  expect(listProcesses().filter(({ program }) => program.startsWith(`${image}/`))).toEqual([]);
});
