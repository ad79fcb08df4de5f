// The build, run as a real process on a package of one file in a temporary tree.

import { existsSync, rmSync, statSync, utimesSync } from "node:fs";
import { expect, it } from "vitest";
import { createTempTree, linkTools, type TempTree } from "./temp-tree.ts";

const output = "packages/tiny/dist/index.js";

async function createBuiltTree(): Promise<TempTree> {
  const tree = createTempTree();
  tree.write(
    "packages/tiny/tsconfig.json",
    '{ "compilerOptions": { "composite": true, "outDir": "dist", "rootDir": "src" }, "include": ["src"] }',
  );
  tree.write("packages/tiny/src/index.ts", "export const one = 1;\n");
  // The installation comes first: it would remove what is linked.
  await tree.runScript(["no-such-task"]);
  linkTools(tree, ["typescript"]);
  await build(tree);
  return tree;
}

async function build(tree: TempTree): Promise<string> {
  const { code, stdout, stderr } = await tree.runScript(["build"]);
  expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
  return stderr;
}

it("says that it builds when there is something to build", async () => {
  const tree = await createBuiltTree();
  rmSync(tree.path(output));
  expect(await build(tree)).toBe("hawser: building\n");
});

it("writes the outputs once and leaves them alone without a word while nothing changes", async () => {
  const tree = await createBuiltTree();
  const before = statSync(tree.path(output)).mtimeMs;
  expect(await build(tree)).toBe("");
  expect(statSync(tree.path(output)).mtimeMs).toBe(before);
});

it("writes an output that is gone, although the compiler's notes say that all is well", async () => {
  const tree = await createBuiltTree();
  rmSync(tree.path(output));
  await build(tree);
  expect(existsSync(tree.path(output))).toBe(true);
});

it("makes an output newer than a source that was only touched", async () => {
  const tree = await createBuiltTree();
  const touchedAt = new Date(Date.now() - 1000);
  utimesSync(tree.path(output), new Date(0), new Date(0));
  utimesSync(tree.path("packages/tiny/src/index.ts"), touchedAt, touchedAt);
  await build(tree);
  expect(statSync(tree.path(output)).mtimeMs).toBeGreaterThan(touchedAt.getTime());
});

it("removes the outputs of a source that is gone", async () => {
  const tree = await createBuiltTree();
  tree.write("packages/tiny/dist/old/gone.js", "");
  tree.write("packages/tiny/dist/old/gone.d.ts", "");
  await build(tree);
  expect([output, "packages/tiny/dist/old/gone.js", "packages/tiny/dist/old/gone.d.ts"].map((name) => existsSync(tree.path(name)))).toEqual(
    [true, false, false],
  );
});

it("says what the compiler says, and exits with 1", async () => {
  const tree = await createBuiltTree();
  tree.write("packages/tiny/src/index.ts", 'export const one: number = "one";\n');
  const { code, stderr } = await tree.runScript(["build"]);
  expect(code).toBe(1);
  expect(stderr).toContain("hawser: the build failed; correct this and run it again.\n");
  expect(stderr).toContain("error TS2322");
});
