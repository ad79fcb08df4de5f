// What really ends up in a bundle, as the bundler sees it: the last word on what a process loads.

import { builtinModules } from "node:module";
import { join, resolve } from "node:path";
import { rolldown, type OutputChunk } from "rolldown";
import { beforeAll, describe, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "..");

// What each is about, all bundled in one pass, since most of their modules are the same: the bundler puts what only some of them reach into
// chunks of their own.
const internal = "packages/acp/src/internal.ts";
const late = "packages/acp/src/agents/acp-agents.ts";
const knownAgents = "packages/acp/src/agents/known-agents.ts";
const commands = ["main.ts", "agent/run.ts", "bridge/command.ts", "expose/run.ts", "fleet/command.ts", "call/run.ts", "rpc/run.ts"];
const fleetBridge = "packages/hawser/src/bridge/run-fleet.ts";
const entries = ["packages/wire/src/internal.ts", "packages/wire/src/internal-node.ts", "packages/bridge/src/process/main.ts"];
entries.push(internal, late, fleetBridge, ...commands.map((name) => `packages/hawser/src/${name}`));
/** Entries that are made up, by name. */
const made: Readonly<Record<string, string>> = {
  "known agents": `import { agentNames, missingAgent } from ${JSON.stringify(join(root, knownAgents))}; console.log(agentNames, missingAgent);`,
  stray: `export * from ${JSON.stringify(join(root, "packages/wire/src/limits.ts"))}; import * as check from "fast-check"; console.log(check);`,
};
const isMade = (id: string): boolean => id.startsWith("\0");

let chunks: ReadonlyMap<string, OutputChunk>;
beforeAll(async () => {
  const bundle = await rolldown({
    input: Object.fromEntries([
      ...entries.map((entry) => [entry, join(root, entry)]),
      ...Object.keys(made).map((name) => [name, `\0${name}`]),
    ]),
    platform: "neutral",
    resolve: { conditionNames: ["hawser-source", "node", "import", "default"] },
    plugins: [
      {
        name: "inspect",
        resolveId(id) {
          if (isMade(id)) return id;
          if (!id.startsWith("node:") && !builtinModules.includes(id)) return null;
          return { id: id.startsWith("node:") ? id : `node:${id}`, external: true };
        },
        load: (id) => (isMade(id) ? { code: made[id.slice(1)] ?? "", moduleType: "ts" } : null),
      },
    ],
  });
  const { output } = await bundle.generate({ format: "esm" });
  await bundle.close();
  chunks = new Map(output.flatMap((part) => (part.type === "chunk" ? [[part.fileName, part] as const] : [])));
});

/** Packages of `node_modules` or of the workspace that bundling `entry` pulls in; Node's modules are reported as `node:…`. */
const bundledPackages = (entry: string): string[] => packagesOf(entry, ({ imports, dynamicImports }) => [...imports, ...dynamicImports]);

/** The same for what `entry` loads at its start; what it imports later is left out, and so are Node's modules. */
const staticClosure = (entry: string): string[] => packagesOf(entry, ({ imports }) => imports).filter(isPackage);

const isPackage = (name: string): boolean => !name.startsWith("node:");

function packagesOf(entry: string, next: (chunk: OutputChunk) => readonly string[]): string[] {
  const reached = new Set([...chunks.values()].filter(({ isEntry, name }) => isEntry && name === entry).map(({ fileName }) => fileName));
  expect(reached.size).toBe(1);
  // What is added on the way is visited, too.
  for (const name of reached) for (const imported of chunks.has(name) ? next(chunks.get(name)!) : []) reached.add(imported);
  const modules = [...reached].flatMap(
    (name) =>
      chunks
        .get(name)
        ?.moduleIds.filter((id) => !isMade(id))
        .map(ownerOf) ?? name,
  );
  return [...new Set(modules)].toSorted();
}

function ownerOf(path: string): string {
  const inModules = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1];
  return inModules ?? /packages\/([^/]+)\//.exec(path)?.[1] ?? path;
}

describe("bundle closure", () => {
  it("the neutral entry of wire holds wire and the errors of protocol, and nothing of Node", () => {
    expect(bundledPackages("packages/wire/src/internal.ts")).toEqual(["protocol", "wire"]);
  });

  it("the Node entry of wire adds only modules of Node", () => {
    const packages = bundledPackages("packages/wire/src/internal-node.ts");
    expect(packages.filter(isPackage)).toEqual(["protocol", "valibot", "wire"]);
    expect(packages).toContain("node:net");
  });

  it("the bridge process holds protocol, wire, bridge and the MCP server library, and neither the AI SDK nor React nor a sibling", () => {
    const packages = bundledPackages("packages/bridge/src/process/main.ts");
    expect(packages.filter(isPackage)).toEqual([
      "@modelcontextprotocol/core",
      "@modelcontextprotocol/server",
      "bridge",
      "protocol",
      "valibot",
      "wire",
      "zod",
    ]);
  });

  it("finding ACP agents loads nothing that speaks ACP: the library comes with the first agent that is used", () => {
    expect(bundledPackages("known agents").filter(isPackage)).toEqual(["acp"]);
    expect(staticClosure(internal)).not.toContain("@agentclientprotocol/sdk");
    expect(staticClosure("packages/hawser/src/agent/run.ts")).not.toContain("@agentclientprotocol/sdk");
    expect(staticClosure(late)).toContain("@agentclientprotocol/sdk");
  });

  it("without --fleet nothing of NATS is loaded: neither by the commands that have the flag, nor by the agent", () => {
    for (const name of commands) expect(staticClosure(`packages/hawser/src/${name}`)).not.toContain("@nats-io/transport-node");
    expect(staticClosure(fleetBridge)).toContain("@nats-io/transport-node");
  });

  it("would show a package that does not belong", () => {
    expect(bundledPackages("stray")).toContain("fast-check");
  });
});
