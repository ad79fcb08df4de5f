// The runtime that the desktop app carries, staged outside of the repository: it runs there on nothing but
// its own files, and two stagings are equal.

import { spawn, spawnSync } from "node:child_process";
import { globSync, lstatSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { entryPath, nodeName, stageRuntime } from "../../scripts/tasks/desktop-runtime.ts";

const folder = mkdtempSync(join(tmpdir(), "hawser-desktop-runtime-"));
const staged = join(folder, "runtime");
const work = join(folder, "work");
const node = join(staged, nodeName);
const entry = join(staged, entryPath);
// Nothing of whoever runs the tests, and no Node in the PATH.
const env = { PATH: "/usr/bin:/bin", HOME: folder, XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder, XDG_CACHE_HOME: folder };

beforeAll(() => {
  mkdirSync(work);
  const { files, bytes } = stageRuntime({ to: staged });
  const withoutNode = bytes - statSync(node).size;
  console.log(`runtime: ${files} files, ${toMegabytes(bytes)} MB, of which Node ${toMegabytes(bytes - withoutNode)} MB`);
  expect(withoutNode).toBeLessThan(10_000_000);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const toMegabytes = (bytes: number): string => (bytes / 1_000_000).toFixed(1);

describe("the staged runtime", () => {
  it("R141 runs the agent from where it lies: ready, a turn with a tool, and a clean end", async () => {
    const child = spawn(node, [entry, "agent", "--model", "offline", "--root", work], { cwd: work, env, stdio: ["pipe", "pipe", "pipe"] });
    let log = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => (log += text));
    const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
    const lines: { type: string; token?: string; id?: string }[] = [];
    child.stdin.write('{"id":"1","kind":"user_message","message":"list the files here"}\n{"id":"2","kind":"list_models"}\n');
    for await (const line of createInterface(child.stdout)) {
      lines.push(JSON.parse(line) as (typeof lines)[number]);
      const done = lines.filter(({ type }) => type === "done").length;
      if (done === 2) child.stdin.end();
    }
    expect({ code: await ended, log }).toEqual({ code: 0, log: "" });
    expect(lines.map(({ type }) => type)).toEqual(expect.arrayContaining(["ready", "tool_use", "tool_result", "models", "done"]));
    // Vendors whose code is inside, and one that is not: it is offered with a reason, not with a crash.
    expect(JSON.stringify(lines.find(({ type }) => type === "models"))).toContain("claude-code/");
  });

  it("holds what the agent loads late, and what other commands need: a vendor's code, operations of an API, the page", () => {
    const run = (...args: string[]): string => {
      const { status, stdout, stderr } = spawnSync(node, [entry, ...args], { cwd: work, env, encoding: "utf8", timeout: 120_000 });
      expect([status, stderr]).toEqual([0, ""]);
      return stdout;
    };
    expect(run("call", "--demo", "--path", "/data/api/v1/gateway-info")).toContain("RUNNING");
    expect(run("api", "list", "--demo")).toContain("listTags");
    expect(run("conform", "--list")).toContain("echo");
    expect(run("completion", "zsh")).toContain("compdef");
    const chat = spawnSync(node, [entry, "chat", "--model", "openai/x", "hello"], {
      cwd: work,
      env: { ...env, OPENAI_API_KEY: "x", OPENAI_BASE_URL: "http://127.0.0.1:9/v1" },
      encoding: "utf8",
      timeout: 120_000,
    });
    // Its vendor's code was loaded, and could not connect.
    expect(chat.stderr).toMatch(/connect|reach/i);
    expect(statSync(join(staged, "node_modules/hawser/dist/page/index.html")).size).toBeGreaterThan(0);
  });

  it("holds no sources, no types, no links, and names whose work is in it", () => {
    const files = globSync("**/*", { cwd: staged });
    expect(files.filter((path) => /\.tsx?$|\.map$/.test(path))).toEqual([]);
    expect(files.filter((path) => lstatSync(join(staged, path)).isSymbolicLink())).toEqual([]);
    const licenses = readFileSync(join(staged, "node_modules/hawser/dist/cli/main-licenses.txt"), "utf8");
    for (const name of ["undici", "commander", "@ai-sdk/anthropic", "valibot", "ws"])
      expect(licenses).toMatch(new RegExp(`^${name} \\d`, "m"));
    expect(licenses).not.toContain("@anthropic-ai/claude-agent-sdk");
  });

  it("is the same each time, to the byte, the mode and the time", () => {
    const again = join(folder, "again");
    stageRuntime({ to: again });
    const files = filesOf(staged);
    expect(filesOf(again)).toEqual(files);
    expect(files.filter((path) => !isSame(join(staged, path), join(again, path)))).toEqual([]);
  });
});

const filesOf = (place: string): string[] =>
  globSync("**/*", { cwd: place })
    .filter((path) => statSync(join(place, path)).isFile())
    .toSorted();

function isSame(one: string, other: string): boolean {
  const [first, second] = [statSync(one), statSync(other)];
  return first.mode === second.mode && first.mtimeMs === second.mtimeMs && readFileSync(one).equals(readFileSync(other));
}
