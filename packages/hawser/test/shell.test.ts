// `hawser shell` from outside: one address on stdout, a page behind it, a clean end. And `npm start`'s demo.

import { mkdirSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { openerOf } from "../src/shell/open-browser.ts";
import { openShellStage } from "./shell-stage.ts";

describe("hawser shell", () => {
  it("prints one address, serves the page there without cookies, works in its folder, and ends cleanly on SIGTERM", async () => {
    await using stage = openShellStage();
    writeFileSync(join(stage.folder, "harbour.txt"), "ahoy");
    const shell = await stage.start("--no-open");
    const page = await fetch(shell.url);
    expect(page.status).toBe(200);
    expect(await page.text()).toContain("<script");
    expect(await shell.converse("list the files here")).toContain("harbour.txt");
    shell.child.kill("SIGTERM");
    expect(await shell.child.exited).toEqual({ code: 0, signal: null });
    expect(stage.leftovers()).toEqual([]);
    await expect(fetch(shell.url)).rejects.toThrow("fetch failed");
  });

  it("tells the page in which folder the agent works, and what to try with the demo", async () => {
    await using stage = openShellStage();
    const shell = await stage.start("--no-open");
    expect(await shell.firstFrame()).toMatchObject({ root: stage.folder });
    const demo = await stage.start("--no-open", "--demo");
    expect(await demo.firstFrame()).toMatchObject({ examples: ["call listTags"] });
  });

  it("takes the port and the folder that it is given, and says its key to nobody but stdout", async () => {
    await using stage = openShellStage();
    const { port } = (await stage.start("--no-open")).url;
    await stage.stopAll();
    const other = join(stage.folder, "other");
    mkdirSync(other);
    writeFileSync(join(other, "anchor.txt"), "x");
    const shell = await stage.start("--no-open", "--port", port, "--root", "other");
    expect(shell.url.port).toBe(port);
    expect(await shell.firstFrame()).toMatchObject({ root: other });
    expect(await shell.converse("list the files here")).toContain("anchor.txt");
    expect(shell.stderr()).not.toContain(shell.url.searchParams.get("key"));
  });

  it("with --demo offers the demo API's operations and the tools of a module", async () => {
    await using stage = openShellStage();
    const shell = await stage.start("--no-open", "--demo", "--tools", resolve(import.meta.dirname, "../../../examples/tools.ts"));
    expect(await shell.converse("call listTags")).toMatch(/Pump|Tank/);
    expect(await shell.converse("use whoami")).toContain("pid");
  });

  it("starts without a browser where none can be opened", async () => {
    await using stage = openShellStage({ DISPLAY: ":0", BROWSER: undefined, CI: undefined, PATH: "/nowhere" });
    const shell = await stage.start();
    expect((await fetch(shell.url)).status).toBe(200);
  });
});

describe("what is wrong is said in one sentence:", () => {
  it("a flag", async () => {
    await using stage = openShellStage();
    const { code, stderr } = await stage.run("--port", "99999");
    expect([code, stderr]).toEqual([2, expect.stringContaining("--port")]);
    expect(stderr.split("\n").length).toBeLessThan(5);
  });

  it("a port that is taken", async () => {
    await using stage = openShellStage();
    const server = createServer();
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
    const { port } = server.address() as AddressInfo;
    const { code, stderr } = await stage.run("--no-open", "--port", String(port));
    expect([code, stderr]).toEqual([2, expect.stringMatching(/^hawser: port \d+ can't be used: .*--port.*\n$/)]);
    expect(stage.leftovers()).toEqual([]);
    server.close();
  });

  it.each([["--no-open"], ["--no-open", "--demo"]])("no place for temporary files, with %j", async (...args) => {
    await using stage = openShellStage({ TMPDIR: "/proc/nowhere" });
    const { code, stderr } = await stage.run(...args);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/^hawser: no folder can be made in \/proc\/nowhere.*TMPDIR\n$/)]);
  });

  it("a home that can't be written, as an answer to the message that would be kept there", async () => {
    await using stage = openShellStage({ HOME: "/proc/nowhere", XDG_DATA_HOME: undefined });
    const shell = await stage.start("--no-open");
    expect(await shell.converse("what is 1 + 1?")).toContain("/proc/nowhere/.local/share/hawser/conversations, can't be used");
  });
});

describe("an end that is none of the usual", () => {
  it("Ctrl-C while it starts leaves nothing, whenever it comes", async () => {
    await using stage = openShellStage();
    for (const afterMs of [50, 150, 250, 350, 500, 800, 1_200]) {
      const { code, signal } = await stage.interrupt(afterMs, "--no-open", "--demo");
      // Before any of our code runs, the signal itself ends the process.
      expect([0, null], `after ${afterMs} ms: ${code} ${signal}`).toContain(code);
      expect(stage.leftovers()).toEqual([]);
    }
  });

  it("G9 killed, its runtime ends by itself; its folders go with the next launch, and those of the living stay", async () => {
    await using stage = openShellStage();
    const living = await stage.start("--no-open");
    const killed = await stage.start("--no-open", "--demo");
    expect(await killed.converse("what is 1 + 1?")).toContain("2");
    const before = stage.folders();
    expect(before).toHaveLength(3);
    killed.child.kill("SIGKILL");
    await killed.child.exited;
    await expect.poll(() => stage.agents(), { timeout: 20_000 }).toHaveLength(1);
    await stage.start("--no-open");
    expect(stage.folders().filter((name) => before.includes(name))).toHaveLength(1);
    expect(await living.converse("what is 1 + 1?")).toContain("2");
  });
});

describe("the browser", () => {
  it.each([
    ["linux", { DISPLAY: ":0" }, "xdg-open"],
    ["linux", { WAYLAND_DISPLAY: "wayland-0" }, "xdg-open"],
    ["linux", {}, undefined],
    ["linux", { DISPLAY: ":10", SSH_CONNECTION: "x" }, undefined],
    ["linux", { DISPLAY: ":0", CI: "1" }, undefined],
    ["darwin", {}, "open"],
    ["darwin", { BROWSER: "none" }, undefined],
    ["win32", {}, "rundll32"],
  ] as const)("on %s with %j is opened by %s", (platform, env, opener) => {
    expect(openerOf("http://127.0.0.1:1/?key=a&b", env, platform)?.[0]).toBe(opener);
  });
});
