// What a row of the bench is: it prepares cases, each of which lets several contestants do the same
// work and says what ours must reach. Rows know nothing about rounds, medians or printing.

import { ratioOf, type Contestant, type Measurement } from "./measure.ts";

export interface Row {
  /** Short; `--only` looks for its text here. */
  readonly name: string;
  readonly platforms?: readonly NodeJS.Platform[];
  /** Starts what the cases need. */
  prepare(context: RowContext): Promise<Case[]>;
}

export interface RowContext {
  /** Registers a cleanup; they run in reverse order when the row is over, also when it fails. */
  defer(cleanup: () => Promise<void> | void): void;
}

export interface Case {
  readonly name: string;
  /** What one round does, for the reader of the table. */
  readonly work: string;
  readonly unit: "MB/s" | "messages/s" | "calls/s" | "ms" | "MB";
  /** The contestant that is compared with every other one. */
  readonly ours: string;
  readonly contestants: readonly Contestant[];
  readonly targets: readonly Target[];
  /** How many rounds to make of the usual number; unless given, that number. */
  rounds?(usual: number): number;
}

/** With `peer`: what our ratio to the peer must be. Without: what our own median or 99th percentile must be. */
export interface Target {
  readonly peer?: string;
  readonly statistic?: "p99";
  readonly atLeast?: number;
  readonly atMost?: number;
}

export interface Verdict extends Target {
  readonly value: number;
  readonly isMet: boolean;
}

export interface CaseResult {
  readonly row: string;
  readonly name: string;
  readonly work: string;
  readonly unit: Case["unit"];
  readonly ours: string;
  readonly rounds: number;
  readonly measurements: readonly Measurement[];
  readonly verdicts: readonly Verdict[];
}

export function judge(target: Target, ours: string, measurements: readonly Measurement[]): Verdict {
  const own = find(measurements, ours);
  const value = target.peer === undefined ? own[target.statistic ?? "median"] : ratioOf(own, find(measurements, target.peer));
  const isMet = value >= (target.atLeast ?? -Infinity) && value <= (target.atMost ?? Infinity);
  return { ...target, value, isMet };
}

function find(measurements: readonly Measurement[], name: string): Measurement {
  const measurement = measurements.find((candidate) => candidate.name === name);
  if (!measurement) throw new Error(`no contestant is called "${name}"`);
  return measurement;
}
