// Two runs of the bench side by side, row by row: what ours was beside each peer, what it is, and how much either run varied
// within itself. A change that is smaller than the two together is called the same.

import { percentile, type Measurement } from "./measure.ts";
import type { Report } from "./report.ts";
import type { CaseResult } from "./row.ts";

interface Series {
  /** The case, and the peer that ours is divided by; without one it is ours alone. */
  readonly name: string;
  readonly isMoreBetter: boolean;
  readonly samples: readonly number[];
}

export function toComparison(before: Report, now: Report): string {
  const earlier = new Map(before.cases.flatMap(seriesOf).map((series) => [series.name, series]));
  const later = now.cases.flatMap(seriesOf);
  const lines = later.flatMap((series) => {
    const other = earlier.get(series.name);
    return other ? [lineOf(other, series)] : [];
  });
  const onlyIn = (names: readonly string[], run: string): string[] => names.map((name) => `  only in the run ${run}: ${name}`);
  const laterNames = new Set(later.map(({ name }) => name));
  const width = Math.max(0, ...lines.map(([name = ""]) => name.length));
  const print = ([name = "", ...cells]: readonly string[]): string =>
    `  ${name.padEnd(width)}${cells.map((cell) => cell.padStart(11)).join("")}`;
  return [
    `Before: Node ${before.node}, ${before.rounds} rounds, load average ${before.loadAverage.toFixed(1)}`,
    `Now:    Node ${now.node}, ${now.rounds} rounds, load average ${now.loadAverage.toFixed(1)}`,
    "",
    print(["", "before", "now", "change", "noise", ""]),
    ...lines.map(print),
    ...onlyIn(
      [...earlier.keys()].filter((name) => !laterNames.has(name)),
      "before",
    ),
    ...onlyIn(
      [...laterNames].filter((name) => !earlier.has(name)),
      "now",
    ),
    "",
  ].join("\n");
}

function seriesOf({ name, unit, ours, measurements }: CaseResult): Series[] {
  const own = measurements.find((measurement) => measurement.name === ours);
  if (!own) return [];
  const isMoreBetter = unit.endsWith("/s");
  const peers = measurements.filter((measurement) => measurement !== own);
  if (peers.length === 0) return [{ name: `${name}, ${unit}`, isMoreBetter, samples: own.rounds.flat() }];
  return peers.map((peer) => ({ name: `${name} / ${peer.name}`, isMoreBetter, samples: ratiosOf(own, peer) }));
}

const ratiosOf = (own: Measurement, peer: Measurement): number[] =>
  own.rounds.map((samples, round) => percentile(samples, 0.5) / percentile(peer.rounds[round] ?? [], 0.5));

/** Half of what the middle half of the samples spans, as a share of their median. */
const noiseOf = (samples: readonly number[]): number =>
  (percentile(samples, 0.75) - percentile(samples, 0.25)) / 2 / percentile(samples, 0.5);

function lineOf(before: Series, now: Series): string[] {
  const [was, is] = [percentile(before.samples, 0.5), percentile(now.samples, 0.5)];
  const change = is / was - 1;
  const noise = noiseOf(before.samples) + noiseOf(now.samples);
  const isBetter = change > 0 === now.isMoreBetter;
  const verdict = Math.abs(change) <= noise ? "same" : isBetter ? "better" : "WORSE";
  const toPercent = (share: number): string => `${(share * 100).toFixed(0)} %`;
  return [now.name, toNumber(was), toNumber(is), `${change > 0 ? "+" : ""}${toPercent(change)}`, `±${toPercent(noise)}`, verdict];
}

const toNumber = (value: number): string => value.toPrecision(3);
