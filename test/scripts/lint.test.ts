// The rules that CONTRIBUTING states, each shown to fail a file that breaks it: the real oxlint with
// the repository's own settings, on a tree of small files.

import { spawnSync } from "node:child_process";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createTempTree, linkTools, repository } from "./temp-tree.ts";

const opening = "// A file for a test.\n";
const lines = (count: number, line: string): string => `${line}\n`.repeat(count);
const functionOf = (count: number, inside = ""): string => `export function long(): void {\n${inside}${lines(count - 2, "  void 0;")}}\n`;

/** File → content and the rules that it breaks. */
const cases: Record<string, [content: string, ...rules: string[]]> = {
  "packages/a/src/good.ts": [`${opening}export const one = 1;\n`],
  "packages/a/src/unopened.ts": ["export const one = 1;\n", "hawser(file-opening)"],
  "packages/a/src/long-file.ts": [`${opening}${lines(300, "void 0;")}`, "eslint(max-lines)"],
  "packages/a/src/long-function.ts": [opening + functionOf(61), "hawser(function-length)"],
  "packages/a/src/factory.ts": [opening + functionOf(50, `  const inner = (): void => {\n${lines(40, "    void 0;")}  };\n  inner();\n`)],
  "packages/a/src/many-parameters.ts": [
    `${opening}export const sum = (a: number, b: number, c: number, d: number, e: number): number => a + b + c + d + e;\n`,
    "eslint(max-params)",
  ],
  "packages/a/src/bare-error.ts": [`${opening}export function fail(): never {\n  throw new TypeError("no");\n}\n`, "hawser(no-bare-error)"],
  "packages/a/test/bare-error.ts": [`${opening}export function fail(): never {\n  throw new Error("no");\n}\n`],
  "packages/a/src/prints.ts": [`${opening}console.log("hello");\n`, "eslint(no-console)"],
  "packages/hawser/src/prints.ts": [`${opening}console.log("hello");\n`],
  "packages/a/src/floating.ts": [`${opening}Promise.resolve(1);\n`, "typescript(no-floating-promises)"],
  "packages/a/src/any.ts": [`${opening}export const value: any = 1;\n`, "typescript(no-explicit-any)"],
  "packages/a/src/later.ts": [`${opening}// TODO: finish\nexport const one = 1;\n`, "eslint(no-warning-comments)"],
  "packages/a/src/default-export.ts": [`${opening}export default 1;\n`, "import(no-default-export)"],
  "packages/a/src/CamelCase.ts": [`${opening}export const one = 1;\n`, "unicorn(filename-case)"],
  "packages/a/src/utils.ts": [`${opening}export const one = 1;\n`, "hawser(telling-file-name)"],
  "packages/a/src/bare-module.ts": [`${opening}import fs from "fs";\nvoid fs;\n`, "unicorn(prefer-node-protocol)"],
  "packages/a/src/ring-one.ts": [
    `${opening}import { two } from "./ring-two.ts";\nexport const one = (): number => two();\n`,
    "import(no-cycle)",
  ],
  "packages/a/src/ring-two.ts": [
    `${opening}import { one } from "./ring-one.ts";\nexport const two = (): number => one();\n`,
    "import(no-cycle)",
  ],
};

interface Report {
  readonly diagnostics: readonly { readonly code: string; readonly filename: string }[];
}

it("flags every file by exactly the rules that it breaks", () => {
  const tree = createTempTree();
  for (const name of [".oxlintrc.json", "tsconfig.base.json", "tsconfig.json"]) copyFileSync(join(repository, name), tree.path(name));
  linkTools(tree, ["oxlint", "oxlint-tsgolint", "@types", ".bin"]);
  for (const [name, [content]] of Object.entries(cases)) tree.write(name, content);
  const oxlint = join("node_modules", "oxlint", "bin", "oxlint");
  const { stdout } = spawnSync(process.execPath, [oxlint, "--type-aware", "--format=json", "packages"], {
    cwd: tree.root,
    encoding: "utf8",
  });
  const { diagnostics } = JSON.parse(stdout) as Report;
  const found = Object.fromEntries(
    Object.keys(cases).map((name) => [name, [...new Set(diagnostics.filter(({ filename }) => filename === name).map(({ code }) => code))]]),
  );
  expect(found).toEqual(Object.fromEntries(Object.entries(cases).map(([name, [, ...rules]]) => [name, rules])));
});
