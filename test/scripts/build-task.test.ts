// The build, run as a real process on a package of one file in a temporary tree, which each test has for itself.

import { existsSync, rmSync, statSync, utimesSync } from "node:fs";
import { beforeAll, expect, it } from "vitest";
import { createTempTree, linkTools, tinyPackage, type TempTree } from "./temp-tree.ts";

const output = "packages/tiny/dist/index.js";

let built: TempTree;
beforeAll(async () => {
  built = createTempTree();
  for (const [name, content] of Object.entries(tinyPackage)) built.write(name, content);
  // The installation comes first: it would remove what is linked.
  await built.runScript(["no-such-task"]);
  linkTools(built, ["typescript"]);
  expect(await build(built)).toBe("hawser: building\n");
});

async function build(tree: TempTree): Promise<string> {
  const { code, stdout, stderr } = await tree.runScript(["build"]);
  expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
  return stderr;
}

it("writes the outputs once and leaves them alone without a word while nothing changes", async () => {
  const tree = built.copy();
  const before = statSync(tree.path(output)).mtimeMs;
  expect(await build(tree)).toBe("");
  expect(statSync(tree.path(output)).mtimeMs).toBe(before);
});

it("says that it builds and writes an output that is gone, although the compiler's notes say that all is well", async () => {
  const tree = built.copy();
  rmSync(tree.path(output));
  expect(await build(tree)).toBe("hawser: building\n");
  expect(existsSync(tree.path(output))).toBe(true);
});

it("makes an output newer than a source that was only touched", async () => {
  const tree = built.copy();
  const touchedAt = new Date(Date.now() - 1000);
  utimesSync(tree.path(output), new Date(0), new Date(0));
  utimesSync(tree.path("packages/tiny/src/index.ts"), touchedAt, touchedAt);
  await build(tree);
  expect(statSync(tree.path(output)).mtimeMs).toBeGreaterThan(touchedAt.getTime());
});

it("removes the outputs of a source that is gone, and leaves the page alone, a copy of which is in the command line's package", async () => {
  const tree = built.copy();
  tree.write("packages/tiny/dist/old/gone.js", "");
  tree.write("packages/tiny/dist/old/gone.d.ts", "");
  tree.write("packages/tiny/dist/page/assets/index.js", "");
  await build(tree);
  const names = ["index.js", "old/gone.js", "old/gone.d.ts", "page/assets/index.js"];
  expect(names.filter((name) => existsSync(tree.path(`packages/tiny/dist/${name}`)))).toEqual(["index.js", "page/assets/index.js"]);
});

it("says what the compiler says, and exits with 1", async () => {
  const tree = built.copy();
  tree.write("packages/tiny/src/index.ts", 'export const one: number = "one";\n');
  const { code, stderr } = await tree.runScript(["build"]);
  expect(code).toBe(1);
  expect(stderr).toContain("hawser: the build failed; correct this and run it again.\n");
  expect(stderr).toContain("error TS2322");
});
