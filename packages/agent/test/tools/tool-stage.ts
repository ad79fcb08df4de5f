// A stage for the tools: a root folder, a folder beside it that nobody may touch, and a way to run a tool
// as the runtime does: its arguments checked first, and when its turn has come.

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createToolHost } from "@hawser/tools/internal";
import { createBuiltinTools, type BuiltinToolsOptions } from "../../src/tools/builtin-tools.ts";
import { createRoots, type Roots, type RootsOptions } from "../../src/tools/files/roots.ts";

export const canary = "canary-7d1f: this text lies outside of the root";

export interface ToolStage {
  readonly root: string;
  /** `<base>/root-evil`: its path begins as the root's does. */
  readonly outside: string;
  readonly roots: Roots;
  run(tool: string, args: Record<string, unknown>, signal?: AbortSignal): Promise<Record<string, unknown>>;
  /** The text of a failure; throws if it does not fail. */
  fails(tool: string, args: Record<string, unknown>): Promise<string>;
  /** Everything outside of the root, with its content. */
  outsideNow(): Record<string, string>;
  remove(): void;
}

type StageOptions = Omit<BuiltinToolsOptions, "roots"> & RootsOptions;

export async function createToolStage(options: StageOptions = {}): Promise<ToolStage> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "hawser-tools-")));
  const root = join(base, "root");
  const outside = join(base, "root-evil");
  for (const folder of [root, join(root, "src"), outside]) mkdirSync(folder);
  writeFileSync(join(outside, "canary.txt"), canary);
  writeFileSync(join(base, "canary.txt"), canary);
  writeFileSync(join(root, "inside.txt"), "inside\n");
  const roots = await createRoots([root], options);
  const host = createToolHost(createBuiltinTools({ ...options, roots }));

  async function run(name: string, args: Record<string, unknown>, signal = new AbortController().signal): Promise<Record<string, unknown>> {
    const { tool, call } = host.find(name);
    const context = { signal, progress() {}, log() {}, client: undefined };
    return call({ args, signal, run: (checked) => tool.run(checked, context), bound: (value) => value as Record<string, unknown> });
  }

  return {
    root,
    outside,
    roots,
    run,
    fails: (name, args) =>
      run(name, args).then(
        (result) => Promise.reject(new Error(`did not fail: ${JSON.stringify(result).slice(0, 300)}`)),
        (error: unknown) => (error as Error).message,
      ),
    outsideNow: () => contentsOf(base, root),
    remove: () => rmSync(base, { recursive: true, force: true }),
  };
}

function contentsOf(folder: string, except: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (path === except) continue;
    if (statSync(path).isDirectory()) Object.assign(found, contentsOf(path, except), { [path]: "folder" });
    else found[path] = readFileSync(path, "utf8");
  }
  return found;
}
