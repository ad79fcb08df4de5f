// The packages as a stranger uses them: packed, installed into an empty folder by the real npm, typed by a strict
// compiler, imported and run, with nothing of this repository on the way.

import { spawnSync } from "node:child_process";
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { packPackages } from "../../scripts/tasks/pack.ts";
import { findExamples, findSnippets, toPattern } from "./examples.ts";
import { repository } from "./temp-tree.ts";

const folder = mkdtempSync(join(tmpdir(), "hawser-own-project-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What the documentation tells people to install besides, or what they have: taken from here, since npm has brought it once already. */
const besides = ["@anthropic-ai/claude-agent-sdk", "@modelcontextprotocol/client", "@types/node", "ai", "typescript", "zod"];
const noRegistry = /\b(?:ENOTFOUND|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EAI_AGAIN|ENOTCACHED|ENETUNREACH|\w+_CERT_\w+|CERT_\w+)\b/;

let unreachable: string | undefined;

beforeAll(async () => {
  const tarballs = join(folder, "tarballs");
  mkdirSync(tarballs);
  const packages = await packPackages(tarballs);
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "own-project", version: "1.0.0", private: true, type: "module" }));
  // A registry that can't be reached is known at the first try; npm itself would go on for minutes.
  const quiet = ["--no-audit", "--no-fund", "--prefer-offline", "--ignore-scripts", "--fetch-retries=0"];
  const installed = inProject("npm", ["install", ...quiet, ...packages.map(({ tarball }) => tarball)]);
  unreachable = noRegistry.exec(installed.stderr)?.[0];
  if (unreachable !== undefined) return;
  expect(installed).toMatchObject({ status: 0 });
  for (const name of besides) link(name);
});

function link(name: string): void {
  const place = join(folder, "node_modules", name);
  mkdirSync(dirname(place), { recursive: true });
  rmSync(place, { recursive: true, force: true });
  symlinkSync(join(repository, "node_modules", name), place, "dir");
}

/** Without the PATH that an npm script has: programs of this repository are not found by name. */
function inProject(command: string, args: readonly string[], input = ""): { status: number | null; stdout: string; stderr: string } {
  const foreign = (entry: string): boolean => !entry.startsWith(repository);
  const path = [dirname(process.execPath), ...(process.env["PATH"] ?? "").split(":").filter(foreign)].join(":");
  const env = { ...process.env, PATH: path, HAWSER_MODEL: "offline", XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder, NODE_OPTIONS: "" };
  return spawnSync(command, args, { cwd: folder, env, input, encoding: "utf8" });
}

describe("the packages in a project of one's own", () => {
  it("every snippet of the documentation compiles with strict, as it stands", (context) => {
    if (unreachable !== undefined) context.skip(`npm can't reach its registry (${unreachable})`);
    const documents = globSync(["*.md", "docs/**/*.md", "packages/*/README.md"], { cwd: repository }).toSorted();
    const sources = join(folder, "snippets");
    mkdirSync(sources);
    let count = 0;
    for (const document of documents) {
      for (const { line, text } of findSnippets(readFileSync(join(repository, document), "utf8"), "ts")) {
        writeFileSync(join(sources, `${document.replaceAll(/[/.]/g, "-")}-${line}.ts`), `${text}\nexport {};\n`);
        count += 1;
      }
    }
    expect(count).toBeGreaterThan(10);
    const compilerOptions = { strict: true, noEmit: true, module: "nodenext", target: "esnext", types: ["node"] };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["snippets"] }));
    expect(inProject(process.execPath, [join("node_modules", "typescript", "bin", "tsc"), "-p", "."]).stdout).toBe("");
  });

  it("as many packages come with them as the page says, give or take what their authors change", (context) => {
    if (unreachable !== undefined) context.skip(`npm can't reach its registry (${unreachable})`);
    const { packages } = JSON.parse(readFileSync(join(folder, "package-lock.json"), "utf8")) as { packages: Record<string, unknown> };
    const stated = /about (\d+) packages/.exec(readFileSync(join(repository, "docs", "own-project.md"), "utf8"))?.[1];
    const difference = Number(stated) - (Object.keys(packages).length - 1);
    expect(Math.abs(difference)).toBeLessThanOrEqual(5);
  });

  it("the programs of the page run and print what it shows, with nothing on the PATH", (context) => {
    if (unreachable !== undefined) context.skip(`npm can't reach its registry (${unreachable})`);
    const page = findExamples(readFileSync(join(repository, "docs", "own-project.md"), "utf8"));
    const programs = page.filter(({ input }) => input !== undefined);
    expect(programs).not.toEqual([]);
    for (const { line, input = "", output } of programs) {
      writeFileSync(join(folder, `program-${line}.ts`), input);
      const { stdout, stderr } = inProject(process.execPath, [`program-${line}.ts`]);
      expect([`${stdout.trimEnd()}\n`, stderr]).toEqual([expect.stringMatching(toPattern(output)), ""]);
    }
  });

  it("the commands run, and offer functions of a module there that imports the packages", (context) => {
    if (unreachable !== undefined) context.skip(`npm can't reach its registry (${unreachable})`);
    expect(inProject("npx", ["hawser", "call", "--demo", "--op", "gatewayInfo"]).stdout).toContain('"state":"RUNNING"');
    const [tools = ""] = findSnippets(readFileSync(join(repository, "docs", "own-project.md"), "utf8"), "ts").map(({ text }) => text);
    writeFileSync(join(folder, "tools.ts"), tools);
    const call = [
      {
        jsonrpc: "2.0",
        id: 1,
        method: "initialize",
        params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t", version: "1" } },
      },
      { jsonrpc: "2.0", method: "notifications/initialized" },
      { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "berth", arguments: { ship: "Boreas" } } },
    ];
    // The shell reads the client's configuration, starts the bridge as it says, and is the client.
    const client = `node -e '
      const { mcpServers } = JSON.parse(require("fs").readFileSync(process.argv[1], "utf8"));
      const { command, args } = Object.values(mcpServers)[0];
      const child = require("child_process").spawn(command, args, { stdio: ["pipe", "inherit", "inherit"] });
      child.stdin.write(${JSON.stringify(call.map((message) => `${JSON.stringify(message)}\n`).join(""))});
      child.stdin.end();' {config}`;
    const { stdout, stderr } = inProject("npx", ["hawser", "expose", "tools.ts", "--", "sh", "-c", client]);
    expect(`${stdout}${stderr}`).toContain("Boreas lies at quay 6");
  });
});
