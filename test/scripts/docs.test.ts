// The documentation says what is: its links lead somewhere, the files it names exist, and its
// examples, run as a reader would run them, print what it shows.

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, describe, expect, it } from "vitest";
import { findExamples, toPattern } from "./examples.ts";
import { repository } from "./temp-tree.ts";

const documents = globSync(["*.md", "docs/**/*.md", "packages/*/README.md"], { cwd: repository }).toSorted();
const read = (path: string): string => readFileSync(join(repository, path), "utf8");

/** Every match of the pattern's first group in any document, as `document: match`, unless `exists` says that it is there. */
function findMissing(pattern: RegExp, exists: (target: string, document: string) => boolean): string[] {
  return documents.flatMap((document) => {
    const targets = [...read(document).matchAll(pattern)].map(([, target = ""]) => target);
    return targets.filter((target) => !exists(target, document)).map((target) => `${document}: ${target}`);
  });
}

/** The names of a document's headings in links, as GitHub makes them: of the same words, the later ones are numbered. */
function anchorsOf(text: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, heading = ""] of text.replaceAll(/^```.*?^```$/gms, "").matchAll(/^#+ (.*)$/gm)) {
    const words = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1").toLowerCase();
    const name = words.replaceAll(/[^\p{L}\p{N}_ -]/gu, "").replaceAll(" ", "-");
    let anchor = name;
    for (let number = 1; anchors.has(anchor); number++) anchor = `${name}-${number}`;
    anchors.add(anchor);
  }
  return anchors;
}

describe("documents", () => {
  it("link only to files that exist", () => {
    const links = /\]\((?!https?:|#)([^)#]+)(?:#[^)]*)?\)/g;
    expect(findMissing(links, (target, document) => existsSync(join(repository, dirname(document), target)))).toEqual([]);
  });

  it("link only to headings that exist", () => {
    const anchors = /\]\((?!https?:)([^)#]*#[^)]+)\)/g;
    const hasHeading = (target: string, document: string): boolean => {
      const [file = "", anchor = ""] = target.split("#");
      return anchorsOf(read(file === "" ? document : join(dirname(document), file))).has(anchor);
    };
    expect(findMissing(anchors, hasHeading)).toEqual([]);
  });

  it("name only files of this repository that exist", () => {
    const paths = /`((?:apps|packages|scripts|test|bench|docs)\/[\w./-]+)`/g;
    expect(findMissing(paths, (path) => existsSync(join(repository, path)))).toEqual([]);
  });
});

const examples = documents.flatMap((document) => findExamples(read(document)).map((example) => ({ document, ...example })));

describe("examples", () => {
  it("stand in the README", () => {
    expect(examples.filter(({ document }) => document === "README.md").length).toBeGreaterThan(2);
  });

  const missing = ["python3", "rustc", "go"].filter(
    (program) => spawnSync(program, [program === "go" ? "version" : "--version"]).status !== 0,
  );
  for (const program of missing) process.stderr.write(`${program} is not installed: examples that need it are not run\n`);
  const runnable = markNpx(examples.filter(({ command }) => !missing.some((program) => new RegExp(`\\b${program}\\b`).test(command))));

  it.each(runnable.filter(({ isLasting }) => !isLasting))(
    "$document:$line prints what it shows: $command",
    async ({ command, needsNpx, input, output }) => {
      const printed = await runInShell(needsNpx ? command : `${asNpx} ${command}`, input);
      // A body is printed as it came, with or without a line end.
      expect(printed.endsWith("\n") ? printed : `${printed}\n`).toMatch(toPattern(output));
    },
  );
});

describe("examples that serve until Ctrl-C", () => {
  const lasting = examples.filter(({ isLasting }) => isLasting);

  it("stand in the README", () => {
    expect(lasting.map(({ document }) => document)).toContain("README.md");
  });

  it.each(lasting)("$document:$line serves the client that it prints, and ends with Ctrl-C", async ({ command, input, output }) => {
    const child = startInShell(command, input, { detached: true });
    const closed = once(child, "close");
    const [printed] = await once(createInterface({ input: child.stdout }), "line");
    expect(`${printed}\n`).toMatch(toPattern(output));
    const { command: program, args } = JSON.parse(printed) as { command: string; args: string[] };
    const client = new Client({ name: "docs", version: "1.0.0" });
    await client.connect(new StdioClientTransport({ command: program, args }));
    expect((await client.listTools()).tools).not.toEqual([]);
    await client.close();
    process.kill(-child.pid!, "SIGINT");
    await closed;
    expect(args.slice(1).filter((path) => existsSync(path))).toEqual([]);
  });
});

// Starting npx takes longer than most of the examples. It is the real one that finds each program the first time;
// from then on the shell itself finds it, in the same folder.
const asNpx = 'npx() { "$@"; };';

/** Marks the first example of each program that is started with npx. */
function markNpx<Marked extends { readonly command: string }>(all: readonly Marked[]): (Marked & { readonly needsNpx: boolean })[] {
  const known = new Set<string>();
  return all.map((example) => {
    const programs = [...example.command.matchAll(/\bnpx (\S+)/g)].map(([, program = ""]) => program);
    const needsNpx = programs.some((program) => !known.has(program));
    for (const program of programs) known.add(program);
    return { ...example, needsNpx };
  });
}

// Neither keys nor conversations of whoever runs the tests take part: the agent answers without a model, and forgets.
const folder = mkdtempSync(join(tmpdir(), "hawser-docs-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const own = { HAWSER_MODEL: "offline", XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder };

/** What the command prints on stdout. */
function runInShell(command: string, input?: string): Promise<string> {
  const child = startInShell(command, input);
  let stdout = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", () => resolve(stdout));
  });
}

/** With the repository's programs on the PATH as in an npm script. `detached`: in a group of its own, as a terminal starts it. */
function startInShell(command: string, input = "", { detached = false } = {}) {
  const path = [join(repository, "node_modules", ".bin"), process.env["PATH"]].join(delimiter);
  const child = spawn("bash", ["-c", command], {
    cwd: repository,
    env: { ...process.env, ...own, PATH: path },
    stdio: ["pipe", "pipe", "inherit"],
    detached,
  });
  child.stdin.end(input);
  return child;
}
