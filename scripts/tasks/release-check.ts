// The rehearsal of a release: everything but the publishing. It checks versions and publish settings, writes the
// changelogs that the changesets come to, examines the tarballs, and installs them into an empty project, from which
// the list of licences and the bill of materials are taken: what users get, not what developers have.

import { cpSync, existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { exactVersionsStep } from "./exact-versions.ts";
import { packPackages } from "./pack.ts";
import { packageShapeStep } from "./package-shape.ts";
import type { Step, StepOutcome } from "./steps.ts";
import { root, run, toolPath } from "./tool.ts";

const output = join(root, "release");

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  readonly engines?: { readonly node?: string };
  readonly publishConfig?: { readonly provenance?: boolean; readonly access?: string };
  readonly dependencies?: Readonly<Record<string, string>>;
}

const readManifest = (file: string): Manifest => JSON.parse(readFileSync(file, "utf8")) as Manifest;

const outcome = (problems: readonly string[]): StepOutcome => ({
  status: problems.length === 0 ? "passed" : "failed",
  text: problems.join("\n"),
});

/** All packages have one version and need each other in it; each says how it is published. */
export function findManifestProblems(manifests: readonly Manifest[]): string[] {
  const own = new Set(manifests.map(({ name }) => name));
  const [first] = manifests;
  return manifests.flatMap(({ name, version, license, engines, publishConfig, dependencies = {} }) => {
    const problems: string[] = [];
    if (version !== first?.version) problems.push(`its version is ${version}, that of ${first?.name} ${first?.version}`);
    for (const [needed, wanted] of Object.entries(dependencies))
      if (own.has(needed) && wanted !== version) problems.push(`it needs ${needed} ${wanted} and is ${version}`);
    if (license === undefined) problems.push("it has no license");
    if (engines?.node === undefined) problems.push("engines.node is missing");
    if (publishConfig?.access !== "public") problems.push("publishConfig.access is not public");
    if (publishConfig?.provenance !== true) problems.push("publishConfig.provenance is not switched on");
    return problems.map((problem) => `${name}: ${problem}`);
  });
}

const manifestStep: Step = {
  name: "versions and publish settings",
  run: () =>
    Promise.resolve(
      outcome(findManifestProblems(globSync("packages/*/package.json", { cwd: root }).map((file) => readManifest(join(root, file))))),
    ),
};

// Changesets rewrites manifests and removes its entries, so it works on a copy, with a history of its own that it asks for commits.
const changelogStep: Step = {
  name: "changelogs",
  run: () =>
    inTemporaryFolder(async (folder) => {
      const files = [
        "package.json",
        "package-lock.json",
        ".changeset",
        ...globSync("{packages/*,apps/*,bench}/package.json", { cwd: root }),
      ];
      for (const file of files) cpSync(join(root, file), join(folder, file), { recursive: true });
      const author = ["-c", "user.name=release", "-c", "user.email=release@localhost"];
      for (const args of [
        ["init", "-q"],
        ["add", "-A"],
        [...author, "commit", "-q", "-m", "release"],
      ])
        await runOrThrow("git", args, folder);
      await runOrThrow(process.execPath, [toolPath("@changesets/cli", "changeset"), "version"], folder);
      const changelogs = globSync("packages/*/CHANGELOG.md", { cwd: folder });
      for (const file of changelogs) write(`changelogs/${file.split(/[/\\]/)[1]}.md`, readFileSync(join(folder, file), "utf8"));
      return outcome(changelogs.length === 0 ? ["there is no changeset: nothing would be released"] : []);
    }),
};

const allowedLicences = new Set(
  "MIT ISC 0BSD Apache-2.0 BSD-2-Clause BSD-3-Clause BlueOak-1.0.0 CC0-1.0 Unlicense Python-2.0 PSF-2.0".split(" "),
);

/** Of alternatives, one is enough. */
const isAllowed = (licence: string): boolean =>
  licence
    .replaceAll(/[()]/g, "")
    .split(" OR ")
    .some((name) => allowedLicences.has(name));

/** One line for each installed package, and what is wrong with its licence. */
export function listLicences(folder: string): { readonly lines: readonly string[]; readonly problems: readonly string[] } {
  const files = globSync(["node_modules/**/package.json"], { cwd: folder }).filter((file) =>
    /node_modules[/\\](?:@[^/\\]+[/\\])?[^/\\@]+[/\\]package\.json$/.test(file),
  );
  const found = new Map(
    files.map((file) => {
      const { name, version, license = "none" } = readManifest(join(folder, file));
      return [`${name} ${version}`, license];
    }),
  );
  const lines = [...found].map(([name, license]) => `${license}\t${name}`).toSorted();
  return { lines, problems: lines.filter((line) => !isAllowed(line.split("\t")[0] ?? "")) };
}

const installedStep: Step = {
  name: "tarballs in an empty project, licences, bill of materials",
  run: () =>
    inTemporaryFolder(async (folder) => {
      const packages = await packPackages(folder);
      const project = join(folder, "project");
      mkdirSync(project);
      writeFileSync(join(project, "package.json"), JSON.stringify({ name: "project", version: "1.0.0", private: true }));
      const quiet = ["--no-audit", "--no-fund", "--prefer-offline", "--ignore-scripts"];
      await runOrThrow("npm", ["install", ...quiet, ...packages.map(({ tarball }) => tarball)], project);
      const { lines, problems } = listLicences(project);
      write("licences.txt", `${lines.join("\n")}\n`);
      write("sbom.cdx.json", await runOrThrow("npm", ["sbom", "--sbom-format", "cyclonedx", "--loglevel", "error"], project));
      for (const { tarball } of packages) cpSync(tarball, join(output, tarball.slice(folder.length + 1)));
      return outcome(problems.map((line) => `look at this licence: ${line}`));
    }),
};

const folderStep: Step = {
  name: "folder release",
  run() {
    rmSync(output, { recursive: true, force: true });
    mkdirSync(output);
    return Promise.resolve(outcome([]));
  },
};

export const releaseSteps: readonly Step[] = [folderStep, manifestStep, exactVersionsStep, changelogStep, packageShapeStep, installedStep];

function write(name: string, text: string): void {
  const file = join(output, name);
  if (!existsSync(dirname(file))) mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

async function runOrThrow(command: string, args: readonly string[], cwd: string): Promise<string> {
  const { code, output: text } = await run(command, args, cwd);
  if (code !== 0) throw new Error(`${command} ${args.join(" ")} ended with exit code ${code}\n${text}`);
  return text;
}

async function inTemporaryFolder(work: (folder: string) => Promise<StepOutcome>): Promise<StepOutcome> {
  const folder = mkdtempSync(join(tmpdir(), "hawser-release-"));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
