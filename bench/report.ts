// The results as a table for people and as one JSON document for programs. The contestant with the
// star is ours; the ratio on the line of a peer is ours divided by that peer's.

import { availableParallelism, cpus, loadavg } from "node:os";
import { ratioOf, type Measurement } from "./measure.ts";
import type { CaseResult, Verdict } from "./row.ts";

export interface Report {
  readonly node: string;
  readonly platform: string;
  readonly cpuCount: number;
  readonly cpuModel: string;
  /** Of the minute before the end: above the number of CPUs, others worked here too. */
  readonly loadAverage: number;
  readonly rounds: number;
  readonly seconds: number;
  readonly cases: readonly CaseResult[];
  /** Rows that could not be measured, and why. */
  readonly notMeasured: readonly string[];
}

export function describeMachine(): Pick<Report, "node" | "platform" | "cpuCount" | "cpuModel" | "loadAverage"> {
  return {
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
    cpuCount: availableParallelism(),
    cpuModel: cpus()[0]?.model.trim() ?? "unknown",
    loadAverage: loadavg()[0] ?? 0,
  };
}

export function toJson(report: Report): string {
  // Nanoseconds and hundredths of a byte are noise, and would be most of the document.
  return JSON.stringify(report, (_key, value: unknown) => (typeof value === "number" ? Number(value.toPrecision(6)) : value), 1);
}

const headings = ["", "median", "p99", "ours / peer", "target", ""];

export function toTable(report: Report): string {
  const { node, platform, cpuCount, cpuModel, loadAverage, rounds } = report;
  const blocks = report.cases.map((result) => ({ title: titleOf(result), lines: linesOf(result) }));
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...blocks.flatMap(({ lines }) => lines.map((cells) => cells[column]?.length ?? 0))),
  );
  const print = (cells: readonly string[]): string =>
    `  ${cells.map((cell, column) => (isNumeric(column) ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0))).join("  ")}`.trimEnd();
  const verdicts = report.cases.flatMap((result) => result.verdicts);
  return [
    `Hawser bench: Node ${node}, ${platform}, ${cpuCount} CPUs (${cpuModel}), load average ${loadAverage.toFixed(1)}`,
    `${rounds} interleaved rounds: medians, and medians of the rounds' ratios`,
    "",
    print(headings),
    ...blocks.flatMap(({ title, lines }) => ["", title, ...lines.map(print)]),
    "",
    ...report.notMeasured.map((row) => `not measured: ${row}`),
    `${verdicts.filter(({ isMet }) => isMet).length} of ${verdicts.length} targets met, in ${report.seconds.toFixed(0)} s`,
    "",
  ].join("\n");
}

const isNumeric = (column: number): boolean => column > 0 && column < 4;

function titleOf({ name, work, unit, rounds }: CaseResult): string {
  const direction = unit.endsWith("/s") ? "more is better" : "less is better";
  return `${name}: ${unit}, ${direction} (${work}, ${rounds} ${rounds === 1 ? "round" : "rounds"})`;
}

function linesOf(result: CaseResult): string[][] {
  const ours = result.measurements.find(({ name }) => name === result.ours);
  return result.measurements.map((measurement) => {
    const isOurs = measurement === ours;
    const verdicts = result.verdicts.filter(({ peer }) => (isOurs ? peer === undefined : peer === measurement.name));
    return [
      `${isOurs ? "*" : " "} ${measurement.name}`,
      toNumber(measurement.median),
      hasTail(measurement) ? toNumber(measurement.p99) : "",
      isOurs || !ours ? "" : `${ratioOf(ours, measurement).toFixed(2)} x`,
      verdicts.map((verdict) => toCondition(verdict, result.unit)).join(", "),
      verdicts.map(({ isMet }) => (isMet ? "met" : "MISSED")).join(", "),
    ];
  });
}

// With fewer samples the 99th percentile is only the worst one.
const hasTail = ({ rounds }: Measurement): boolean => rounds.flat().length >= 1_000;

const toNumber = (value: number): string => (value >= 1_000 ? value.toFixed(0) : value.toFixed(value >= 10 ? 1 : 3));

function toCondition({ peer, statistic, atLeast, atMost }: Verdict, unit: string): string {
  const bound = atLeast === undefined ? `<= ${toBound(atMost)}` : `>= ${toBound(atLeast)}`;
  return [statistic ?? "", bound, peer === undefined ? unit : "x"].filter((part) => part !== "").join(" ");
}

const toBound = (bound: number | undefined): string => String(Number((bound ?? 0).toFixed(2)));
