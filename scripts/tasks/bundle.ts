// Bundles the bridge process: one file with the MCP library inside, which starts in about half the
// time of loading it module by module, and a small one that switches Node's compile cache on.

import { existsSync, globSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { root } from "./tool.ts";

const folder = "packages/bridge";
const bundles = [
  { input: "src/process/launcher.ts", file: "dist/bridge.cjs" },
  { input: "src/process/main.ts", file: "dist/bridge-main.cjs" },
] as const;

/** Writes the bundles when one is missing or older than what it is made of. */
export async function bundleBridge(): Promise<void> {
  // Tests of the tasks build small trees of their own, without it.
  if (!existsSync(join(root, folder)) || !isStale()) return;
  const { rolldown } = await import("rolldown");
  for (const { input, file } of bundles) {
    const bundle = await rolldown({
      input: join(root, folder, input),
      platform: "node",
      resolve: { conditionNames: ["hawser-source", "node", "import", "default"] },
      transform: { define: { __HAWSER_VERSION__: JSON.stringify(readVersion()) } },
    });
    await bundle.write({ file: join(root, folder, file), format: "cjs", minify: true });
    await bundle.close();
  }
}

function isStale(): boolean {
  const times = bundles.map(({ file }) => statSync(join(root, folder, file), { throwIfNoEntry: false })?.mtimeMs ?? 0);
  const sources = [...globSync("packages/{bridge,wire}/src/**/*.ts", { cwd: root }), "package-lock.json", "scripts/tasks/bundle.ts"];
  const newest = Math.max(...sources.map((path) => statSync(join(root, path)).mtimeMs));
  return Math.min(...times) < newest;
}

function readVersion(): string {
  return (JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8")) as { version: string }).version;
}
