// The desktop app as something to build: where its parts lie, and the programs that make them. What a program
// says is shown as it comes, since compiling takes minutes, and returned as well.

import { spawn, spawnSync } from "node:child_process";
import { globSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { runProgram } from "../setup/program.mjs";
import { runtimeFolder, stageRuntime } from "./desktop-runtime.ts";
import { root, toolPath, type ToolResult } from "./tool.ts";

export const appFolder = join(root, "apps", "desktop");
const rustFolder = join(appFolder, "src-tauri");

/** Where cargo puts what it makes. */
function targetFolder(): string {
  const given = process.env["CARGO_TARGET_DIR"];
  if (!given) return join(rustFolder, "target");
  return isAbsolute(given) ? given : join(rustFolder, given);
}

/** With the page inside the program, as Tauri's own build does it; without, it would look for a development server. */
const withPage = ["--features", "tauri/custom-protocol"];

export const compileApp = (): Promise<ToolResult> => runLoud("cargo", ["build", "--release", "--locked", ...withPage]);
export const checkFormat = (): Promise<ToolResult> => runLoud("cargo", ["fmt", "--check"]);
/** All that is ours, the tests too. */
export const lintRust = (): Promise<ToolResult> =>
  runLoud("cargo", ["clippy", "--locked", "--all-targets", ...withPage, "--", "-D", "warnings"]);
/** In the profile of development: the other one optimises each test program anew, across all that it is made of. */
export const testRust = (): Promise<ToolResult> => runLoud("cargo", ["test", "--locked", ...withPage]);
/** For development: compiles in a fraction of the time. Ends with the app, and ends it when it is told to end. */
export const runApp = (args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> =>
  runProgram("cargo", ["run", "--locked", ...withPage, "--", ...args], { cwd: rustFolder, env: { ...process.env, ...env } });

export function stage(): string {
  const { files, bytes } = stageRuntime({ to: runtimeFolder });
  return `${files} files, ${toMegabytes(bytes)} MB`;
}

/** Packs the compiled app and the staged runtime. */
export const bundle = (kinds: readonly string[]): Promise<ToolResult> => runLoud(process.execPath, bundleArgs(kinds));

/** Without a word while it goes on, and with every word of its tools in the result: hundreds of lines, or why it failed. */
export async function bundleAppImage(): Promise<ToolResult> {
  const program = join(targetFolder(), "release", "hawser-desktop");
  const compiled = readFileSync(program);
  const result = await runShowing(process.execPath, [...bundleArgs(["appimage"]), "--verbose"], () => {});
  // A Tauri that fails leaves its mark in the program, and complains of it the next time.
  if (result.code !== 0) writeFileSync(program, compiled);
  return result;
}

function bundleArgs(kinds: readonly string[]): string[] {
  // Only here: in tauri.conf.json it would be copied with every compilation.
  const resources = JSON.stringify({ bundle: { resources: { "../runtime": "runtime" } } });
  return [toolPath("@tauri-apps/cli", "tauri"), "bundle", "--ci", "--bundles", kinds.join(","), "--config", resources];
}

const bundleFolder = (): string => join(targetFolder(), "release", "bundle");

/** What an earlier run has packed, perhaps under another version. */
export const removeBundles = (): void => rmSync(bundleFolder(), { recursive: true, force: true });

/** The packages that were made, with their sizes. */
export function listBundles(): { readonly path: string; readonly bytes: number }[] {
  const folder = bundleFolder();
  const paths = globSync(["deb/*.deb", "appimage/*.AppImage", "dmg/*.dmg"], { cwd: folder });
  return paths.toSorted().map((path) => ({ path: join(folder, path), bytes: statSync(join(folder, path)).size }));
}

/** The app as the Debian package holds it, unpacked beside it; fails where there is none. */
export function unpackedApp(): string {
  const [path] = globSync("deb/*/data/usr/bin/hawser-desktop", { cwd: bundleFolder() });
  if (path === undefined) throw new Error(`there is no unpacked Debian package with the app below ${bundleFolder()}`);
  return join(bundleFolder(), path);
}

/** The app as an AppImage: the file itself, or the folder that it was made of where it can't be mounted. Undefined: there is none. */
export function appImageApp(): string | undefined {
  const [path] = globSync("appimage/*.AppImage", { cwd: bundleFolder() });
  if (path === undefined) return undefined;
  const image = join(bundleFolder(), path);
  const { status } = spawnSync(image, ["--version"], { stdio: "ignore", timeout: 60_000 });
  return status === 0 ? image : join(dirname(image), "Hawser.AppDir", "AppRun");
}

export const toMegabytes = (bytes: number): string => (bytes / 1_000_000).toFixed(1);

export const runLoud = (command: string, args: readonly string[]): Promise<ToolResult> =>
  runShowing(command, args, (chunk) => void process.stderr.write(chunk));

function runShowing(command: string, args: readonly string[], show: (chunk: Buffer) => void): Promise<ToolResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: rustFolder, stdio: ["inherit", "pipe", "pipe"] });
    const chunks: Buffer[] = [];
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (chunk: Buffer) => {
        chunks.push(chunk);
        show(chunk);
      });
    }
    const passOn = (signal: NodeJS.Signals): void => void child.kill(signal);
    process.on("SIGTERM", passOn);
    child.once("error", reject);
    child.once("close", (code) => {
      process.off("SIGTERM", passOn);
      resolve({ code: code ?? 1, output: Buffer.concat(chunks).toString() });
    });
  });
}
