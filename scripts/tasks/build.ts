// The build: `tsc -b` over the packages, which takes a moment when nothing changed. It trusts its own
// notes and not the disk, so two things are settled before: outputs of sources that are gone are
// removed (they would be published), and an output that is missing or older than its source makes
// it compile everything (the launcher of `hawser` looks at the same times).

import { existsSync, globSync, rmSync } from "node:fs";
import { join } from "node:path";
import { withTreeLock } from "../setup/tree-lock.mjs";
import { areBundlesStale, bundlePrograms } from "./bundle.ts";
import { buildPage, isPageStale } from "./page.ts";
import { toStep } from "./steps.ts";
import { root, runTool, timeOf } from "./tool.ts";

export const buildStep = toStep("build", () =>
  withTreeLock(root, async () => {
    removeOrphans();
    const projects = globSync("packages/*/tsconfig.json", { cwd: root }).toSorted();
    const result = await runTool("typescript", "tsc", ["-b", ...projects, ...(isAnyOutputStale() ? ["--force"] : [])]);
    if (result.code !== 0) return result;
    const page = await buildPage();
    if (page.code === 0) await bundlePrograms();
    return page;
  }),
);

function removeOrphans(): void {
  for (const file of globSync("packages/*/dist/**/*.{js,js.map,d.ts}", { cwd: root, exclude: ["packages/*/dist/page/**"] })) {
    const source = swapFolder(file, "dist", "src").replace(/\.(?:js|js\.map|d\.ts)$/, ".ts");
    if (!existsSync(join(root, source))) rmSync(join(root, file));
  }
}

/** Whether a build will have something to do, and so take more than a moment. */
export const isBuildStale = (): boolean => isAnyOutputStale() || areBundlesStale() || isPageStale();

function isAnyOutputStale(): boolean {
  return globSync("packages/*/src/**/*.ts", { cwd: root, exclude: ["packages/shell/src/page/**"] }).some((source) => {
    const output = timeOf(swapFolder(source, "src", "dist").replace(/\.ts$/, ".js"));
    return output === undefined || output < (timeOf(source) ?? 0);
  });
}

/** `packages/wire/src/codec` → `packages/wire/dist/codec`, with either kind of slash. */
const swapFolder = (path: string, from: string, to: string): string => path.replace(new RegExp(`^(packages.[^\\\\/]+.)${from}`), `$1${to}`);
