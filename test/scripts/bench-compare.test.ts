// Two runs of the bench beside each other, as `npm run bench -- --compare` prints them.

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";

const root = join(import.meta.dirname, "..", "..");
const folder = mkdtempSync(join(tmpdir(), "hawser-compare-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Times {
  readonly name: string;
  readonly unit: string;
  readonly ours: readonly number[];
  readonly peer?: readonly number[];
}

function writeRun(name: string, cases: readonly Times[]): string {
  const toMeasurement = (contestant: string, samples: readonly number[]): object => ({
    name: contestant,
    median: samples[0],
    p99: samples[0],
    rounds: samples.map((sample) => [sample]),
  });
  const report = {
    node: "v24",
    rounds: 5,
    loadAverage: 0.5,
    cases: cases.map(({ name: title, unit, ours, peer }) => ({
      name: title,
      unit,
      ours: "ours",
      measurements: [toMeasurement("ours", ours), ...(peer ? [toMeasurement("peer", peer)] : [])],
      verdicts: [],
    })),
  };
  const file = join(folder, name);
  writeFileSync(file, `> bench\n> node scripts/run.mjs bench\n\n${JSON.stringify(report)}\n`);
  return file;
}

const runBench = (...args: string[]) =>
  spawnSync(process.execPath, ["--conditions=hawser-source", "bench/main.ts", ...args], { cwd: root, encoding: "utf8" });

it("says row by row what became better, worse, or stayed the same within the noise of both", () => {
  const steady = [10, 10, 10, 10, 10];
  const before = writeRun("before.json", [
    { name: "Quick", unit: "ms", ours: steady, peer: steady },
    { name: "Slow", unit: "calls/s", ours: steady, peer: steady },
    { name: "Noisy", unit: "ms", ours: [6, 8, 10, 12, 14] },
    { name: "Gone", unit: "ms", ours: steady },
  ]);
  const now = writeRun("now.json", [
    { name: "Quick", unit: "ms", ours: [5, 5, 5, 5, 5], peer: steady },
    { name: "Slow", unit: "calls/s", ours: [5, 5, 5, 5, 5], peer: steady },
    { name: "Noisy", unit: "ms", ours: [7, 9, 11, 13, 15] },
    { name: "New", unit: "ms", ours: steady },
  ]);
  const { status, stdout } = runBench("--compare", before, now);
  expect(status).toBe(0);
  expect(stdout).toMatch(/^ {2}Quick \/ peer +1\.00 +0\.500 +-50 % +±0 % +better$/m);
  expect(stdout).toMatch(/^ {2}Slow \/ peer +1\.00 +0\.500 +-50 % +±0 % +WORSE$/m);
  expect(stdout).toMatch(/^ {2}Noisy, ms +10\.0 +11\.0 +\+10 % +±38 % +same$/m);
  expect(stdout).toContain("only in the run before: Gone, ms\n");
  expect(stdout).toContain("only in the run now: New, ms\n");
});

it("refuses a file that is not a run, too many of them, and --json beside it, each in a sentence", () => {
  const other = join(folder, "other.txt");
  writeFileSync(other, "nothing");
  const wrong = [
    [["--compare", other], "holds no run of the bench; make one with: npm run bench -- --json"],
    [["--compare", other, other, other], "--compare takes one file or two"],
    [["--json", "--compare", other], "--compare prints a table; leave --json out"],
  ] as const;
  for (const [args, sentence] of wrong) {
    const { status, stderr } = runBench(...args);
    expect(status).toBe(2);
    expect(stderr).toContain(sentence);
  }
});
