// How `hawser shell` opens a browser: with a file that leads to the page, never with the key where others can read it.

import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, afterAll, describe, expect, it } from "vitest";
import { openBrowser, openerOf } from "../src/shell/open-browser.ts";
import { enter, openShellStage } from "./shell-stage.ts";

const folder = mkdtempSync(join(tmpdir(), "hawser-opener-"));
const record = join(folder, "record");
beforeAll(() => {
  // A program by the name of the system's opener: its arguments, its environment, and the file that it is given.
  const script = `#!/bin/sh
{ printf '%s\\n' "$#" "$1"; tr '\\0' ' ' < /proc/$$/cmdline; echo; env; } > '${record}.half'
cp "\${1#file://}" '${record}.html'
mv '${record}.half' '${record}'
`;
  writeFileSync(join(folder, "xdg-open"), script);
  chmodSync(join(folder, "xdg-open"), 0o700);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const keyOf = ({ hash }: URL): string => hash.slice("#key=".length);
/** Of a person with a screen. */
const surroundings = { DISPLAY: ":0", BROWSER: undefined, CI: undefined, SSH_CONNECTION: undefined };

describe("hawser shell", () => {
  it("G16 gives the opener a file that only this user can read, and the key stands there alone; used, the file is gone", async () => {
    await using stage = openShellStage({ ...surroundings, PATH: `${folder}:${process.env["PATH"]}` });
    const { url, child, stderr } = await stage.start();
    await expect.poll(() => existsSync(record)).toBe(true);
    const [count, argument = "", ...more] = readFileSync(record, "utf8").split("\n");
    expect(count).toBe("1");
    expect(argument).toMatch(/^file:\/\/\/\S+\/hawser-open-\S+\.html$/);
    expect([argument, ...more].join("\n")).not.toContain(keyOf(url));
    const file = fileURLToPath(argument);
    expect([statSync(file).mode & 0o777, statSync(dirname(file)).mode & 0o777]).toEqual([0o600, 0o700]);
    expect(readFileSync(`${record}.html`, "utf8")).toContain(`content="0;url=${url.href}"`);
    const commands = readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .map(commandLineOf);
    expect(commands.filter((command) => command.includes(keyOf(url)))).toEqual([]);
    await enter(url);
    await expect.poll(() => existsSync(dirname(file))).toBe(false);
    expect(stderr()).not.toContain("no browser");
    child.kill("SIGTERM");
    await child.exited;
    expect(stage.leftovers()).toEqual([]);
  });

  it("starts without a browser where none can be opened, says so, and keeps no file for it", async () => {
    await using stage = openShellStage({ ...surroundings, PATH: "/nowhere" });
    const shell = await stage.start();
    await expect.poll(shell.stderr).toMatch(/no browser could be opened \(.*xdg-open.*\); open the address above/);
    expect((await fetch(shell.url)).status).toBe(200);
    expect(stage.folders().filter((name) => name.startsWith("hawser-open"))).toEqual([]);
    await enter(shell.url);
    shell.child.kill("SIGTERM");
    await shell.child.exited;
  });
});

function commandLineOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    // Ended while it was looked at.
    return "";
  }
}

describe("a browser that does not come", () => {
  it.each([
    ["in its time", 1, "exit 0"],
    ["since its opener fails", 600_000, "exit 3"],
  ])("%s is told to the terminal, and the file is gone", async (_, waitMs, end) => {
    const place = mkdtempSync(join(folder, "place-"));
    writeFileSync(join(place, "xdg-open"), `#!/bin/sh\n${end}\n`, { mode: 0o700 });
    const said = Promise.withResolvers<string>();
    const address = { url: "http://127.0.0.1:1/#key=k", used: new Promise<void>(() => {}) };
    const env = { DISPLAY: ":0", PATH: `${place}:${process.env["PATH"]}` };
    openBrowser(address, { env, platform: "linux", waitMs, onNotice: said.resolve });
    expect(await said.promise).toMatch(/^no browser could be opened \(.+\); open the address above$/);
    expect(readdirSync(tmpdir()).filter((name) => name.startsWith(`hawser-open-${process.pid}-`))).toEqual([]);
  });
});

describe("the opener", () => {
  it.each([
    ["linux", { DISPLAY: ":0" }, "xdg-open"],
    ["linux", { WAYLAND_DISPLAY: "wayland-0" }, "xdg-open"],
    ["linux", {}, undefined],
    ["linux", { DISPLAY: ":10", SSH_CONNECTION: "x" }, undefined],
    ["linux", { DISPLAY: ":0", CI: "1" }, undefined],
    ["darwin", {}, "open"],
    ["darwin", { BROWSER: "none" }, undefined],
    ["win32", {}, "rundll32"],
  ] as const)("on %s with %j is %s", (platform, env, opener) => {
    expect(openerOf(env, platform)?.[0]).toBe(opener);
  });
});
