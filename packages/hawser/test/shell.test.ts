// `hawser shell` from outside: one address on stdout, a page behind it, a clean end. And `npm start`'s demo.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { enter, openShellStage, type RunningShell, type ShellStage } from "./shell-stage.ts";

/** A stage whose shells are ended by signal: that their input ends is nothing to them, and would be waited for. */
function openStage(changes?: NodeJS.ProcessEnv): ShellStage {
  const stage = openShellStage(changes);
  const shells: RunningShell[] = [];
  async function stopAll(): Promise<void> {
    for (const { child } of shells) child.kill("SIGTERM");
    await stage.stopAll();
  }
  return {
    ...stage,
    async start(...args) {
      const shell = await stage.start(...args);
      shells.push(shell);
      return shell;
    },
    stopAll,
    async [Symbol.asyncDispose]() {
      await stopAll();
      await stage[Symbol.asyncDispose]();
    },
  };
}

describe("hawser shell", () => {
  it("prints one address, serves the page there to a plain GET, works in its folder and says so, and ends cleanly on SIGTERM", async () => {
    await using stage = openStage();
    writeFileSync(join(stage.folder, "harbour.txt"), "ahoy");
    const shell = await stage.start("--no-open");
    const page = await fetch(shell.url);
    expect(page.status).toBe(200);
    expect(await page.text()).toContain("<script");
    expect(await shell.firstFrame()).toMatchObject({ root: stage.folder });
    expect(await shell.converse("list the files here")).toContain("harbour.txt");
    shell.child.kill("SIGTERM");
    expect(await shell.child.exited).toEqual({ code: 0, signal: null });
    expect(stage.leftovers()).toEqual([]);
    await expect(fetch(shell.url)).rejects.toThrow("fetch failed");
  });

  it("takes the port and the folder that it is given, and says its key to stdout only", async () => {
    await using stage = openStage();
    const { server, port } = await takePort();
    await new Promise((closed) => server.close(closed));
    const other = join(stage.folder, "other");
    mkdirSync(other);
    writeFileSync(join(other, "anchor.txt"), "x");
    const shell = await stage.start("--no-open", "--port", String(port), "--root", "other");
    expect(shell.url.port).toBe(String(port));
    expect(await shell.firstFrame()).toMatchObject({ root: other });
    expect(await shell.converse("list the files here")).toContain("anchor.txt");
    expect(shell.stderr()).not.toContain(keyOf(shell.url));
  });

  it("with --demo offers the demo API's operations and the tools of a module, and the page says what to try", async () => {
    await using stage = openStage();
    const shell = await stage.start("--no-open", "--demo", "--tools", resolve(import.meta.dirname, "../../../examples/tools.ts"));
    expect(await shell.firstFrame()).toMatchObject({ examples: ["call listTags"] });
    // They come late, and a turn waits for them, but not for ever.
    await expect.poll(() => shell.converse("list the tools"), { timeout: 60_000 }).toMatch(/listTags[^]*whoami|whoami[^]*listTags/);
    expect(await shell.converse("call listTags")).toMatch(/Pump|Tank/);
    expect(await shell.converse("use whoami")).toContain("pid");
  });

  it("with --demo keeps what is set on the page in the usual configuration, and the demo stays out of it", async () => {
    await using stage = openStage();
    const path = join(stage.configFolder, "hawser", "agent.json");
    const gateway = { profile: "plant" };
    mkdirSync(dirname(path));
    writeFileSync(path, JSON.stringify({ gateway }));
    const shell = await stage.start("--no-open", "--demo");
    const answer = await shell.ask({ kind: "set_settings", changes: { allowedCommands: ["git"] } });
    expect(answer).toMatchObject({ type: "settings" });
    shell.child.kill("SIGTERM");
    await shell.child.exited;
    expect(JSON.parse(readFileSync(path, "utf8"))).toEqual({ gateway, allowedCommands: ["git"] });
    const next = await stage.start("--no-open", "--demo");
    expect(await next.ask({ kind: "get_settings" })).toMatchObject({ data: { file: path, allowedCommands: ["git"] } });
  });

  it("prints a new address for each Enter, each good for one page, and says when one was used twice", async () => {
    await using stage = openStage();
    const shell = await stage.start("--no-open");
    const addresses = () => shell.stdout().trim().split("\n");
    for (const count of [2, 3]) {
      shell.child.stdin.write("\n");
      await expect.poll(addresses).toHaveLength(count);
    }
    const urls = addresses().map((address) => new URL(address));
    expect(new Set(urls.map(keyOf)).size).toBe(3);
    expect(new Set(await Promise.all(urls.map(enter))).size).toBe(3);
    await expect(enter(urls[1]!)).rejects.toThrow("401");
    await expect.poll(shell.stderr).toMatch(/used a second time.*press Enter for a new address/);
    expect(shell.stderr()).not.toMatch(new RegExp(urls.map(keyOf).join("|")));
  });
});

const keyOf = ({ hash }: URL): string => hash.slice("#key=".length);

describe("what is wrong is said in one sentence:", () => {
  it("a flag", async () => {
    await using stage = openStage();
    const { code, stderr } = await stage.run("--port", "99999");
    expect([code, stderr]).toEqual([2, expect.stringContaining("--port")]);
    expect(stderr.split("\n").length).toBeLessThan(5);
  });

  it("a port that is taken", async () => {
    await using stage = openStage();
    const { server, port } = await takePort();
    const { code, stderr } = await stage.run("--no-open", "--port", String(port));
    expect([code, stderr]).toEqual([2, expect.stringMatching(/^hawser: port \d+ can't be used: .*--port.*\n$/)]);
    expect(stage.leftovers()).toEqual([]);
    server.close();
  });

  it.each([["--no-open"], ["--no-open", "--demo"]])("no place for temporary files, with %j", async (...args) => {
    await using stage = openStage({ TMPDIR: "/proc/nowhere" });
    const { code, stderr } = await stage.run(...args);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/^hawser: no folder can be made in \/proc\/nowhere.*TMPDIR\n$/)]);
  });

  it("a home that can't be written, as an answer to the message that would be kept there", async () => {
    await using stage = openStage({ HOME: "/proc/nowhere", XDG_DATA_HOME: undefined });
    const shell = await stage.start("--no-open");
    expect(await shell.converse("what is 1 + 1?")).toContain("/proc/nowhere/.local/share/hawser/conversations, can't be used");
  });
});

/** Not one that the system chooses: after the end of this server it may be anybody's. */
async function takePort() {
  for (;;) {
    const server = createServer();
    const port = 20_000 + Math.floor(Math.random() * 10_000);
    const isFree = await new Promise<boolean>((resolve) => {
      server.once("error", () => resolve(false)).listen(port, "127.0.0.1", () => resolve(true));
    });
    if (isFree) return { server, port };
  }
}

describe("an end that is none of the usual", () => {
  it("Ctrl-C while it starts leaves nothing, whenever it comes", async () => {
    await using stage = openStage();
    for (const afterMs of [50, 150, 250, 350, 500, 800, 1_200]) {
      const { code, signal } = await stage.interrupt(afterMs, "--no-open", "--demo");
      // Before any of our code runs, the signal itself ends the process.
      expect([0, null], `after ${afterMs} ms: ${code} ${signal}`).toContain(code);
      expect(stage.folders()).toEqual([]);
      // One that was killed with it may still be ending.
      await expect.poll(() => stage.agents(), { timeout: 30_000 }).toEqual([]);
    }
  });

  it("G9 killed, its runtime ends by itself; its folders go with the next launch, and those of the living stay", async () => {
    await using stage = openStage();
    const living = await stage.start("--no-open");
    const killed = await stage.start("--no-open", "--demo");
    expect(await killed.converse("what is 1 + 1?")).toContain("2");
    const before = stage.folders();
    expect(before).toHaveLength(3);
    killed.child.kill("SIGKILL");
    await killed.child.exited;
    await expect.poll(() => stage.agents(), { timeout: 50_000 }).toHaveLength(1);
    await stage.start("--no-open");
    expect(stage.folders().filter((name) => before.includes(name))).toHaveLength(1);
    expect(await living.converse("what is 1 + 1?")).toContain("2");
  });
});
