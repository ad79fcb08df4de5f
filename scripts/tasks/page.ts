// Builds the chat page: one HTML file with its script and its style beside it, ready to be served.

import { existsSync, globSync } from "node:fs";
import { join } from "node:path";
import { root, runTool, timeOf } from "./tool.ts";

const folder = "packages/shell";
const built = `${folder}/dist/page/index.html`;

/** Builds it when it is missing or older than what it is made of. */
export async function buildPage(): Promise<{ code: number; output: string }> {
  if (!isPageStale()) return { code: 0, output: "" };
  return runTool("vite", "vite", ["build", "--config", `${folder}/vite.config.ts`, "--logLevel", "warn"]);
}

export function isPageStale(): boolean {
  // Tests of the tasks build small trees of their own, without it.
  if (!existsSync(join(root, folder, "vite.config.ts"))) return false;
  const time = timeOf(built) ?? 0;
  const sources = [
    "packages/shell/src/**",
    "packages/shell/vite.config.ts",
    "packages/{agent/src/{host,rules},protocol/src,wire/src}/**/*.ts",
    "package-lock.json",
  ];
  return globSync(sources, { cwd: root }).some((path) => (timeOf(path) ?? 0) > time);
}
