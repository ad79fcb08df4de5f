// Looks at the packages as a user gets them: packs each one, has the tarball examined (publint, and
// arethetypeswrong where it can be imported), and loads every entry point from the built files.

import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Step } from "./steps.ts";
import { root, run, runTool, type ToolResult } from "./tool.ts";

interface Manifest {
  readonly name: string;
  readonly exports?: Readonly<Record<string, unknown>>;
}

export const packageShapeStep: Step = {
  name: "package shape",
  async run() {
    const destination = mkdtempSync(join(tmpdir(), "hawser-pack-"));
    try {
      const problems: string[] = [];
      for (const path of globSync("packages/*/package.json", { cwd: root }).toSorted()) {
        const manifest = JSON.parse(readFileSync(join(root, path), "utf8")) as Manifest;
        problems.push(...(await examine(dirname(path), manifest, destination)));
      }
      return { status: problems.length === 0 ? "passed" : "failed", text: problems.join("\n") };
    } finally {
      rmSync(destination, { recursive: true, force: true });
    }
  },
};

async function examine(folder: string, { name, exports = {} }: Manifest, destination: string): Promise<string[]> {
  const packed = await run("npm", ["pack", `./${folder}`, "--ignore-scripts", "--pack-destination", destination]);
  if (packed.code !== 0) return [`${name}: npm pack failed`, packed.output];
  const fileName = `${name.replace("@", "").replace("/", "-")}-`;
  const [tarball = ""] = globSync(`${fileName}[0-9]*.tgz`, { cwd: destination }).map((file) => join(destination, file));
  const entries = Object.keys(exports).map((entry) => name + entry.slice(1));
  const results: ToolResult[] = [await runTool("publint", "publint", [tarball, "--strict"])];
  // A package without entry points is only run, never imported.
  if (entries.length > 0)
    results.push(await runTool("@arethetypeswrong/cli", "attw", [tarball, "--profile", "esm-only", "--format", "ascii"]));
  for (const entry of entries) results.push(await run(process.execPath, ["--input-type=module", "--eval", `await import("${entry}")`]));
  return results.filter(({ code }) => code !== 0).map(({ output }) => output);
}
