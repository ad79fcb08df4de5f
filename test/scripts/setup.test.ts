// The set-up behind `npm start` and `npm test`, run as a real process in a temporary tree. The task
// at its end is replaced by one that tells how it was started.

import { hostname } from "node:os";
import { existsSync, readFileSync, rmSync, writeFileSync, readlinkSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { createTempTree, isRunning, pinnedName, writeLock, type Outcome, type RunOptions, type TempTree } from "./temp-tree.ts";

const reportingTask = `// Tells how it was started.
process.stdout.write(JSON.stringify({ node: process.execPath, argv0: process.argv0, args: process.argv.slice(2), env: process.env }));`;

function createReportingTree(): TempTree {
  const tree = createTempTree();
  tree.write("scripts/tasks/main.ts", reportingTask);
  return tree;
}

// A tree after its first run, and what that run printed.
let installed: TempTree;
let firstRun: Outcome;
beforeAll(async () => {
  installed = createReportingTree();
  firstRun = await installed.runScript(["start"]);
  expect({ code: firstRun.code, calls: installed.npmCalls().length }).toEqual({ code: 0, calls: 1 });
});

interface Report {
  readonly argv0: string;
  readonly args: string[];
  readonly env: Record<string, string>;
}
const readReport = (stdout: string): Report => JSON.parse(stdout) as Report;

const pretend = (env: Record<string, string>): RunOptions => ({
  nodeOptions: ["--require", join(import.meta.dirname, "fixtures", "pretend.cjs")],
  env,
});

it("installs before the first task, without install scripts, and runs the task on the pinned Node", async () => {
  const tree = createReportingTree();
  const { code, stdout } = await tree.runScript(["test", "packages/wire"]);
  const [call, ...more] = tree.npmCalls();
  expect({ code, more }).toEqual({ code: 0, more: [] });
  expect(call).toMatch(/^ci --ignore-scripts /);
  expect(readReport(stdout)).toMatchObject({
    argv0: tree.path(join("node_modules", pinnedName, "bin", process.platform === "win32" ? "node.exe" : "node")),
    args: ["test", "packages/wire"],
  });
});

it("installs nothing on the second run, and says nothing", async () => {
  const tree = installed.copy();
  const second = await tree.runScript(["start"]);
  expect(second).toMatchObject({ code: 0, stderr: "" });
  expect(tree.npmCalls()).toHaveLength(1);
});

it("installs again when the lock file has changed", async () => {
  const tree = installed.copy();
  writeLock(tree.write, "2.0.0");
  expect((await tree.runScript(["start"])).code).toBe(0);
  expect(tree.npmCalls()).toHaveLength(2);
});

it.each(["", "node_modules/.hawser-installed"])(
  "installs again when the folder was installed on another platform (removed: %j)",
  async (removed) => {
    const tree = installed.copy();
    const record = tree.path("node_modules/.hawser-installed");
    writeFileSync(record, readFileSync(record, "utf8").replace(process.platform, "plan9"));
    if (removed) rmSync(tree.path(removed));
    tree.write("node_modules/.package-lock.json", JSON.stringify({ packages: { "node_modules/left": { version: "1.0.0" } } }));
    expect((await tree.runScript(["start"])).code).toBe(0);
    expect(tree.npmCalls()).toHaveLength(2);
  },
);

it("repairs an installation that was interrupted", async () => {
  const tree = createReportingTree();
  const first = await tree.runScript(["start"], { npm: "stops-halfway" });
  expect(first).toMatchObject({ code: 1, stdout: "" });
  expect((await tree.runScript(["start"])).code).toBe(0);
  expect(tree.npmCalls()).toHaveLength(2);
});

it("repairs an installation of which a package is gone", async () => {
  const tree = installed.copy();
  rmSync(tree.path("node_modules/left"), { recursive: true });
  expect((await tree.runScript(["start"])).code).toBe(0);
  expect(existsSync(tree.path("node_modules/left/package.json"))).toBe(true);
});

it("accepts what npm installed when it was run by hand", async () => {
  const tree = installed.copy();
  rmSync(tree.path("node_modules/.hawser-installed"));
  expect((await tree.runScript(["start"])).code).toBe(0);
  expect(tree.npmCalls()).toHaveLength(1);
});

it("says in one sentence that the registry can't be reached, and names npm's log", async () => {
  const tree = createReportingTree();
  const { code, stdout, stderr } = await tree.runScript(["test"], { npm: "has-no-network" });
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr.trimEnd().split("\n").at(-1)).toBe(
    `hawser: The package registry can't be reached (ENOTFOUND); check the network or npm's proxy settings and run this again. (npm's log: ${join(".hawser", "npm-install.log")})`,
  );
  expect(stderr).not.toMatch(/^\s+at /m);
  expect(readFileSync(tree.path(".hawser/npm-install.log"), "utf8")).toContain("npm error code ENOTFOUND");
});

it("gives up soon where there is no network: npm tries each download twice", () => {
  expect(installed.npmCalls()[0]).toMatch(/ --fetch-retries=1 --fetch-retry-mintimeout=1000 --fetch-retry-maxtimeout=5000$/);
});

// Each of them waits for seconds.
describe.concurrent("an installation that takes its time", () => {
  it.for([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)(
    "%s during the installation ends npm with all that it started, in one sentence, with exit code %i",
    async ([signal, exitCode], { expect: expectHere }) => {
      const tree = createReportingTree();
      const processes = (): string => (existsSync(tree.path("npm-processes")) ? readFileSync(tree.path("npm-processes"), "utf8") : "");
      const { code, stdout, stderr } = await tree.runScript(["start"], {
        npm: "never-ends",
        async onStart(child) {
          await expectHere.poll(processes, { timeout: 50_000 }).toMatch(/^\d+ \d+$/);
          child.kill(signal);
        },
      });
      expect({ code, stdout }).toEqual({ code: exitCode, stdout: "" });
      expect(stderr.split("\n").slice(1)).toEqual(["hawser: interrupted; the next run starts the installation again", ""]);
      for (const pid of processes().split(" ").map(Number)) await expectHere.poll(() => isRunning(pid), { timeout: 50_000 }).toBe(false);
      expect(existsSync(tree.path(".hawser/setup.lock"))).toBe(false);
      expect((await tree.runScript(["start"])).code).toBe(0);
    },
  );

  it("lets two runs at once install only once", async () => {
    const tree = createReportingTree();
    const runs = await Promise.all([1, 2].map(() => tree.runScript(["start"], { npm: "installs-slowly" })));
    expect(runs.map(({ code }) => code)).toEqual([0, 0]);
    expect(tree.npmCalls()).toHaveLength(1);
    expect(existsSync(tree.path(".hawser/setup.lock"))).toBe(false);
  });
});

it("says at once that it installs, how much, and where npm's log is", () => {
  expect(firstRun.stderr.split("\n")[0]).toBe(
    `hawser: installing what package-lock.json lists, once: about 1.4 GB, a minute or more (npm's log: ${join(".hawser", "npm-install.log")})`,
  );
});

it("says in one sentence that npm is missing", async () => {
  const { code, stderr } = await createReportingTree().runScript(["test"], { npm: "is-missing" });
  expect(code).toBe(1);
  expect(stderr.trimEnd().split("\n").at(-1)).toBe(
    "hawser: npm was not found; install Node with npm (https://nodejs.org) and run this again.",
  );
});

it("says in one sentence that the folder can't be written to", async () => {
  const tree = createReportingTree();
  // A file where the folder should be: also the system's administrator can't write there.
  tree.write(".hawser", "");
  const { code, stderr } = await tree.runScript(["test"]);
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: `hawser: ${tree.root} can't be written to (EEXIST); give it to your user, or work in a copy, and run this again.\n`,
  });
});

it.each([
  ["that can't even install", { PRETEND_NODE: "14.21.3" }, "hawser: Node 14.21.3 is too old to set this repository up;"],
  [
    "where no pinned Node exists",
    { PRETEND_NODE: "20.20.2", PRETEND_ARCH: "riscv64" },
    `hawser: Node 20.20.2 is too old, and no Node for ${process.platform}-riscv64 comes with this repository;`,
  ],
])("says in one sentence that a Node is too old %s, before anything is installed", async (_where, env, sentence) => {
  const tree = createReportingTree();
  const { code, stdout, stderr } = await tree.runScript(["test"], pretend(env));
  expect({ code, stdout, stderr }).toEqual({
    code: 1,
    stdout: "",
    stderr: `${sentence} install Node 24 (https://nodejs.org) and run this again.\n`,
  });
  expect(tree.npmCalls()).toEqual([]);
});

it("runs the task on the machine's own Node where no pinned one exists and it is new enough", async () => {
  const { code, stdout } = await createReportingTree().runScript(["start"], pretend({ PRETEND_ARCH: "riscv64" }));
  expect(code).toBe(0);
  expect(readReport(stdout).argv0).toBe(process.execPath);
});

const here = existsSync("/proc/self/ns/pid")
  ? `${readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()} ${readlinkSync("/proc/self/ns/pid")}`
  : `${process.platform} ${hostname()}`;

it.each([
  // No system gives out an id this high.
  ["that was killed", `${here}\n99999999\n`, 0],
  ["in another container that has given no sign of life for a minute", `elsewhere\n${process.pid}\n`, 61],
  ["that was killed before it wrote its id", "", 11],
])("takes over the lock of a run %s", async (_which, content, ageSeconds) => {
  const tree = createReportingTree();
  tree.write(".hawser/setup.lock", content);
  const touchedAt = Date.now() / 1_000 - ageSeconds;
  utimesSync(tree.path(".hawser/setup.lock"), touchedAt, touchedAt);
  expect((await tree.runScript(["start"])).code).toBe(0);
  expect(tree.npmCalls()).toHaveLength(1);
});

it.each([
  ["that is still at work", `${here}\n${process.pid}\n`],
  ["in another container, whose id means nothing here", "elsewhere\n99999999\n"],
])("says that it waits for a run %s, and goes on when that one is done", async (_which, content) => {
  const tree = createReportingTree();
  tree.write(".hawser/setup.lock", content);
  const said: string[] = [];
  const { code } = await tree.runScript(["start"], {
    onStderr(text) {
      if (said.push(text) > 1) return;
      expect(tree.npmCalls()).toEqual([]);
      rmSync(tree.path(".hawser/setup.lock"));
    },
  });
  expect(code).toBe(0);
  expect(said[0]).toBe("hawser: another run is setting up this tree; waiting for it\n");
});

it("gives the task the user's environment without what npm and Node options add", async () => {
  const env = { MINE: "kept", CI: "true", npm_config_registry: "dropped", npm_lifecycle_event: "dropped", NODE_OPTIONS: "--no-warnings" };
  const { stdout } = await installed.copy().runScript(["start"], { env });
  const report = readReport(stdout);
  expect(report.env).toMatchObject({ MINE: "kept", CI: "true" });
  expect(Object.keys(report.env).filter((name) => /^(npm_|NODE_OPTIONS)/.test(name))).toEqual([]);
});

it("passes the task's exit code on", async () => {
  const tree = installed.copy();
  tree.write("scripts/tasks/main.ts", "process.exitCode = 7;");
  expect((await tree.runScript(["start"])).code).toBe(7);
});

it("never fails an installation by hand because the build after it fails", async () => {
  const tree = installed.copy();
  tree.write("scripts/tasks/main.ts", "process.exitCode = 1;");
  const { code, stderr } = await tree.runScript(["prepare"]);
  expect(code).toBe(0);
  expect(stderr).toBe("hawser: not built yet; the next `npm start` or `npm test` tries again\n");
});
