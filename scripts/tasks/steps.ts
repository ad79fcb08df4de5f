// Named steps, run one after the other. The name of a step is written when it begins and its outcome, on the
// same line, when it ends. A step counts like a test; the total is the last line of a task's output, and
// right before it stand the names of everything that failed.

import { performance } from "node:perf_hooks";

export interface StepOutcome {
  readonly status: "passed" | "failed" | "skipped";
  /** What to show: the findings of a failed step, the reason of a skipped one. */
  readonly text: string;
}

export interface Step {
  readonly name: string;
  /** It writes lines of its own while it runs. */
  readonly isTalkative?: boolean;
  run(): Promise<StepOutcome>;
}

export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** The names of what failed; a number of failures may share one. */
  readonly failures: readonly string[];
}

const words = { passed: "ok", failed: "FAILED", skipped: "skipped" } as const;

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
  const failures: string[] = [];
  for (const step of steps) {
    const startedAt = performance.now();
    process.stdout.write(`  ${step.name} …${step.isTalkative ? "\n" : ""}`);
    const { status, text } = await step.run().catch((error: unknown) => ({ status: "failed" as const, text: String(error) }));
    counts[status] += 1;
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    const subject = step.isTalkative ? `  ${step.name}:` : "";
    process.stdout.write(`${subject} ${words[status]} (${seconds} s)${status === "skipped" ? `: ${text}` : ""}\n`);
    if (status !== "failed") continue;
    failures.push(step.name);
    if (text.trim() !== "") process.stdout.write(`${indent(text.trimEnd())}\n`);
  }
  return { ...counts, failures };
}

const indent = (text: string): string => text.replaceAll(/^/gm, "      ");

/** Writes what failed and the last line, exactly `N passed, N failed` and the skipped ones if any; returns the exit code. */
export function printTotal(parts: readonly Counts[]): 0 | 1 {
  const failures = parts.flatMap((part) => part.failures);
  if (failures.length > 0) process.stdout.write(`\nFailed:\n${failures.map((name) => `  ${name}\n`).join("")}`);
  const sum = (name: "passed" | "failed" | "skipped"): number => parts.reduce((total, part) => total + part[name], 0);
  const skipped = sum("skipped");
  process.stdout.write(
    `${failures.length > 0 ? "" : "\n"}${sum("passed")} passed, ${sum("failed")} failed${skipped > 0 ? `, ${skipped} skipped` : ""}\n`,
  );
  return sum("failed") > 0 ? 1 : 0;
}
