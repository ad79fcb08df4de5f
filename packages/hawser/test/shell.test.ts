// `hawser shell` from outside: one address on stdout, a page behind it, a clean end. And `npm start`'s demo.

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { startChild, type PipedChild } from "@hawser/wire/node";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openerOf } from "../src/shell/open-browser.ts";

const launcher = resolve(import.meta.dirname, "../bin/hawser.mjs");
let folder = "";
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "hawser-cli-"))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

interface Running {
  readonly child: PipedChild;
  readonly url: URL;
  readonly stderr: () => string;
}

async function start(...args: string[]): Promise<Running> {
  let [stdout, stderr] = ["", ""];
  const env = { ...process.env, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder, BROWSER: "none" };
  const words = ["--conditions=hawser-source", launcher, "shell", "--model", "offline", ...args];
  const child = await startChild({
    command: process.execPath,
    args: words,
    cwd: folder,
    env,
    stdio: "pipe",
    onStderr: (chunk) => void (stderr += String(chunk)),
  });
  child.stdout.on("data", (chunk) => (stdout += String(chunk)));
  await expect.poll(() => stdout + stderr, { timeout: 30_000 }).toMatch(/\n/);
  expect(stdout, stderr).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/\?key=[\w-]{43}\n$/);
  return { child, url: new URL(stdout.trim()), stderr: () => stderr };
}

/** Says something as the page would, and collects what comes until the turn has ended. */
async function converse({ url }: Running, message: string): Promise<string> {
  const cookie = `hawser-${url.port}=${url.searchParams.get("key")}`;
  // Node's own takes headers, which its types do not know.
  const Socket = WebSocket as unknown as new (address: string, options: object) => WebSocket;
  const socket = new Socket(`ws://${url.host}/link`, { headers: { cookie, origin: url.origin } });
  let said = "";
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener("error", () => reject(new Error("the socket failed")));
    socket.addEventListener("message", ({ data }) => {
      const frame = String(data);
      if (frame.includes('"ready"')) socket.send(JSON.stringify({ id: "t1", kind: "user_message", message }));
      if (frame.includes('"token"')) said += (JSON.parse(frame.slice(1)) as { token: string }).token;
      if (frame.includes('"tool_result"')) said += frame;
      if (/"type":"(?:done|error)"/.test(frame)) resolve();
    });
  });
  socket.close();
  return said;
}

describe("hawser shell", () => {
  it("prints one address, serves the page there without cookies, works in its folder, and ends cleanly on SIGTERM", async () => {
    writeFileSync(join(folder, "harbour.txt"), "ahoy");
    const before = leftovers();
    const running = await start("--no-open");
    const page = await fetch(running.url);
    expect(page.status).toBe(200);
    expect(await page.text()).toContain("<script");
    expect(await converse(running, "list the files here")).toContain("harbour.txt");
    running.child.kill("SIGTERM");
    expect(await running.child.exited).toEqual({ code: 0, signal: null });
    expect(leftovers()).toEqual(before);
    await expect(fetch(running.url)).rejects.toThrow("fetch failed");
  });

  it("with --demo offers the demo API's operations and the tools of a module", async () => {
    const running = await start("--no-open", "--demo", "--tools", resolve(import.meta.dirname, "../../../examples/tools.ts"));
    expect(await converse(running, "call listTags")).toMatch(/Pump|Tank/);
    expect(await converse(running, "use whoami")).toContain("pid");
    await running.child.stop();
  });

  it("says in one sentence what is wrong with its flags", async () => {
    let stderr = "";
    const args = ["--conditions=hawser-source", launcher, "shell", "--port", "99999"];
    const child = await startChild({
      command: process.execPath,
      args,
      cwd: folder,
      stdio: "pipe",
      onStderr: (chunk) => void (stderr += String(chunk)),
    });
    expect((await child.exited).code).toBe(2);
    expect(stderr).toContain("--port");
    expect(stderr.split("\n").length).toBeLessThan(5);
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

/** Folders of a shell and its demo, and processes of this test's, that outlive it. */
function leftovers(): string[] {
  const folders = readdirSync(tmpdir()).filter((name) => /^hawser-(?:files|demo)-/.test(name));
  const processes = readdirSync("/proc").filter((pid) => /^\d+$/.test(pid) && commandLineOf(pid).includes(folder));
  return [...folders, ...processes];
}

function commandLineOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}
