// The packages as a stranger uses them: packed, installed into an empty folder by the real npm, typed by a strict
// compiler, imported and run, with nothing of this repository on the way.

import { spawnSync } from "node:child_process";
import { existsSync, globSync, lstatSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { packPackages } from "../../scripts/tasks/pack.ts";
import { findExamples, findSnippets, toPattern } from "./examples.ts";
import { repository } from "./temp-tree.ts";

const folder = mkdtempSync(join(tmpdir(), "hawser-own-project-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What the documentation tells people to install besides, or what they have: taken from here, since npm has brought it once already. */
const besides = ["@anthropic-ai/claude-agent-sdk", "@modelcontextprotocol/client", "@types/node", "ai", "typescript", "zod"];
/** The compiler is a program in Go. */
const sparing = { GOGC: "off", GOMEMLIMIT: "2GiB" };
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

interface Place {
  readonly cwd?: string;
  /** A folder that is on the PATH as well. */
  readonly programs?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Without the PATH that an npm script has: programs of this repository are not found by name. */
function inProject(
  command: string,
  args: readonly string[],
  input = "",
  { cwd = folder, programs, env: more = {} }: Place = {},
): { status: number | null; stdout: string; stderr: string } {
  const foreign = (entry: string): boolean => !entry.startsWith(repository);
  const own = programs === undefined ? [] : [programs];
  const path = [...own, dirname(process.execPath), ...(process.env["PATH"] ?? "").split(":").filter(foreign)].join(":");
  const env = {
    ...process.env,
    PATH: path,
    HAWSER_MODEL: "offline",
    XDG_CONFIG_HOME: folder,
    XDG_DATA_HOME: folder,
    NODE_OPTIONS: "",
    ...more,
  };
  return spawnSync(command, args, { cwd, env, input, encoding: "utf8" });
}

type Lock = Readonly<Record<string, { readonly dependencies?: Readonly<Record<string, string>> }>>;

/** Where a package and everything that it needs are installed. */
function withNeeded(name: string, packages: Lock): string[] {
  const found = new Set<string>();
  function add(place: string): void {
    if (found.has(place)) return;
    found.add(place);
    for (const needed of Object.keys(packages[place]?.dependencies ?? {})) {
      const nested = `${place}/node_modules/${needed}`;
      add(nested in packages ? nested : `node_modules/${needed}`);
    }
  }
  add(`node_modules/${name}`);
  return [...found];
}

/** In MB on disk. */
function sizeOf(places: readonly string[]): number {
  const files = places.flatMap((place) =>
    globSync("**", { cwd: join(folder, place), exclude: (entry) => entry === "node_modules" }).map((file) => join(folder, place, file)),
  );
  return files.reduce((bytes, file) => bytes + 512 * lstatSync(file).blocks, 0) / 1_048_576;
}

function makeFolder(): string {
  const place = mkdtempSync(join(tmpdir(), "hawser-own-project-"));
  onTestFinished(() => rmSync(place, { recursive: true, force: true }));
  return place;
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
    const [settings] = findSnippets(readFileSync(join(repository, "docs", "own-project.md"), "utf8"), "json");
    const shown = JSON.parse(settings?.text ?? "") as { compilerOptions: object };
    expect(shown.compilerOptions).toMatchObject({ strict: true });
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ ...shown, include: ["snippets"] }));
    // Threads that wait for each other, and a memory that is swept for nothing, take a third of its time.
    const compiler = [join("node_modules", "typescript", "bin", "tsc"), "-p", ".", "--singleThreaded"];
    expect(inProject(process.execPath, compiler, "", { env: sparing }).stdout).toBe("");
  });

  it("as many packages come with them as the pages say, and as large, give or take what their authors change", (context) => {
    if (unreachable !== undefined) context.skip(`npm can't reach its registry (${unreachable})`);
    const { packages } = JSON.parse(readFileSync(join(folder, "package-lock.json"), "utf8")) as { packages: Lock };
    // Those that are made for other systems stand in the lock file, too.
    const places = Object.keys(packages).filter((place) => place !== "" && existsSync(join(folder, place)));
    const page = readFileSync(join(repository, "docs", "own-project.md"), "utf8");
    const shipping = readFileSync(join(repository, "docs", "ship.md"), "utf8");
    for (const [text, pattern, installed] of [
      [page, /about (\d+) packages and (\d+) MB/, places],
      [page, /`hawser` alone is (\w+), of (\d+) MB/, withNeeded("hawser", packages)],
      [shipping, /`import "@hawser\/bridge"` *\| (\d+) *\| (\d+)/, withNeeded("@hawser/bridge", packages)],
      [shipping, /hawser\.cjs agent` *\| (\d+) *\| (\d+)/, withNeeded("hawser", packages)],
    ] as const) {
      const [, count = "", megabytes] = pattern.exec(text) ?? [];
      const [wrongBy, size] = [Number(count.replace("one", "1")) - installed.length, sizeOf(installed)];
      expect(Math.abs(wrongBy), `${pattern}: ${installed.length}`).toBeLessThanOrEqual(installed.length / 15);
      expect(Math.abs(Number(megabytes) - size), `${pattern}: ${size} MB`).toBeLessThanOrEqual(Math.max(2, size / 5));
    }
  });

  it("the programs of the page run and print what it shows, with nothing on the PATH", (context) => {
    if (unreachable !== undefined) context.skip(`npm can't reach its registry (${unreachable})`);
    const page = findExamples(readFileSync(join(repository, "docs", "own-project.md"), "utf8"));
    const programs = page.filter(({ input }) => input !== undefined);
    expect(programs).not.toEqual([]);
    for (const { line, input = "", output } of programs) {
      writeFileSync(join(folder, `program-${line}.ts`), input);
      // As on Node 22, which people may have.
      const { stdout, stderr } = inProject(process.execPath, ["--no-js-explicit-resource-management", `program-${line}.ts`]);
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

describe("without installing", () => {
  it("packages that are linked from the clone's folder are used as they are built there", (context) => {
    if (unreachable !== undefined) context.skip(`npm can't reach its registry (${unreachable})`);
    const cwd = makeFolder();
    writeFileSync(join(cwd, "package.json"), JSON.stringify({ name: "linked", version: "1.0.0", private: true, type: "module" }));
    const linked = ["wire", "bridge"].map((name) => join(repository, "packages", name));
    expect(inProject("npm", ["install", "--no-audit", "--no-fund", "--prefer-offline", ...linked], "", { cwd })).toMatchObject({
      status: 0,
    });
    const program = `
      import { createIPCSession, defineTool } from "@hawser/bridge";
      await using session = createIPCSession([defineTool({ name: "a", description: "A.", input: { type: "object" }, run: () => 1 })]);
      await session.start();
      console.log(session.mcpServerConfig.args[0]);`;
    writeFileSync(join(cwd, "program.mjs"), program);
    const { stdout, stderr } = inProject(process.execPath, ["program.mjs"], "", { cwd });
    expect([stdout, stderr]).toEqual([`${join(repository, "packages", "bridge", "dist", "bridge.cjs")}\n`, ""]);
  });

  it("a link in a folder of the PATH is enough for the commands, and for a host in another language", (context) => {
    const programs = makeFolder();
    const cwd = makeFolder();
    symlinkSync(join(repository, "packages", "hawser", "bin", "hawser.cjs"), join(programs, "hawser"));
    expect(inProject("hawser", ["call", "--demo", "--op", "gatewayInfo"], "", { cwd, programs }).stdout).toContain('"state":"RUNNING"');
    if (spawnSync("python3", ["--version"]).status !== 0) context.skip("python3 is not installed");
    const [host] = findExamples(readFileSync(join(repository, "docs", "agent", "host.md"), "utf8")).filter(({ command }) =>
      command.startsWith("python3"),
    );
    const { stdout } = inProject("python3", ["-"], host?.input, { cwd, programs });
    expect(stdout).toMatch(toPattern(host?.output ?? ""));
  });
});
