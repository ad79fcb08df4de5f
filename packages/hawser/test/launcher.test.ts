// The launcher: what it runs in a package as published and in a checkout, and what it does without
// running anything. The layouts are built from the real launcher and stand-ins for the program.

import {
  chmodSync,
  chownSync,
  copyFileSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createProgram } from "../src/program.ts";
import { cachedCommands } from "../src/command-line/cached-commands.ts";
import { launcher, makeFolder, runHawser, start, type Ended } from "./run-hawser.ts";

const manifest = JSON.parse(readFileSync(join(import.meta.dirname, "..", "package.json"), "utf8")) as { version: string };
const sources = `export const main = (args) => console.log("sources", process.pid, ...args);\n`;
const built = `console.log("built", process.pid, ...process.argv.slice(2));\n`;
const minuteAgo = new Date(Date.now() - 60_000);

/** A package folder with the real launcher in it; each file is given by its path and content. */
function makePackage(files: Record<string, string>): string {
  const folder = makeFolder("package");
  mkdirSync(join(folder, "bin"));
  copyFileSync(launcher, join(folder, "bin", "hawser.cjs"));
  const all = { "package.json": JSON.stringify({ version: "9.8.7", type: "module", devDependencies: {} }), ...files };
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
  const running = start(args, { NODE_COMPILE_CACHE: undefined, ...env }, [...options, join(folder, "bin", "hawser.cjs")]);
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
    const folder = makePackage({ "dist/cli/start.cjs": built, "src/main.ts": sources });
    utimesSync(join(folder, "dist/cli/start.cjs"), minuteAgo, minuteAgo);
    const { pid, ...ended } = await runPackage(folder);
    expect(ended).toEqual({ code: 0, signal: null, stdout: `built ${pid} a --b\n`, stderr: "" });
  });

  it("runs the sources of a checkout that is not built, under the same process id", async () => {
    const { pid, ...ended } = await runPackage(makePackage({ "tsconfig.json": "{}", "src/main.ts": sources }));
    expect(ended).toEqual({ code: 0, signal: null, stdout: `sources ${pid} a --b\n`, stderr: "" });
  });

  it("runs the sources of a checkout when one of them is newer than the build, else the build", async () => {
    const files = { "dist/cli/start.cjs": built, "src/main.ts": sources, "src/deep/part.ts": "" };
    const folder = makePackage({ "tsconfig.json": "{}", ...files });
    for (const path of ["src/main.ts", "src/deep/part.ts"]) utimesSync(join(folder, path), minuteAgo, minuteAgo);
    expect((await runPackage(folder)).stdout).toMatch(/^built /);
    utimesSync(join(folder, "src/deep/part.ts"), new Date(), new Date(Date.now() + 1_000));
    expect((await runPackage(folder)).stdout).toMatch(/^sources /);
  });
});

const bundle = join(import.meta.dirname, "../dist/cli/start.cjs");

/** The bundled command line, with a cache folder of its own or in surroundings without one. */
async function runBundle(env: NodeJS.ProcessEnv, args: readonly string[] = ["exit-codes", "--json"]): Promise<Ended> {
  const running = start([...args], env, [bundle]);
  running.process.stdin.end();
  return running.ended;
}

describe.concurrent("code cache of the command line", () => {
  const kept = (cache: string): string[] => readdirSync(join(cache, "hawser"));

  it("keeps compiled code in a private folder of the cache directory, and uses it in the next run", async () => {
    const cache = makeFolder("cache");
    await runBundle({ XDG_CACHE_HOME: cache });
    expect(statSync(join(cache, "hawser")).mode & 0o777).toBe(0o700);
    const [name = "", ...others] = kept(cache);
    expect(others).toEqual([]);
    const path = join(cache, "hawser", name);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const { ino } = statSync(path);
    await runBundle({ XDG_CACHE_HOME: cache });
    expect(statSync(path).ino).toBe(ino);
  });

  it.each([
    ["that others may write", (path: string) => chmodSync(path, 0o666)],
    [
      "that a link leads to",
      (path: string) => {
        copyFileSync(path, `${path}.elsewhere`);
        rmSync(path);
        symlinkSync(`${path}.elsewhere`, path);
      },
    ],
    // Only an administrator can give a file away; for others the first case stands for it.
    ["of another user", (path: string) => (process.getuid?.() === 0 ? chownSync(path, 12_345, 12_345) : chmodSync(path, 0o666))],
  ])("runs no compiled code %s, and replaces it", async (_what, change) => {
    const cache = makeFolder("cache");
    await runBundle({ XDG_CACHE_HOME: cache });
    const path = join(cache, "hawser", kept(cache)[0] ?? "");
    change(path);
    const before = statSync(path).ino;
    expect(await runBundle({ XDG_CACHE_HOME: cache })).toMatchObject({ code: 0 });
    const after = lstatSync(path);
    expect(after.ino).not.toBe(before);
    expect({ mode: after.mode & 0o777, uid: after.uid, isFile: after.isFile() }).toEqual({
      mode: 0o600,
      uid: process.getuid?.(),
      isFile: true,
    });
  });

  /** Which files of compiled code there are, and which writing of each. V8 refuses nothing of a file that a run leaves as it is. */
  const writings = (cache: string): string[] =>
    readdirSync(join(cache, "hawser"), { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name }) => `${name} ${statSync(join(cache, "hawser", name)).ino}`)
      .toSorted();

  const item = '{"path":"/data/api/v1/gateway-info"}\n';
  const agentArgs = ["--model", "offline", "--root", import.meta.dirname, "--no-history"];

  it.each([
    ["agent", agentArgs, '{"id":"1","kind":"user_message","message":"hello"}\n'],
    ["chat", [...agentArgs, "hello"], ""],
    ["call", ["--demo", "--path", "/data/api/v1/gateway-info"], ""],
    ["call", ["--demo", "--op", "listLogs", "--json"], ""],
    ["call", ["--demo", "--batch", "-"], item],
    ["rpc", ["--demo"], '{"id":"1","op":"call","args":{"path":"/data/api/v1/gateway-info"}}\n'],
    ["api", ["list", "--demo"], ""],
    ["config", ["show"], ""],
    ["doctor", ["--demo"], ""],
    ["echo", [], '{"id":1,"method":"echo","params":{}}\n'],
  ])("the next run of %s %j uses all of the code that the first has kept", async (command, args, input) => {
    const cache = makeFolder("cache");
    const run = async (): Promise<string[]> => {
      const running = start([command, ...args], { XDG_CACHE_HOME: cache }, [bundle]);
      running.process.stdin.end(input);
      expect(await running.ended).toMatchObject({ code: 0 });
      return writings(cache);
    };
    const first = await run();
    expect(first.length).toBeGreaterThan(0);
    expect(await run()).toEqual(first);
  });

  it("what one use of a command has kept is still there after another use of it", async () => {
    const cache = makeFolder("cache");
    const use = async (...args: string[]): Promise<string[]> => {
      const running = start(["call", "--demo", ...args], { XDG_CACHE_HOME: cache }, [bundle]);
      running.process.stdin.end(item);
      expect(await running.ended).toMatchObject({ code: 0 });
      return writings(cache);
    };
    await use("--path", "/data/api/v1/gateway-info");
    const both = await use("--batch", "-");
    expect(await use("--path", "/data/api/v1/gateway-info")).toEqual(both);
  });

  it("damaged, foreign and stale code is never believed: every command does what it does without", async () => {
    const cache = makeFolder("cache");
    const good = await runBundle({ XDG_CACHE_HOME: cache });
    const [name = ""] = kept(cache);
    const path = join(cache, "hawser", name);
    const bytes = readFileSync(path);
    const flip = (at: number): Buffer => Object.assign(Buffer.from(bytes), { [at]: (bytes[at] ?? 0) ^ 0x41 });
    const places = [0, 10, 127, 128, 131, 140, bytes.length / 2, bytes.length / 2 + 10, bytes.length - 1];
    const spread = Array.from({ length: 4 }, (_, count) => Math.floor((bytes.length * (count + 0.5)) / 4));
    const foreign = Buffer.concat([bytes.subarray(0, bytes.length / 2), bytes.subarray(0, bytes.length / 2 - 8), Buffer.alloc(8)]);
    const stale = Buffer.from(bytes);
    // Another build that is damaged in the same way twice.
    for (const at of [0, bytes.length / 2]) stale.write("0".repeat(32), at);
    const all = [
      ...[...places, ...spread].map(flip),
      foreign,
      stale,
      bytes.subarray(0, 1_000),
      Buffer.alloc(bytes.length),
      Buffer.alloc(0),
    ];
    for (const damaged of all) {
      writeFileSync(path, damaged);
      expect(await runBundle({ XDG_CACHE_HOME: cache })).toEqual(good);
      expect(readFileSync(path).equals(damaged)).toBe(false);
    }
  });

  it("words that are not commands share one file", async () => {
    const cache = makeFolder("cache");
    for (const word of ["nonsense", "--help", "../../x"]) await runBundle({ XDG_CACHE_HOME: cache }, [word]);
    expect(kept(cache)).toHaveLength(1);
  });

  it("what has a file of its own is a command", async () => {
    const { commands } = await createProgram();
    expect(commands.map((command) => command.name())).toEqual(expect.arrayContaining([...cachedCommands]));
  });

  it("makes a cache folder private that was open to others", async () => {
    const cache = makeFolder("cache");
    mkdirSync(join(cache, "hawser"), { mode: 0o777 });
    await runBundle({ XDG_CACHE_HOME: cache });
    expect(statSync(join(cache, "hawser")).mode & 0o777).toBe(0o700);
  });

  it("a cache folder that is a link is not used, and what it points at stays as it is", async () => {
    const cache = makeFolder("cache");
    const target = makeFolder("target");
    chmodSync(target, 0o755);
    symlinkSync(target, join(cache, "hawser"));
    const ended = await runBundle({ XDG_CACHE_HOME: cache });
    expect(ended).toMatchObject({ code: 0, stdout: expect.stringContaining("exitCodes"), stderr: "" });
    expect([statSync(target).mode & 0o777, readdirSync(target)]).toEqual([0o755, []]);
  });

  it("with a HOME below /proc, where nothing can be made, it runs and ends with 0, without a word", async () => {
    const env = { HOME: "/proc/self", XDG_CACHE_HOME: undefined };
    const ended = await runBundle(env);
    expect(ended).toMatchObject({ code: 0, stdout: expect.stringContaining("exitCodes"), stderr: "" });
  });

  it("runs without a cache and without a word where none can be written", async () => {
    const ended = await runBundle({ XDG_CACHE_HOME: "/dev/null/none" });
    expect(ended).toMatchObject({ code: 0, stdout: expect.stringContaining("exitCodes"), stderr: "" });
  });
});
