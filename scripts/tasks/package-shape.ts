// Looks at the packages as a user gets them: packs them, has each tarball examined (publint, and
// arethetypeswrong where it can be imported), and loads every entry point from the built files.

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { packPackages } from "./pack.ts";
import type { Step } from "./steps.ts";
import { root, run } from "./tool.ts";

export const packageShapeStep: Step = {
  name: "package shape",
  async run() {
    const destination = mkdtempSync(join(tmpdir(), "hawser-pack-"));
    try {
      const problems = await examinePackages(destination);
      return { status: problems.length === 0 ? "passed" : "failed", text: problems.join("\n") };
    } finally {
      rmSync(destination, { recursive: true, force: true });
    }
  },
};

// The examiners run in this process: their programs would load a compiler anew for each package, which takes far
// longer than the look at it.
async function examinePackages(destination: string): Promise<string[]> {
  const problems: string[] = [];
  for (const { name, entries, tarball: file } of await packPackages(destination)) {
    const tarball = readFileSync(file);
    const found = await examineManifest(tarball);
    // A package without entry points is only run, never imported.
    if (entries.length > 0) found.push(...(await examineTypes(tarball)));
    for (const entry of entries) found.push(...(await loadEntry(entry)));
    problems.push(...found.map((problem) => `${name}: ${problem}`));
  }
  return problems;
}

async function examineManifest(tarball: Buffer): Promise<string[]> {
  const { publint } = await import("publint");
  const { formatMessage } = await import("publint/utils");
  const bytes = new Uint8Array(tarball).buffer;
  const { messages, pkg } = await publint({ pack: { tarball: bytes }, strict: true, level: "error" });
  return messages.map((message) => formatMessage(message, pkg, { color: false }) ?? message.code);
}

interface TypesProblem {
  readonly kind: string;
  readonly resolutionKind?: string;
  /** How it was searched for, in hundreds of lines. */
  readonly trace?: readonly string[];
}

/** What is used of the library behind the program `attw`. */
interface TypesExaminer {
  createPackageFromTarballData(tarball: Uint8Array): object;
  checkPackage(examined: object): Promise<{ types: unknown; problems?: readonly TypesProblem[] }>;
}

// The packages are ECMAScript modules only: that `require` of an old Node does not find them is known.
const unsupported = ["node10", "node16-cjs"];

async function examineTypes(tarball: Buffer): Promise<string[]> {
  // It comes with the program and is found from there.
  const program = createRequire(join(root, "node_modules", "@arethetypeswrong", "cli", "package.json"));
  const { href } = pathToFileURL(program.resolve("@arethetypeswrong/core"));
  const { checkPackage, createPackageFromTarballData } = (await import(href)) as TypesExaminer;
  const { types, problems = [] } = await checkPackage(createPackageFromTarballData(new Uint8Array(tarball)));
  if (!types) return ["it has no types"];
  const counted = problems.filter(({ resolutionKind = "" }) => !unsupported.includes(resolutionKind));
  return counted.map((problem) => `types: ${JSON.stringify({ ...problem, trace: undefined })}`);
}

/** In a process of its own, since nobody else's imports may help it. */
async function loadEntry(entry: string): Promise<string[]> {
  const { code, output } = await run(process.execPath, ["--input-type=module", "--eval", `await import("${entry}")`]);
  return code === 0 ? [] : [`import "${entry}" ends with exit code ${code}\n${output}`];
}
