// How tests run: from the sources of all packages, each test file in a process of its own, unless it can share one.

import { globSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { areBundlesStale } from "./scripts/tasks/bundle.ts";
import { sharesProcess } from "./scripts/tasks/shared-process.ts";

const include = ["packages/*/test/**/*.test.ts", "test/**/*.test.ts"];
const shared = globSync(include, { cwd: import.meta.dirname }).filter((file) => sharesProcess(import.meta.dirname, file));

// Thousands of programs are started, most of them from sources: each is compiled once. So are the processes of the test files, which
// have this from their start.
process.env["NODE_COMPILE_CACHE"] = fileURLToPath(new URL("node_modules/.cache/hawser-tests", import.meta.url));

// By itself vitest begins with large files, so that short ones fill the end. A soak is a small file that takes long.
class SoaksFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isSoak = ({ moduleId }: TestSpecification): boolean => moduleId.includes("soak");
    const sorted = await super.sort(files);
    return [...sorted.filter(isSoak), ...sorted.filter((file) => !isSoak(file))];
  }
}

export default defineConfig({
  resolve: { conditions: ["hawser-source"] },
  ssr: { resolve: { conditions: ["hawser-source"] } },
  test: {
    // Real processes on two shared cores, which others may use too: generous, never tight. It only costs time where something hangs.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 30_000 } },
    pool: "forks",
    projects: [
      // Each file in its own process: some send signals, guard stdout or count descriptors.
      { extends: true, test: { name: "own", include, exclude: shared } },
      { extends: true, test: { name: "shared", include: shared, isolate: false } },
    ],
    // Three for each of two cores: most tests wait for a process or a pipe, and with two for each a fifth of the processor's time is unused.
    maxWorkers: 6,
    sequence: { sequencer: SoaksFirst },
    env: {
      // Found out once: the files of all packages are looked at for it.
      TESTED_HAWSER: areBundlesStale() ? "sources" : "bundle",
    },
  },
});
