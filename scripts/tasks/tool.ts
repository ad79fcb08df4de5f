// Runs a development tool out of node_modules on this very Node, without a shell, and returns what
// it said.

import { spawn } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";

export const root = join(import.meta.dirname, "..", "..");

export interface ToolResult {
  readonly code: number;
  readonly output: string;
}

/** Runs the program `name` that the package provides. */
export function runTool(packageName: string, name: string, args: readonly string[]): Promise<ToolResult> {
  return run(process.execPath, [toolPath(packageName, name), ...args]);
}

export function toolPath(packageName: string, name: string): string {
  const folder = join(root, "node_modules", packageName);
  const { bin } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { bin: string | Record<string, string> };
  const file = typeof bin === "string" ? bin : bin[name];
  if (file === undefined) throw new Error(`${packageName} has no program ${name}`);
  return join(folder, file);
}

/** When a file of the repository was changed. Undefined where there is none, or none any more: an editor may have removed its draft meanwhile. */
export const timeOf = (path: string): number | undefined => statSync(join(root, path), { throwIfNoEntry: false })?.mtimeMs;

/** Runs a program to its end; stdout and stderr come back as one text. */
export function run(command: string, args: readonly string[], cwd = root): Promise<ToolResult> {
  return new Promise((resolve, reject) => {
    const isScript = process.platform === "win32" && command === "npm";
    const child = spawn(command, args, { cwd, stdio: ["ignore", "pipe", "pipe"], shell: isScript, windowsHide: true });
    const chunks: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => chunks.push(chunk));
    child.once("error", reject);
    child.once("close", (code) => resolve({ code: code ?? 1, output: plainText(chunks) }));
  });
}

// Some tools colour what they write into a pipe, when CI is set.
const plainText = (chunks: readonly Buffer[]): string => stripVTControlCharacters(Buffer.concat(chunks).toString());
