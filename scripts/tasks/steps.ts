// Named steps, run one after the other or a few at a time. What is written is the same: in the order of the list, the
// name of the first step that goes on and its outcome, on the same line, when it ends; one that ends before its turn
// waits for it. A step counts like a test; the total is the last line of a task's output, and right before it
// stand the names of everything that was unsteady or failed.

import { performance } from "node:perf_hooks";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Unsteady } from "./unsteady.ts";

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
  /** What failed and held when it was run again; it counts as passed. */
  readonly unsteady?: readonly Unsteady[];
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

/** Runs the steps, `width` at a time; one that fails stops no other. */
export async function runSteps(steps: readonly Step[], width = 1): Promise<Counts> {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  const failures: string[] = [];
  for (const { step, outcome } of startSteps(steps, width)) {
    process.stdout.write(`  ${step.name} …${step.isTalkative ? "\n" : ""}`);
    const { status, text, seconds } = await outcome;
    counts[status] += 1;
    const subject = step.isTalkative ? `  ${step.name}:` : "";
    process.stdout.write(`${subject} ${words[status]} (${seconds.toFixed(1)} s)${status === "skipped" ? `: ${text}` : ""}\n`);
    if (status !== "failed") continue;
    failures.push(step.name);
    if (text.trim() !== "") process.stdout.write(`${indent(text.trimEnd())}\n`);
  }
  return { ...counts, failures };
}

interface TimedOutcome extends StepOutcome {
  readonly seconds: number;
}

function startSteps(steps: readonly Step[], width: number): { readonly step: Step; readonly outcome: Promise<TimedOutcome> }[] {
  const runs = steps.map((step) => ({ step, ...Promise.withResolvers<TimedOutcome>() }));
  const waiting = [...runs];
  async function work(): Promise<void> {
    // Before a step begins, what is known is written: it may write lines of its own, or keep this process busy.
    for (let run = waiting.shift(); run; run = waiting.shift()) {
      await nextTurn();
      run.resolve(await runTimed(run.step));
    }
  }
  for (let count = 0; count < width; count += 1) void work();
  return runs.map(({ step, promise }) => ({ step, outcome: promise }));
}

async function runTimed(step: Step): Promise<TimedOutcome> {
  const startedAt = performance.now();
  const toSeconds = (): number => (performance.now() - startedAt) / 1000;
  try {
    const outcome = await step.run();
    return { ...outcome, seconds: toSeconds() };
  } catch (error) {
    return { status: "failed", text: String(error), seconds: toSeconds() };
  }
}

const indent = (text: string): string => text.replaceAll(/^/gm, "      ");

// Each is a bug to be fixed. A few may be overlooked until then; a list that grows may not.
const mostUnsteady = 3;

/** Writes what was unsteady, what failed and the last line, exactly `N passed, N failed` and the skipped ones if any; returns the exit code. */
export function printTotal(parts: readonly Counts[]): 0 | 1 {
  const unsteady = parts.flatMap((part) => part.unsteady ?? []);
  const isTooUnsteady = unsteady.length > mostUnsteady;
  const failures = parts.flatMap((part) => part.failures);
  if (isTooUnsteady) failures.push(`${unsteady.length} unsteady tests, and at most ${mostUnsteady} may be`);
  const lines = unsteady.flatMap(({ name, firstFailure }) => [`  ${name}`, indent(firstFailure.split("\n", 1)[0] ?? "")]);
  if (lines.length > 0)
    process.stdout.write(
      `\nUnsteady: failed, then held when run alone. Each is a bug in the test or in the product:\n${lines.join("\n")}\n`,
    );
  if (failures.length > 0) process.stdout.write(`\nFailed:\n${failures.map((name) => `  ${name}\n`).join("")}`);
  const sum = (name: "passed" | "failed" | "skipped"): number => parts.reduce((total, part) => total + part[name], 0);
  const failed = sum("failed") + (isTooUnsteady ? 1 : 0);
  const skipped = sum("skipped");
  process.stdout.write(
    `${failures.length > 0 ? "" : "\n"}${sum("passed")} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}\n`,
  );
  return failed > 0 ? 1 : 0;
}
