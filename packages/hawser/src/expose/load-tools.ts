// The tools of a user's module: values made by defineTool, AI SDK tools, Agent SDK tools, and lists and records of them. Each
// is offered once, however often it is exported. What is wrong with the module is said in one sentence, with the file.

import { spawnSync } from "node:child_process";
import { readFileSync, realpathSync, statSync } from "node:fs";
import nodeModule, { stripTypeScriptTypes } from "node:module";
import { basename, extname, relative, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { describeThrown, HawserError } from "@hawser/protocol";
import { isTool } from "@hawser/tools/internal";

interface Found {
  readonly name: string;
  /** Where the module has it, for messages. */
  readonly place: string;
  readonly value: unknown;
}

type Exports = Readonly<Record<string, unknown>>;

/** Tools by name, as a session takes them. `content`: what is run, whatever the file holds by now. */
export async function loadTools(modulePath: string, content?: Buffer): Promise<Record<string, unknown>> {
  checkFile(modulePath);
  const exports = await withContent(modulePath, content, () => importModule(modulePath));
  const tools = new Map<string, Found>();
  const seen = new Set<unknown>();
  for (const found of readTools(exports, modulePath)) {
    if (seen.has(found.value)) continue;
    seen.add(found.value);
    const other = tools.get(found.name);
    if (other) throw usage(`${modulePath}: two tools are called "${found.name}", ${other.place} and ${found.place}; rename one`);
    tools.set(found.name, found);
  }
  if (tools.size === 0) throw noTools(modulePath, exports);
  return Object.fromEntries([...tools.values()].map(({ name, value }) => [name, value]));
}

/** What a client may call the server: the module's file name, in letters that every client takes. */
export function toServerName(modulePath: string): string {
  const name = basename(modulePath, extname(modulePath))
    .replaceAll(/[^A-Za-z0-9_-]/g, "_")
    .slice(0, 64);
  return name || "tools";
}

/** A getter that throws and a revoked proxy are faults of the module, not of ours. */
function readTools(exports: Exports, modulePath: string): Found[] {
  try {
    return findTools(exports, toServerName(modulePath));
  } catch (cause) {
    throw new HawserError("usage", `can't read what ${modulePath} exports: ${describeThrown(cause)}`, { cause });
  }
}

// Tools that have no name of their own get the best one there is: a key in a record was chosen as a
// name, an export's name may be, a place in a list is not.
function findTools(exports: Exports, moduleName: string): Found[] {
  const inRecords: Found[] = [];
  const exported: Found[] = [];
  const inLists: Found[] = [];
  for (const [exportName, value] of Object.entries(exports)) {
    const fallback = exportName === "default" ? moduleName : exportName;
    refuseHalfTool(value, exportName);
    if (isTool(value)) exported.push(toFound(value, fallback, exportName));
    else if (Array.isArray(value))
      inLists.push(...value.map((item: unknown, index) => toFound(item, `${fallback}_${index}`, `${exportName}[${index}]`)));
    else if (isPlainRecord(value))
      inRecords.push(...Object.entries(value).map(([key, item]) => toFound(item, key, `${exportName}.${key}`)));
  }
  const found = [...inRecords, ...exported, ...inLists];
  for (const { value, place } of found) refuseHalfTool(value, place);
  return found.filter(({ value }) => isTool(value));
}

/** Something with `run` is meant to be a tool: refuse it rather than leave it out silently. */
function refuseHalfTool(value: unknown, place: string): void {
  if (isTool(value) || !isPlainRecord(value) || typeof value["run"] !== "function") return;
  throw usage(
    `${place} has \`run\` but no \`input\`; give it a validator or JSON Schema, { type: "object" } for a tool that takes nothing`,
  );
}

function toFound(value: unknown, fallback: string, place: string): Found {
  const own = (value as { name?: unknown } | null | undefined)?.name;
  return { name: typeof own === "string" ? own : fallback, place, value };
}

// The second kind is what `export * as name` gives.
function isPlainRecord(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function checkFile(modulePath: string): void {
  const status = statSync(resolve(modulePath), { throwIfNoEntry: false });
  if (status?.isDirectory()) throw usage(`${modulePath} is a directory; name the module in it`);
  if (!status) {
    const meant = [".ts", ".js", ".mjs"].map((ending) => modulePath + ending).find((path) => statSync(path, { throwIfNoEntry: false }));
    throw usage(
      `there is no file ${modulePath}${meant === undefined ? `, looked for it in ${process.cwd()}` : `; did you mean ${meant}?`}`,
    );
  }
  if (/\.[cm]?ts$/.test(modulePath) && !process.features.typescript) {
    throw usage(`${modulePath} is TypeScript, which Node ${process.versions.node} can't run; use Node 22.18 or newer, or a .js file`);
  }
}

/** Node reads the file once more to load it; it is given what was looked at. Before 22.15 it can't be: there the file counts. */
async function withContent<Value>(modulePath: string, content: Buffer | undefined, load: () => Promise<Value>): Promise<Value> {
  const registerHooks = nodeModule.registerHooks as typeof nodeModule.registerHooks | undefined;
  if (!content || !registerHooks) return load();
  const wanted = pathToFileURL(realpathSync(modulePath)).href;
  const hooks = registerHooks({
    load: (url, context, next) => (url === wanted ? { ...next(url, context), source: content } : next(url, context)),
  });
  try {
    return await load();
  } finally {
    hooks.deregister();
  }
}

async function importModule(modulePath: string): Promise<Exports> {
  const endless = Promise.withResolvers<never>();
  // Nothing is left that could ever settle what the module waits for; the process would end with 0 and not a word.
  const onIdle = (): void => endless.reject(new HawserError("usage", "its top-level await never ends"));
  process.once("beforeExit", onIdle);
  try {
    return await Promise.race([import(pathToFileURL(resolve(modulePath)).href) as Promise<Exports>, endless.promise]);
  } catch (cause) {
    const [reason = ""] = describeThrown(cause).trim().split("\n");
    if (!/\.[cm]?[jt]s$/.test(modulePath))
      throw usage(`${modulePath} is not a module (${reason}); tools are the functions that a .ts or .js file exports`);
    throw new HawserError(
      "usage",
      `can't load ${modulePath}: ${reason}${HawserError.isInstance(cause) ? "" : placeOf(cause, modulePath)}`,
      { cause },
    );
  } finally {
    process.off("beforeExit", onIdle);
  }
}

// Stacks name ES modules by their URL, and the files of the bundle by their path.
const thisFile = import.meta.url.endsWith(".cjs") ? fileURLToPath(import.meta.url) : import.meta.url;

/** ` (file:line)` of the first place that the error's stack names, unless that is here. */
function placeOf(cause: unknown, modulePath: string): string {
  const [stack = ""] = cause instanceof Error ? (cause.stack ?? "").split(thisFile) : [];
  // Of a syntax error in TypeScript the stack begins with the place, as a path; all others name it as a URL.
  const [, path, pathLine] = /^(\/.+|[A-Za-z]:\\.+):(\d+)\n/.exec(stack) ?? [];
  if (path !== undefined) return ` (${relative(process.cwd(), path)}:${pathLine})`;
  const [, url, line] = /(file:\/\/[^\s)]+?):(\d+)(?::\d+)?\)?$/m.exec(stack) ?? [];
  if (url !== undefined) return ` (${relative(process.cwd(), fileURLToPath(url))}:${line})`;
  const syntaxLine = cause instanceof SyntaxError ? findSyntaxErrorLine(modulePath) : undefined;
  return syntaxLine === undefined ? "" : ` (${modulePath}:${syntaxLine})`;
}

function noTools(modulePath: string, exports: Exports): HawserError {
  // The two names under which Node gives what a CommonJS module exports, also when that is nothing.
  const names = Object.keys(exports)
    .filter((name) => name !== "default" && name !== "module.exports")
    .slice(0, 10)
    .join(", ");
  const remedy = "export values made by defineTool({ name, description, input, run })";
  return usage(`${modulePath} exports no tool${names === "" ? "" : `, only ${names}`}; ${remedy}`);
}

const usage = (message: string): HawserError => new HawserError("usage", message);

const checkMs = 30_000;

/** Undefined when the module itself is in order; then the error is in one that it imports. */
function findSyntaxErrorLine(modulePath: string): number | undefined {
  const { stderr } = spawnSync(process.execPath, ["--check", "--input-type=module", "-"], {
    input: readJavaScript(modulePath),
    encoding: "utf8",
    timeout: checkMs,
  });
  const [, line] = /^\[stdin\]:(\d+)$/m.exec(stderr) ?? [];
  return line === undefined ? undefined : Number(line);
}

/** Types become spaces, so that lines stay where they were. */
function readJavaScript(modulePath: string): string {
  const source = readFileSync(modulePath, "utf8");
  return /\.[cm]?ts$/.test(modulePath) ? withoutWarning(() => stripTypeScriptTypes(source)) : source;
}

// Node calls the function experimental on stderr; it has just done the same to this module to load it.
function withoutWarning<Result>(run: () => Result): Result {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return run();
  } finally {
    process.emitWarning = emitWarning;
  }
}
