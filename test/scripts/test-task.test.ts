// What `npm test` prints last and how it exits, with the real vitest on small test files, and with
// a vitest that crashes.

import { beforeAll, expect, it } from "vitest";
import { createTempTree, linkTools, tinyPackage, type Outcome, type TempTree } from "./temp-tree.ts";

const passing = `import { test } from "vitest"; test("holds", () => {});`;
const failing = `import { expect, test } from "vitest"; test("fails", () => { expect(1).toBe(2); });`;
const skipping = `import { test } from "vitest"; test("needs a printer", (context) => { context.skip("there is no printer"); });`;
const unhandled = `import { test } from "vitest"; test("holds", () => { void Promise.reject(new Error("nobody waits")); });`;
const broken = `import "./does-not-exist.ts";`;
const brokenHook = `import { beforeAll, describe, test } from "vitest";
describe("group", () => { beforeAll(() => { throw new Error("hook"); }); test("never runs", () => {}); });`;
/** Code that throws when it runs for the first time; the path of what it leaves then is `mark`. */
const failsOnce = (name: string): string => `const mark = import.meta.filename + ".${name}";
if (!existsSync(mark)) { writeFileSync(mark, ""); throw new Error("${name} failed\\nat first"); }`;
const imports = `import { existsSync, writeFileSync } from "node:fs"; import { beforeAll, describe, expect, test } from "vitest";`;
const unsteadyTests = (...names: string[]): string =>
  `${imports}\n${names.map((name) => `test("${name}", () => { ${failsOnce(name)} });`).join("\n")}`;
const unsteadyAmongOthers = `${imports}
test("is not run again", () => { const mark = import.meta.filename + ".ran"; expect(existsSync(mark)).toBe(false); writeFileSync(mark, ""); });
describe("a group (1+1)", () => { test("$.holds? [later]", () => { ${failsOnce("it")} }); });`;
const unsteadyHook = `${imports}
describe("group", () => { beforeAll(() => { ${failsOnce("hook")} }); test("one", () => {}); test("two", () => {}); });`;
const unsteadyFile = `${imports} ${failsOnce("file")} test("one", () => {});`;
const crashing = `process.exit(process.argv.at(-1) === "ends-badly" ? 3 : 0);`;

// The folders of test files, each for one run; the name is the filter.
const folders: Record<string, Record<string, string>> = {
  good: { one: passing, two: passing },
  bad: { one: passing, two: failing, three: broken, four: brokenHook, five: skipping },
  stray: { one: unhandled },
  unsteady: { one: unsteadyAmongOthers, two: unsteadyHook, three: unsteadyFile },
  shaky: { one: unsteadyTests("a", "b", "c"), two: `${unsteadyTests("d")}\n${failing.replace(/.*; test/, "test")}` },
  many: { one: `${imports} test.each(Array(11).keys().toArray())("fails %i", () => { expect(1).toBe(2); });` },
};

let tree: TempTree;
let treeWithoutVitest: TempTree;
beforeAll(async () => {
  tree = createTempTree();
  for (const [name, content] of Object.entries(tinyPackage)) tree.write(name, content);
  tree.write(
    "vitest.config.ts",
    'export default { test: { include: ["cases/*/*.test.ts"], pool: "threads", maxWorkers: 1, isolate: false } };\n',
  );
  for (const [folder, files] of Object.entries(folders))
    for (const [name, content] of Object.entries(files)) tree.write(`cases/${folder}/${name}.test.ts`, content);
  // The installation comes first: it would remove what is linked.
  await tree.runScript(["no-such-task"]);
  linkTools(tree, ["typescript"]);
  await tree.runScript(["build"]);
  treeWithoutVitest = tree.copy();
  linkTools(tree, ["vitest", "vite"]);
});

/** Runs the task with a filter: one build step, no other checks, and the tests of that folder. */
async function runTestTask(filter: string, place = tree): Promise<Outcome & { last: string | undefined }> {
  const outcome = await place.runScript(["test", filter], { env: { CI: "true", FORCE_COLOR: "1" } });
  return { ...outcome, last: outcome.stdout.trimEnd().split("\n").at(-1) };
}

it("ends with the numbers of steps and tests that passed, and exit code 0", async () => {
  const { code, last, stdout } = await runTestTask("cases/good");
  expect({ code, last }).toEqual({ code: 0, last: "3 passed, 0 failed" });
  expect(stdout.endsWith(`\n${last}\n`)).toBe(true);
  // No terminal, so no colours, although the environment asks for them; and each long step says that it has begun.
  expect(stdout).not.toContain("\u001b");
  expect(stdout).toMatch(/^Node \S+, \S+\n {2}build … ok \([\d.]+ s\)\n {2}tests …\n/);
});

it("counts a failed test, a file that can't be loaded, a group whose hook fails, and skipped tests, with their reason; and exits with 1", async () => {
  const { code, last, stdout } = await runTestTask("cases/bad");
  // The tests of the group were only skipped, but the group has failed.
  expect({ code, last }).toEqual({ code: 1, last: "2 passed, 3 failed, 2 skipped" });
  expect(stdout).toContain("  skip  needs a printer: there is no printer\n");
  // Right before the last line: which. Files come in the order in which they ended.
  expect(stdout).toContain("\n  3 failures once more, alone …\n");
  // Once all four files, then each of the three that have a failure.
  expect(stdout.match(/^ RUN /gm)).toHaveLength(4);
  expect(stdout).not.toContain("Unsteady");
  const lines = stdout.trimEnd().split("\n").slice(-5);
  expect([lines[0], ...lines.slice(1, 4).toSorted()]).toEqual([
    "Failed:",
    "  cases/bad/four.test.ts: group",
    "  cases/bad/three.test.ts",
    "  cases/bad/two.test.ts: fails",
  ]);
});

it("runs what failed once more, alone: what holds then has passed, and is named with its first failure", async () => {
  const { code, last, stdout } = await runTestTask("cases/unsteady");
  // The build, two tests and those that a hook and a file had kept from running.
  expect({ code, last }).toEqual({ code: 0, last: "6 passed, 0 failed" });
  const [heading, ...lines] = stdout.slice(stdout.indexOf("\nUnsteady")).trim().split("\n").slice(0, -2);
  expect(heading).toMatch(/^Unsteady: /);
  const entries = [
    ["  cases/unsteady/one.test.ts: a group (1+1) > $.holds? [later]", "      it failed"],
    ["  cases/unsteady/two.test.ts: group", "      hook failed"],
    ["  cases/unsteady/three.test.ts", "      file failed"],
  ];
  expect(lines.toSorted()).toEqual(entries.flat().toSorted());
  for (const [name, failure] of entries) expect(lines.join("\n")).toContain(`${name}\n${failure}`);
});

it("fails when more than three were unsteady; of a file, each test that failed is judged by itself", async () => {
  const { code, last, stdout } = await runTestTask("cases/shaky");
  expect({ code, last }).toEqual({ code: 1, last: "5 passed, 2 failed" });
  expect(stdout).toContain("\nUnsteady: ");
  expect(stdout).toContain("\nFailed:\n  cases/shaky/two.test.ts: fails\n  4 unsteady tests, and at most 3 may be\n");
});

it("does not run again what failed in large numbers", async () => {
  const { code, last, stdout } = await runTestTask("cases/many");
  expect({ code, last }).toEqual({ code: 1, last: "1 passed, 11 failed" });
  expect(stdout).not.toContain("once more");
});

it("counts an error that belongs to no test as a failure", async () => {
  const { code, last, stdout } = await runTestTask("cases/stray");
  expect({ code, last }).toEqual({ code: 1, last: "2 passed, 1 failed" });
  expect(stdout).toContain("\nFailed:\n  1 error that belongs to no test\n");
});

it("counts a filter that matches no test as a failure", async () => {
  const { code, last } = await runTestTask("cases/none");
  expect({ code, last }).toEqual({ code: 1, last: "1 passed, 1 failed" });
});

it.each([
  ["ends badly", "ends-badly", "\nFailed:\n  vitest ended with exit code 3 and no report\n1 passed, 1 failed\n"],
  ["ends well without having run", "ends-well", "\nFailed:\n  vitest ended with exit code 0 and no report\n1 passed, 1 failed\n"],
])("counts a vitest that %s as a failure", async (_how, filter, line) => {
  treeWithoutVitest.write("node_modules/vitest/package.json", '{ "type": "module", "bin": { "vitest": "vitest.mjs" } }');
  treeWithoutVitest.write("node_modules/vitest/vitest.mjs", crashing);
  const { code, last, stdout } = await runTestTask(filter, treeWithoutVitest);
  expect({ code, last }).toEqual({ code: 1, last: "1 passed, 1 failed" });
  expect(stdout).toContain(line);
});
