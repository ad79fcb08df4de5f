// The tasks of the desktop app. Each looks first whether this machine can do it, and says in one sentence what
// is missing; the build of the packages and of the page is done by then.

import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { problem, say } from "../setup/problem.mjs";
import {
  appFolder,
  appImageApp,
  bundle,
  bundleAppImage,
  checkFormat,
  compileApp,
  lintRust,
  listBundles,
  removeBundles,
  runApp,
  runLoud,
  stage,
  testRust,
  toMegabytes,
  unpackedApp,
} from "./desktop-app.ts";
import { lacksDownload, thisMachine, warningsIn, whatBuildLacks, whatTestsLack } from "./desktop-machine.ts";
import { runtimeFolder } from "./desktop-runtime.ts";
import { printTotal, runSteps, toStep, type Step } from "./steps.ts";
import { runTests } from "./tests.ts";
import { root } from "./tool.ts";

export function checkBuildMachine(): void {
  const sentence = whatBuildLacks(thisMachine());
  if (sentence !== undefined) throw problem(sentence);
}

export function checkTestMachine(): void {
  const sentence = whatTestsLack(thisMachine());
  if (sentence !== undefined) throw problem(sentence);
}

/** For `npm test`, which needs no Rust. */
export const leftOutStep: Step = {
  name: "desktop app in its window",
  run: async () => ({
    status: "skipped",
    text: whatTestsLack(thisMachine()) ?? "it compiles for minutes and opens windows; run: npm run test:desktop",
  }),
};

export function runDesktop(args: readonly string[]): Promise<number> {
  say(`staged the runtime: ${stage()}`);
  return runApp(args, { HAWSER_DESKTOP_RUNTIME: runtimeFolder });
}

const kindsOf: Partial<Record<NodeJS.Platform, readonly string[]>> = { linux: ["deb"], darwin: ["app", "dmg"] };

export async function buildDesktop(): Promise<number> {
  say(`staged the runtime: ${stage()}`);
  removeBundles();
  const compiled = await compileApp();
  if (compiled.code !== 0) return compiled.code;
  const packed = await bundle(kindsOf[process.platform] ?? ["deb"]);
  if (packed.code !== 0) return packed.code;
  const code = process.platform === "linux" ? await addAppImage() : 0;
  for (const { path, bytes } of listBundles()) process.stdout.write(`${path}  ${toMegabytes(bytes)} MB\n`);
  return code;
}

// Its tools are not ours to carry: Tauri loads them, and one of them loads the beginning of each AppImage.
const noAppImage = "no AppImage was made: Tauri loads the tools for it from github.com, which can't be reached from here";

/** Where the tools can't be had, the other package is made all the same. */
async function addAppImage(): Promise<number> {
  say("packing the AppImage, which takes a minute or two");
  const { code, output } = await bundleAppImage();
  if (code === 0) return 0;
  if (!lacksDownload(output)) {
    process.stderr.write(output);
    return code;
  }
  say(`${noAppImage}; the Debian package is complete.`);
  return 0;
}

const appImageStep: Step = {
  name: "AppImage",
  async run() {
    const { code, output } = await bundleAppImage();
    if (code === 0) return { status: "passed", text: "" };
    return lacksDownload(output) ? { status: "skipped", text: noAppImage } : { status: "failed", text: output };
  },
};

const driverVersion = "2.1.0";
const driverFolder = join(root, "node_modules", ".cache", "hawser-desktop");

/** Outside of npm's reach: it is a program of Rust, compiled once. */
async function installDriver(): Promise<{ code: number; output: string }> {
  const marker = join(driverFolder, ".crates.toml");
  const isThere =
    existsSync(join(driverFolder, "bin", "tauri-driver")) &&
    existsSync(marker) &&
    readFileSync(marker, "utf8").includes(`tauri-driver ${driverVersion} `);
  return isThere
    ? { code: 0, output: "" }
    : runLoud("cargo", ["install", "tauri-driver", "--version", driverVersion, "--locked", "--force", "--root", driverFolder]);
}

/** A warning of ours is a failure; those of others never show. */
async function compileWithoutWarnings(): Promise<{ code: number; output: string }> {
  const { code, output } = await compileApp();
  const warnings = warningsIn(output);
  return { code: code === 0 && warnings.length > 0 ? 1 : code, output: warnings.join("\n") };
}

export async function testDesktop(filters: readonly string[], before: readonly Step[]): Promise<number> {
  removeBundles();
  const loud = (name: string, work: Parameters<typeof toStep>[1]): Step => ({ ...toStep(name, work), isTalkative: true });
  const steps = await runSteps([
    ...before,
    toStep("runtime", async () => ({ code: 0, output: stage() })),
    loud("format of the Rust", checkFormat),
    loud("lint of the Rust", lintRust),
    loud("app, without a warning", compileWithoutWarnings),
    loud("tests in Rust", testRust),
    loud("Debian package", () => bundle(["deb"])),
    toStep("app of the package", async () => ({ code: 0, output: unpackedApp() })),
    appImageStep,
    loud("tauri-driver", installDriver),
  ]);
  if (steps.failed > 0) return printTotal([steps]);
  const folder = mkdtempSync(join(tmpdir(), "hawser-desktop-measures-"));
  try {
    const measures = join(folder, "measures.txt");
    const env = {
      HAWSER_DESKTOP_APP: unpackedApp(),
      HAWSER_DESKTOP_DRIVER: join(driverFolder, "bin", "tauri-driver"),
      HAWSER_DESKTOP_MEASURES: measures,
    };
    const tests = [await runTests(filters, { root: appFolder, env })];
    // It has tests of its own: where it is mounted, and what it is made of, is its own business.
    const image = filters.length === 0 ? appImageApp() : undefined;
    if (image !== undefined)
      tests.push(await runTests([], { root: appFolder, env: { ...env, HAWSER_DESKTOP_APP: image, HAWSER_DESKTOP_APPIMAGE: "1" } }));
    for (const { path, bytes } of listBundles()) process.stdout.write(`  size  ${path}: ${toMegabytes(bytes)} MB\n`);
    if (existsSync(measures)) process.stdout.write(readFileSync(measures, "utf8"));
    return printTotal([steps, ...tests]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
