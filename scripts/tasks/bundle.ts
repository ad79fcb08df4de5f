// Bundles the bridge process: one file with the MCP library inside, which starts in about half the
// time of loading it module by module, and a small one that switches Node's compile cache on.

import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Plugin } from "rolldown";
import { root, timeOf } from "./tool.ts";

const folder = "packages/bridge";
const bundles = [
  { input: "src/process/launcher.ts", file: "dist/bridge.cjs" },
  { input: "src/process/main.ts", file: "dist/bridge-main.cjs" },
] as const;

// The MCP library brings a JSON Schema validator, a third of the whole. It needs one only to check forms that
// a client's user has filled in, and the bridge asks for none.
const shims = "@modelcontextprotocol/server/_shims";
const withoutSchemaValidator: Plugin = {
  name: "without-schema-validator",
  resolveId: (id) => (id === shims ? shims : null),
  load: (id) => (id === shims ? 'export { default as process } from "node:process"; export class DefaultJsonSchemaValidator {}' : null),
};

/** Writes the bundles when one is missing or older than what it is made of. */
export async function bundleBridge(): Promise<void> {
  if (!isBundleStale()) return;
  const { rolldown } = await import("rolldown");
  for (const { input, file } of bundles) {
    const bundle = await rolldown({
      input: join(root, folder, input),
      platform: "node",
      resolve: { conditionNames: ["hawser-source", "node", "import", "default"] },
      plugins: [withoutSchemaValidator],
      transform: { define: definitions() },
    });
    await bundle.write({ file: join(root, folder, file), format: "cjs", minify: true });
    await bundle.close();
  }
}

export function isBundleStale(): boolean {
  // Tests of the tasks build small trees of their own, without it.
  if (!existsSync(join(root, folder))) return false;
  const times = bundles.map(({ file }) => timeOf(`${folder}/${file}`) ?? 0);
  const sources = [
    ...globSync("packages/{bridge,wire}/src/**/*.ts", { cwd: root }),
    `${folder}/package.json`,
    "package-lock.json",
    "scripts/tasks/bundle.ts",
  ];
  const newest = Math.max(...sources.map((path) => timeOf(path) ?? 0));
  return Math.min(...times) < newest;
}

/** What the bundles know of their package. */
function definitions(): Record<string, string> {
  const { version, engines } = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8")) as Manifest;
  return {
    __HAWSER_VERSION__: JSON.stringify(version),
    __HAWSER_NEEDED_NODE__: JSON.stringify(engines.node.replace(/^>=/, "")),
  };
}

interface Manifest {
  readonly version: string;
  readonly engines: { readonly node: string };
}
