// Runs a long test as a program: one argument says how much, a terminal sees one line of progress
// per second, the last line is the result, and the exit code is 1 when it failed.

import { fileURLToPath } from "node:url";

export interface Soak {
  readonly name: string;
  readonly unit: string;
  readonly defaultCount: number;
  /** Resolves to the result in words; throws when anything is not as it must be. */
  run(count: number, onProgress: (done: number) => void): Promise<string>;
}

/** Does nothing when the module `url` was imported rather than started. */
export async function runIfStarted(url: string, soak: Soak): Promise<void> {
  if (process.argv[1] !== fileURLToPath(url)) return;
  const count = Number(process.argv[2] ?? soak.defaultCount);
  if (!Number.isSafeInteger(count) || count < 1) {
    process.stderr.write(`usage: ${soak.name} [${soak.unit}]   a whole number of at least 1; without it ${soak.defaultCount}\n`);
    process.exitCode = 2;
    return;
  }
  const start = performance.now();
  const seconds = (): string => ((performance.now() - start) / 1_000).toFixed(1);
  let lastShownAt = start;
  function showProgress(done: number): void {
    if (!process.stdout.isTTY || performance.now() - lastShownAt < 1_000) return;
    lastShownAt = performance.now();
    process.stdout.write(`${soak.name}: ${done} of ${count} ${soak.unit}, ${seconds()} s\n`);
  }
  try {
    process.stdout.write(`${soak.name}: passed, ${await soak.run(count, showProgress)}, ${seconds()} s\n`);
  } catch (error) {
    process.stdout.write(`${soak.name}: FAILED after ${seconds()} s: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}
