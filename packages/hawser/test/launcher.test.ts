// The launcher: what it runs in a package as published and in a checkout, and what it does without
// running anything. The layouts are built from the real launcher and stand-ins for the program.

import { chmodSync, copyFileSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { launcher, makeFolder, runHawser, start, type Ended } from "./run-hawser.ts";

const manifest = JSON.parse(readFileSync(join(import.meta.dirname, "..", "package.json"), "utf8")) as { version: string };
const program = (name: string): string => `export const main = (args) => console.log("${name}", process.pid, ...args);\n`;
const minuteAgo = new Date(Date.now() - 60_000);

/** A package folder with the real launcher in it; each file is given by its path and content. */
function makePackage(files: Record<string, string>): string {
  const folder = makeFolder("package");
  mkdirSync(join(folder, "bin"));
  copyFileSync(launcher, join(folder, "bin", "hawser.mjs"));
  const all = { "package.json": JSON.stringify({ version: "9.8.7", type: "module", dependencies: {} }), ...files };
  for (const [path, content] of Object.entries(all)) {
    mkdirSync(join(folder, path, ".."), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  return folder;
}

async function runPackage(
  folder: string,
  args: string[] = ["a", "--b"],
  env: NodeJS.ProcessEnv = {},
  options: string[] = [],
): Promise<Ended & { pid: number | undefined }> {
  // The tests' own cache would come first.
  const running = start(args, { NODE_COMPILE_CACHE: undefined, ...env }, [...options, join(folder, "bin", "hawser.mjs")]);
  running.process.stdin.end();
  return { ...(await running.ended), pid: running.process.pid };
}

describe.concurrent("launcher", () => {
  it("R99: --version prints the version of the package", async () => {
    for (const flag of ["--version", "-V"]) {
      expect(await runHawser([flag])).toEqual({ code: 0, signal: null, stdout: `${manifest.version}\n`, stderr: "" });
    }
  });

  it("answers --version without loading the program", async () => {
    expect(await runPackage(makePackage({}), ["--version"])).toMatchObject({ code: 0, stdout: "9.8.7\n", stderr: "" });
  });

  it("turns a Node that is too old away in one sentence, with exit code 2", async () => {
    for (const old of ["20.20.2", "22.12.0", "18.0.0"]) {
      const pretend = `data:text/javascript,Object.defineProperty(process,"versions",{value:{node:"${old}"}})`;
      const { code, stdout, stderr } = await runPackage(makePackage({}), ["echo"], {}, ["--import", pretend]);
      expect([code, stdout]).toEqual([2, ""]);
      expect(stderr).toBe(`hawser needs Node 22.13 or newer and this is ${old}; install a newer one from https://nodejs.org\n`);
    }
  });

  it("runs the build of a published package, even if its sources are newer", async () => {
    const folder = makePackage({ "dist/main.js": program("built"), "src/main.ts": program("sources") });
    utimesSync(join(folder, "dist/main.js"), minuteAgo, minuteAgo);
    const { pid, ...ended } = await runPackage(folder);
    expect(ended).toEqual({ code: 0, signal: null, stdout: `built ${pid} a --b\n`, stderr: "" });
  });

  it("runs the sources of a checkout that is not built, under the same process id", async () => {
    const { pid, ...ended } = await runPackage(makePackage({ "tsconfig.json": "{}", "src/main.ts": program("sources") }));
    expect(ended).toEqual({ code: 0, signal: null, stdout: `sources ${pid} a --b\n`, stderr: "" });
  });

  it("runs the sources of a checkout when one of them is newer than its build, else the build", async () => {
    const files = { "dist/main.js": program("built"), "dist/deep/part.js": "", "src/main.ts": program("sources"), "src/deep/part.ts": "" };
    const folder = makePackage({ "tsconfig.json": "{}", ...files });
    for (const path of ["src/main.ts", "src/deep/part.ts"]) utimesSync(join(folder, path), minuteAgo, minuteAgo);
    expect((await runPackage(folder)).stdout).toMatch(/^built /);
    utimesSync(join(folder, "src/deep/part.ts"), new Date(), new Date(Date.now() + 1_000));
    expect((await runPackage(folder)).stdout).toMatch(/^sources /);
  });

  it("keeps compiled code in a private folder of the cache directory", async () => {
    const cache = makeFolder("cache");
    await runPackage(makePackage({ "dist/main.js": program("built") }), [], { XDG_CACHE_HOME: cache });
    expect(statSync(join(cache, "hawser")).mode & 0o777).toBe(0o700);
    expect(readdirSync(join(cache, "hawser")).length).toBeGreaterThan(0);
  });

  it("makes a cache folder private that was open to others", async () => {
    const cache = makeFolder("cache");
    mkdirSync(join(cache, "hawser"), { mode: 0o777 });
    await runPackage(makePackage({ "dist/main.js": program("built") }), [], { XDG_CACHE_HOME: cache });
    expect(statSync(join(cache, "hawser")).mode & 0o777).toBe(0o700);
  });

  it("a cache folder that is a link is not used, and what it points at stays as it is", async () => {
    const cache = makeFolder("cache");
    const target = makeFolder("target");
    chmodSync(target, 0o755);
    symlinkSync(target, join(cache, "hawser"));
    const ended = await runPackage(makePackage({ "dist/main.js": program("built") }), [], { XDG_CACHE_HOME: cache });
    expect(ended).toMatchObject({ code: 0, stdout: expect.stringMatching(/^built /), stderr: "" });
    expect([statSync(target).mode & 0o777, readdirSync(target)]).toEqual([0o755, []]);
  });

  it("with a HOME below /proc, where nothing can be made, it runs and ends with 0, without a word", async () => {
    const env = { HOME: "/proc/self", XDG_CACHE_HOME: undefined };
    const ended = await runPackage(makePackage({ "dist/main.js": program("built") }), [], env);
    expect(ended).toMatchObject({ code: 0, stdout: expect.stringMatching(/^built /), stderr: "" });
  });

  it("runs without a cache and without a word where none can be written", async () => {
    const ended = await runPackage(makePackage({ "dist/main.js": program("built") }), [], { XDG_CACHE_HOME: "/dev/null/none" });
    expect(ended).toMatchObject({ code: 0, stdout: expect.stringMatching(/^built /), stderr: "" });
  });
});
