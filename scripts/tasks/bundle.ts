// Bundles the two programs that are started often: the bridge process, and the command line, of which each command loads
// only its own chunks. Each has a small first file that runs the rest with V8's code cache from the previous run. What a
// bundle holds of others comes with their licences.

import { createHash } from "node:crypto";
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { OutputChunk, Plugin } from "rolldown";
import { root, timeOf } from "./tool.ts";

interface Program {
  /** The package that it is published with. */
  readonly folder: string;
  readonly input: string;
  readonly main: string;
  /** Written last: its time is that of the bundle. */
  readonly launcher: { readonly input: string; readonly file: string };
  readonly external: readonly string[];
  /** What it runs in threads, which need files of their own beside the chunks that start them. */
  readonly threads: readonly string[];
  /** The folder holds nothing else, and is made anew. */
  readonly isAlone: boolean;
}

const bridge: Program = {
  folder: "packages/bridge",
  input: "src/process/main.ts",
  main: "dist/bridge-main.cjs",
  launcher: { input: "src/process/launcher.ts", file: "dist/bridge.cjs" },
  external: [],
  threads: [],
  isAlone: false,
};

const commandLine: Program = {
  folder: "packages/hawser",
  input: "src/main.ts",
  main: "dist/cli/main.cjs",
  launcher: { input: "src/start.ts", file: "dist/cli/start.cjs" },
  // The first has 169 MB, which only its users install; the second is compiled for each system.
  external: ["@anthropic-ai/claude-agent-sdk", "@napi-rs/keyring"],
  threads: ["packages/agent/src/changes/changes-thread.ts"],
  isAlone: true,
};

/** Beside the command line's chunks, where they look for them. */
const copies = [
  { from: "packages/bridge/dist/bridge.cjs", to: "packages/hawser/dist/bridge.cjs" },
  { from: "packages/bridge/dist/bridge-main.cjs", to: "packages/hawser/dist/bridge-main.cjs" },
  { from: "packages/shell/dist/page", to: "packages/hawser/dist/page" },
] as const;

/** Writes the bundles when they are missing or older than what they are made of. The page must be built. */
export async function bundlePrograms(): Promise<void> {
  if (!areBundlesStale()) return;
  await bundle(bridge);
  for (const { from, to } of copies) {
    rmSync(join(root, to), { recursive: true, force: true });
    cpSync(join(root, from), join(root, to), { recursive: true });
  }
  await bundle(commandLine);
}

export function areBundlesStale(): boolean {
  // Tests of the tasks build small trees of their own, without them.
  if (!existsSync(join(root, bridge.folder))) return false;
  const sources = [
    ...globSync("packages/*/{src/**/*.ts,package.json}", { cwd: root, exclude: ["packages/shell/src/page/**"] }),
    "packages/shell/dist/page/index.html",
    "package-lock.json",
    "scripts/tasks/bundle.ts",
  ];
  const newest = Math.max(...sources.map((path) => timeOf(path) ?? 0));
  return [bridge, commandLine].some(({ folder, launcher }) => (timeOf(`${folder}/${launcher.file}`) ?? 0) < newest);
}

async function bundle(program: Program): Promise<void> {
  const { folder, input, main, launcher, external, threads, isAlone } = program;
  const to = join(root, folder, dirname(main));
  if (isAlone) rmSync(to, { recursive: true, force: true });
  mkdirSync(to, { recursive: true });
  const chunks = await generate(join(root, folder, input), basename(main), { external, define: definitions(folder), isSplit: isAlone });
  const build = createHash("sha256");
  for (const { fileName, code } of chunks) {
    build.update(fileName).update(code);
    writeFileSync(join(to, fileName), code);
  }
  writeFileSync(join(to, `${basename(main, ".cjs")}-licenses.txt`), licensesOf(chunks));
  for (const thread of threads) {
    const [only] = await generate(join(root, thread), `${basename(thread, ".ts")}.cjs`, { define: {}, isLauncher: true });
    if (only) writeFileSync(join(to, only.fileName), only.code);
  }
  const define = { ...definitions(folder), __HAWSER_BUILD__: JSON.stringify(build.digest("hex").slice(0, 32)) };
  const [first] = await generate(join(root, folder, launcher.input), basename(launcher.file), { define, isLauncher: true });
  writeFileSync(join(root, folder, launcher.file), first?.code ?? "");
}

type Chunk = Pick<OutputChunk, "fileName" | "code" | "moduleIds">;

interface GenerateOptions {
  readonly external?: readonly string[];
  readonly define: Record<string, string>;
  /** Into what is always loaded and what only some commands need; else one file. */
  readonly isSplit?: boolean;
  /** It takes one function of ours, and nothing that the files around it do when they are loaded. */
  readonly isLauncher?: boolean;
}

async function generate(
  input: string,
  fileName: string,
  { external = [], define, isSplit = false, isLauncher = false }: GenerateOptions,
): Promise<Chunk[]> {
  const { rolldown } = await import("rolldown");
  const made = await rolldown({
    input,
    platform: "node",
    external: [...external],
    resolve: { conditionNames: ["hawser-source", "node", "import", "default"] },
    plugins: [withoutSchemaValidator],
    // Sources may say what the oldest Node that the package supports can't read yet, such as `await using`.
    transform: { define, target: oldestNode() },
    treeshake: { moduleSideEffects: !isLauncher },
  });
  const { output } = await made.generate({
    format: "cjs",
    // Names are kept: they are in the stacks that people send us, and V8's cache makes up for their length.
    minify: { compress: true, mangle: false, codegen: true },
    entryFileNames: fileName,
    // What every command loads is one file, not one for each set of commands that share a part of it.
    ...(isSplit && { codeSplitting: { groups: [{ name: "start", tags: ["$initial"] }] } }),
    chunkFileNames: ({ facadeModuleId }) => `${nameOf(facadeModuleId ?? "")}-[hash].cjs`,
  });
  await made.close();
  return output
    .filter((part) => part.type === "chunk")
    .map((part) => ({ ...part, code: toAscii(isLauncher ? part.code : toFunction(part.code)) }));
}

// As the loader compiles it (`packages/wire/src/process/cached-program.ts`): a script, for which Node has no `import()`.
const toFunction = (code: string): string =>
  `(function (exports, require, module, __filename, __dirname, __hawserImport) {${code.replaceAll(/(?<![\w$.'"`])import\(/g, "__hawserImport(")}\n})`;

/** `…/hawser/src/conform/run.ts` → `conform-run`, for those who read a stack. */
const nameOf = (path: string): string =>
  path
    .split(/[\\/.]/)
    .slice(-3, -1)
    .join("-") || "shared";

// V8 keeps one byte for each character of a source that has no others.
const toAscii = (code: string): string =>
  code.replaceAll(/[^\0-\u007f]/g, (unit) => String.raw`\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);

// The MCP library brings a JSON Schema validator, a third of the whole. It needs one only to check forms that
// a client's user has filled in, and the bridge asks for none.
const shims = "@modelcontextprotocol/server/_shims";
const withoutSchemaValidator: Plugin = {
  name: "without-schema-validator",
  resolveId: (id) => (id === shims ? shims : null),
  load: (id) => (id === shims ? 'export { default as process } from "node:process"; export class DefaultJsonSchemaValidator {}' : null),
};

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  readonly engines: { readonly node: string };
}

const readManifest = (folder: string): Manifest => JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;

/** What the bundles know of their package. */
function definitions(folder: string): Record<string, string> {
  const { version } = readManifest(join(root, folder));
  return { __HAWSER_VERSION__: JSON.stringify(version), __HAWSER_NEEDED_NODE__: JSON.stringify(neededNode(folder)) };
}

const neededNode = (folder: string): string => readManifest(join(root, folder)).engines.node.replace(/^>=/, "");

/** As the bundler writes it; the same for all packages. */
const oldestNode = (): string => `node${neededNode(commandLine.folder)}`;

function licensesOf(chunks: readonly Chunk[]): string {
  const folders = chunks.flatMap(({ moduleIds }) => moduleIds.flatMap((id) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id) ?? []));
  return [...new Set(folders)]
    .toSorted()
    .map(licenseOf)
    .join(`\n${"-".repeat(80)}\n\n`);
}

function licenseOf(folder: string): string {
  const { name, version, license = "see below" } = readManifest(folder);
  const texts = globSync("{LICENSE,LICENCE,NOTICE,license}*", { cwd: folder }).toSorted();
  return [`${name} ${version}: ${license}\n`, ...texts.map((file) => readFileSync(join(folder, file), "utf8"))].join("\n");
}
