// Named steps, run one after the other, each with one line about its outcome. A step counts like a
// test; the total is the last line of a task's output.

import { performance } from "node:perf_hooks";

export interface StepOutcome {
  readonly status: "passed" | "failed" | "skipped";
  /** What to show: the findings of a failed step, the reason of a skipped one. */
  readonly text: string;
}

export interface Step {
  readonly name: string;
  run(): Promise<StepOutcome>;
}

export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

const marks = { passed: "ok  ", failed: "FAIL", skipped: "skip" } as const;

/** A step that passes when its work ends with exit code 0. */
export function toStep(name: string, work: () => Promise<number | { readonly code: number; readonly output: string }>): Step {
  return {
    name,
    async run() {
      const result = await work();
      const { code, output } = typeof result === "number" ? { code: result, output: "" } : result;
      return { status: code === 0 ? "passed" : "failed", text: output };
    },
  };
}

export async function runSteps(steps: readonly Step[]): Promise<Counts> {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  for (const step of steps) {
    const startedAt = performance.now();
    const { status, text } = await step.run().catch((error: unknown) => ({ status: "failed" as const, text: String(error) }));
    counts[status] += 1;
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    process.stdout.write(`  ${marks[status]}  ${step.name} (${seconds} s)${status === "skipped" ? `: ${text}` : ""}\n`);
    if (status === "failed") process.stdout.write(`${indent(text.trimEnd())}\n`);
  }
  return counts;
}

const indent = (text: string): string => text.replaceAll(/^/gm, "        ");

/** Writes the last line, exactly `N passed, N failed` and the skipped ones if any; returns the exit code. */
export function printTotal(parts: readonly Counts[]): 0 | 1 {
  const sum = (name: keyof Counts): number => parts.reduce((total, part) => total + part[name], 0);
  const skipped = sum("skipped");
  process.stdout.write(`\n${sum("passed")} passed, ${sum("failed")} failed${skipped > 0 ? `, ${skipped} skipped` : ""}\n`);
  return sum("failed") > 0 ? 1 : 0;
}
