// The look at packages as users get them, with the real npm and the real examiners, on packages that each have one
// thing wrong.

import { spawnSync } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { createTempTree, linkTools, type TempTree } from "./temp-tree.ts";

const importable = { type: "module", exports: { ".": { types: "./index.d.ts", default: "./index.js" } } };
const sound = { "index.js": "export const one = 1;\n", "index.d.ts": "export declare const one: number;\n" };

/** By name: what its manifest says beyond name and version, and its files. */
const packages: Record<string, [manifest: object, files: Record<string, string>]> = {
  sound: [importable, sound],
  "no-program": [{ bin: { tiny: "./gone.js" } }, {}],
  "odd-repository": [{ repository: "https://" }, {}],
  "lost-types": [importable, { ...sound, "index.d.ts": 'export * from "./gone.js";\n' }],
  untyped: [{ type: "module", exports: { ".": "./index.js" } }, { "index.js": sound["index.js"] }],
  throwing: [importable, { ...sound, "index.js": 'export const one = 1;\nthrow new Error("at load");\n' }],
};

function writePackage(tree: TempTree, name: string): void {
  const [manifest, files] = packages[name] ?? [];
  tree.write(`packages/${name}/package.json`, JSON.stringify({ name: `@tiny/${name}`, version: "1.0.0", license: "MIT", ...manifest }));
  for (const [file, content] of Object.entries(files ?? {})) tree.write(`packages/${name}/${file}`, content);
  symlinkSync(tree.path(`packages/${name}`), tree.path(`node_modules/@tiny/${name}`), "dir");
}

describe("package shape", () => {
  let outcome: { status: string; text: string };
  beforeAll(() => {
    const tree = createTempTree();
    linkTools(tree, ["publint", "@arethetypeswrong"]);
    mkdirSync(tree.path("node_modules/@tiny"));
    for (const name of Object.keys(packages)) writePackage(tree, name);
    const program = `
      import { packageShapeStep } from ${JSON.stringify(pathToFileURL(tree.path("scripts/tasks/package-shape.ts")).href)};
      process.stdout.write(JSON.stringify(await packageShapeStep.run()));`;
    const { stdout } = spawnSync(process.execPath, ["--input-type=module", "--eval", program], { encoding: "utf8" });
    outcome = JSON.parse(stdout) as typeof outcome;
  });

  it("fails when a package is not as it should be, and has nothing against a sound one", () => {
    expect(outcome.status).toBe("failed");
    expect(outcome.text).not.toContain("@tiny/sound");
  });

  it.each([
    ["a program that is not packed", "no-program", /pkg\.bin\.tiny is .*does not exist/],
    ["what is only a warning", "odd-repository", /pkg\.repository/],
    ["types that lead nowhere", "lost-types", /types: .*"InternalResolutionError".*"fileName":".*index\.d\.ts"/],
    ["an entry point without types", "untyped", /it has no types/],
    ["an entry point that can't be loaded", "throwing", /import "@tiny\/throwing" ends with exit code 1\n[^]*Error: at load/],
  ])("names %s", (_what, name, finding) => {
    expect(outcome.text).toMatch(new RegExp(`^@tiny/${name}: ${finding.source}`, "m"));
  });
});
