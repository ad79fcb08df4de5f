// On a Node that is too old every published entry says so in one sentence: which Node it needs, and which it found. Tried with a
// real old Node where the machine has one, and everywhere with the pinned one that calls itself old. Needs the build.

import { execFile, execFileSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "..");

interface Manifest {
  readonly name: string;
  readonly engines: { readonly node: string };
  readonly exports?: Readonly<Record<string, { readonly default: string }>>;
}

const manifests = globSync("packages/*/package.json", { cwd: root })
  .toSorted()
  .map((path) => ({ folder: join(root, path, ".."), ...(JSON.parse(readFileSync(join(root, path), "utf8")) as Manifest) }));
const entries = manifests
  .flatMap(({ folder, exports = {} }) => Object.values(exports).map((entry) => join(folder, entry.default)))
  // Plain numbers, which any Node can read.
  .filter((entry) => !entry.endsWith("limits.js"));
const programs = ["packages/hawser/bin/hawser.cjs", "packages/hawser/bin/igw.cjs", "packages/bridge/dist/bridge.cjs"];

interface OldNode {
  readonly command: string;
  readonly args: readonly string[];
  readonly version: string;
}

const pretending: OldNode = {
  command: process.execPath,
  args: ["--import", 'data:text/javascript,Object.defineProperty(process,"versions",{value:{...process.versions,node:"22.12.0"}})'],
  version: "22.12.0",
};

/** The first on the PATH that is older than what the packages need. */
function findOldNode(): OldNode | undefined {
  for (const folder of (process.env["PATH"] ?? "").split(":")) {
    try {
      const command = join(folder, "node");
      const version = execFileSync(command, ["--version"], { encoding: "utf8" }).trim().slice(1);
      if (Number.parseFloat(version) < 22) return { command, args: [], version };
    } catch {
      // No Node there.
    }
  }
  return undefined;
}

const old = findOldNode();

function run({ command, args }: OldNode, more: readonly string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((done) => {
    execFile(command, [...args, ...more], (error, stdout, stderr) => done({ code: Number(error?.code ?? 0), stdout, stderr }));
  });
}

const importAll = `
  const outcomes = [];
  for (const entry of process.argv.slice(1))
    await import(entry).then(() => outcomes.push("imported"), ({ name, code, message }) => outcomes.push([name, code, message].join(": ")));
  console.log(JSON.stringify(outcomes));`;

describe.for(["a real old Node", "a Node one step too old"])("%s", (kind) => {
  const node = kind === "a real old Node" ? old : pretending;

  it("every entry of the library is refused with an error that a program can catch", async ({ skip }) => {
    if (!node) {
      skip("no Node before 22 is on the PATH");
      return;
    }
    const { stdout, stderr } = await run(node, ["--input-type=module", "--eval", importAll, ...entries]);
    expect(stderr).toBe("");
    const sentence = `HawserError: usage: Hawser needs Node 22.13 or newer and this is ${node.version}; install a newer one from https://nodejs.org`;
    expect(JSON.parse(stdout)).toEqual(entries.map(() => sentence));
    expect(entries.length).toBeGreaterThan(10);
  });

  it.for(programs)("%s prints one line and ends with 2", async (program, { skip }) => {
    if (!node) {
      skip("no Node before 22 is on the PATH");
      return;
    }
    const { code, stdout, stderr } = await run(node, [join(root, program), "/s", "/t"]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(/^[^\n]*needs Node 22\.13 or newer and this is [^\n]*\n$/);
    expect(stderr).toContain(node.version);
  });
});

describe("the oldest Node that is supported", () => {
  // What came into JavaScript after Node 22.13 and can be switched off in a newer one.
  const switchedOff = [
    "explicit-resource-management",
    "regexp-modifiers",
    "regexp-duplicate-named-groups",
    "regexp-escape",
    "promise-try",
    "error-iserror",
    "float16array",
  ];
  const oldest: OldNode = { command: process.execPath, args: switchedOff.map((name) => `--no-js-${name}`), version: "22.13.0" };

  it("reads every entry of the library", async () => {
    const { stdout, stderr } = await run(oldest, ["--input-type=module", "--eval", importAll, ...entries]);
    expect([JSON.parse(stdout), stderr]).toEqual([entries.map(() => "imported"), ""]);
  });

  it("reads every file of the programs", async () => {
    const files = globSync(["packages/hawser/dist/**/*.cjs", "packages/bridge/dist/*.cjs"], { cwd: root }).map((file) => join(root, file));
    const compileAll = `
      const { readFileSync } = require("node:fs");
      for (const file of process.argv.slice(1)) {
        try { new (require("node:vm").Script)(readFileSync(file, "utf8").replace(/^#!.*/, "")) } catch (error) { console.log(file + ": " + error.message) }
      }`;
    expect(await run(oldest, ["--eval", compileAll, ...files])).toEqual({ code: 0, stdout: "", stderr: "" });
    expect(files.length).toBeGreaterThan(10);
  });
});

it("all packages need the same Node", () => {
  expect(new Set(manifests.map(({ engines }) => engines.node))).toEqual(new Set([">=22.13"]));
});
