// What really ends up in a bundle, as the bundler sees it: the last word on what a process loads.

import { builtinModules } from "node:module";
import { join, resolve } from "node:path";
import { rolldown } from "rolldown";
import { describe, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "..");

/** Packages of `node_modules` or of the workspace that bundling `entry` pulls in; Node's modules are reported as `node:…`. */
export async function bundledPackages(entry: string, code?: string): Promise<string[]> {
  const { output, builtins } = await bundleOf(entry, code);
  const modules = output.flatMap((part) => (part.type === "chunk" ? part.moduleIds : [])).filter((id) => id !== virtual);
  return [...new Set([...modules.map(ownerOf), ...builtins])].toSorted();
}

/** The same for what `entry` loads at its start; what it imports later is left out. */
async function staticClosure(entry: string): Promise<string[]> {
  const { output } = await bundleOf(entry);
  const chunks = new Map(output.flatMap((part) => (part.type === "chunk" ? [[part.fileName, part] as const] : [])));
  const reached = new Set([...chunks.values()].filter(({ isEntry }) => isEntry));
  for (const { imports } of reached) for (const name of imports) if (chunks.has(name)) reached.add(chunks.get(name)!);
  return [...new Set([...reached].flatMap(({ moduleIds }) => moduleIds).map(ownerOf))].toSorted();
}

const virtual = "\0entry";

async function bundleOf(entry: string, code?: string) {
  const builtins = new Set<string>();
  const bundle = await rolldown({
    input: code === undefined ? join(root, entry) : virtual,
    platform: "neutral",
    resolve: { conditionNames: ["hawser-source", "node", "import", "default"] },
    plugins: [
      {
        name: "inspect",
        resolveId(id) {
          if (id === virtual) return virtual;
          if (!id.startsWith("node:") && !builtinModules.includes(id)) return null;
          builtins.add(id.startsWith("node:") ? id : `node:${id}`);
          return { id, external: true };
        },
        load: (id) => (id === virtual ? { code: code ?? "", moduleType: "ts" } : null),
      },
    ],
  });
  const { output } = await bundle.generate({ format: "esm" });
  await bundle.close();
  return { output, builtins };
}

function ownerOf(path: string): string {
  const inModules = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1];
  return inModules ?? /packages\/([^/]+)\//.exec(path)?.[1] ?? path;
}

describe("bundle closure", () => {
  it("the neutral entry of wire holds wire and the errors of protocol, and nothing of Node", async () => {
    expect(await bundledPackages("packages/wire/src/internal.ts")).toEqual(["protocol", "wire"]);
  });

  it("the Node entry of wire adds only modules of Node", async () => {
    const packages = await bundledPackages("packages/wire/src/internal-node.ts");
    expect(packages.filter((name) => !name.startsWith("node:"))).toEqual(["protocol", "valibot", "wire"]);
    expect(packages).toContain("node:net");
  });

  it("the bridge process holds protocol, wire, bridge and the MCP server library, and neither the AI SDK nor React nor a sibling", async () => {
    const packages = await bundledPackages("packages/bridge/src/process/main.ts");
    expect(packages.filter((name) => !name.startsWith("node:"))).toEqual([
      "@modelcontextprotocol/core",
      "@modelcontextprotocol/server",
      "bridge",
      "protocol",
      "valibot",
      "wire",
      "zod",
    ]);
  });

  it("finding ACP agents loads nothing that speaks ACP: the library comes with the first agent that is used", async () => {
    const code = `import { agentNames, missingAgent } from ${JSON.stringify(join(root, "packages/acp/src/agents/known-agents.ts"))}; console.log(agentNames, missingAgent);`;
    expect((await bundledPackages("", code)).filter((name) => !name.startsWith("node:"))).toEqual(["acp"]);
    expect(await staticClosure("packages/acp/src/internal.ts")).not.toContain("@agentclientprotocol/sdk");
    expect(await staticClosure("packages/hawser/src/agent/run.ts")).not.toContain("@agentclientprotocol/sdk");
    expect(await staticClosure("packages/acp/src/agents/acp-agents.ts")).toContain("@agentclientprotocol/sdk");
  });

  it("without --fleet nothing of NATS is loaded: neither by the commands that have the flag, nor by the agent", async () => {
    for (const entry of ["main.ts", "agent/run.ts", "bridge/command.ts", "expose/run.ts", "fleet/command.ts", "call/run.ts", "rpc/run.ts"])
      expect(await staticClosure(`packages/hawser/src/${entry}`)).not.toContain("@nats-io/transport-node");
    expect(await staticClosure("packages/hawser/src/bridge/run-fleet.ts")).toContain("@nats-io/transport-node");
  });

  it("would show a package that does not belong", async () => {
    const code = `export * from ${JSON.stringify(join(root, "packages/wire/src/limits.ts"))}; import * as check from "fast-check"; console.log(check);`;
    expect(await bundledPackages("", code)).toContain("fast-check");
  });
});
