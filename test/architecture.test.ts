// Boundaries are tests, not intentions: every import of every source file is compared with one
// table. A new arrow between packages, or a new third-party dependency, is added here first.

import { globSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "..");

/** What the sources of a package may import besides their own files and Node's modules. */
const allowed: Record<string, readonly string[]> = {
  wire: ["valibot"],
  bridge: ["@hawser/wire", "@hawser/wire/node", "@hawser/wire/tools", "@modelcontextprotocol/server", "@modelcontextprotocol/server/stdio"],
  agent: [
    "@ai-sdk/anthropic",
    "@ai-sdk/mcp",
    "@ai-sdk/mcp/mcp-stdio",
    "@ai-sdk/openai",
    "@ai-sdk/openai-compatible",
    "@hawser/wire",
    "@hawser/wire/node",
    "@hawser/wire/tools",
    "ai",
  ],
  gateway: ["@hawser/wire", "@hawser/wire/node", "@readme/openapi-parser", "@scalar/openapi-upgrader", "js-yaml", "undici"],
  shell: [
    "@hawser/agent/host",
    "@hawser/agent/host/link",
    "@hawser/wire",
    "@hawser/wire/node",
    "@tauri-apps/api/core",
    "@tauri-apps/api/event",
    "react",
    "react-dom/client",
    "react-markdown",
    "remark-gfm",
    "ws",
  ],
  "claude-code": [
    "@ai-sdk/provider",
    "@anthropic-ai/claude-agent-sdk",
    "@hawser/bridge",
    "@hawser/wire",
    "@hawser/wire/node",
    "@hawser/wire/tools",
  ],
  conformance: ["@hawser/wire", "@hawser/wire/node"],
  hawser: [
    "@bomb.sh/tab/commander",
    "@clack/prompts",
    "@hawser/agent",
    "@hawser/agent/host",
    "@hawser/bridge",
    "@hawser/bridge/process",
    "@hawser/claude-code",
    "@hawser/conformance",
    "@hawser/gateway",
    "@hawser/gateway/host",
    "@hawser/shell",
    "@hawser/wire",
    "@hawser/wire/node",
    "commander",
  ],
};

/** Entries that a browser may load: nothing in their closure needs Node. */
const neutralEntries = ["packages/wire/src/index.ts", "packages/agent/src/host/link.ts"];

const importPattern = /(?:^|\s)(?:import|export)\s(?:[^"';]*?\sfrom\s)?["']([^"']+)["']|\bimport\(\s*["']([^"']+)["']/g;

function importsOf(file: string): string[] {
  const source = readFileSync(join(root, file), "utf8").replaceAll(/^\s*\/\/.*$/gm, "");
  return [...source.matchAll(importPattern)].map(([, fromClause, dynamic]) => (fromClause ?? dynamic) as string);
}

const sourcesOf = (name: string): string[] => globSync(`packages/${name}/src/**/*.{ts,tsx}`, { cwd: root });
// What a page is made of is inside its bundle; whoever installs the package needs none of it.
const isBundled = (file: string): boolean => /^packages.shell.src.page\W/.test(file);
const packageNames = globSync("packages/*/package.json", { cwd: root }).map((path) => path.split("/")[1] as string);

describe("import table", () => {
  it("has a row for every package", () => {
    expect(packageNames.toSorted()).toEqual(Object.keys(allowed).toSorted());
  });

  it.each(packageNames)("packages/%s imports only what its row allows", (name) => {
    const foreign = sourcesOf(name).flatMap((file) =>
      importsOf(file)
        .filter((specifier) => !specifier.startsWith(".") && !specifier.startsWith("node:") && !allowed[name]?.includes(specifier))
        .map((specifier) => `${file}: ${specifier}`),
    );
    expect(foreign).toEqual([]);
  });

  it.each(packageNames)("packages/%s reaches no other package by a relative path", (name) => {
    const escapes = sourcesOf(name).flatMap((file) =>
      importsOf(file)
        .filter((specifier) => specifier.startsWith(".") && relative(`packages/${name}`, join(dirname(file), specifier)).startsWith(".."))
        .map((specifier) => `${file}: ${specifier}`),
    );
    expect(escapes).toEqual([]);
  });

  it.each(packageNames)("packages/%s declares exactly the packages that its sources import", (name) => {
    const manifest = JSON.parse(readFileSync(join(root, `packages/${name}/package.json`), "utf8")) as {
      dependencies?: Record<string, string>;
      peerDependencies?: Record<string, string>;
    };
    const used = new Set(
      sourcesOf(name)
        .filter((file) => !isBundled(file))
        .flatMap(importsOf)
        .filter((specifier) => !specifier.startsWith(".") && !specifier.startsWith("node:"))
        .map(packageOf),
    );
    expect(Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies }).toSorted()).toEqual([...used].toSorted());
  });
});

const packageOf = (specifier: string): string =>
  specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");

describe("runtime-neutral entries", () => {
  it.each(neutralEntries)("%s reaches no module and no global of Node", (entry) => {
    const seen = new Set<string>();
    const problems: string[] = [];
    function visit(file: string): void {
      if (seen.has(file)) return;
      seen.add(file);
      const code = readFileSync(join(root, file), "utf8").replaceAll(/\/\/.*$/gm, "");
      if (/\b(?:process|Buffer|setImmediate|__dirname)\b\s*[.([]/.test(code)) problems.push(`${file} uses a global of Node`);
      for (const specifier of importsOf(file)) {
        if (specifier.startsWith("node:")) problems.push(`${file} imports ${specifier}`);
        else if (specifier.startsWith(".")) visit(join(dirname(file), specifier));
      }
    }
    visit(entry);
    expect(problems).toEqual([]);
    expect(seen.size).toBeGreaterThan(5);
  });
});
