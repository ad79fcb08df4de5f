// Takes measurements that may be compared: the contestants of a case take turns (A, B, C, A, B, C, …),
// so that whatever else the machine does hits all of them alike, and their first turns are not
// counted. Many short rounds, not few long ones: a busy moment spoils some samples, not the median.
// Garbage is not collected by force between turns: that also throws away compiled code of whatever
// is not alive right then, and would measure the compiler.

export interface Contestant {
  readonly name: string;
  /** One round of work; returns what was measured in it, in the unit of the case. */
  round(): Promise<readonly number[]>;
}

export interface Measurement {
  readonly name: string;
  readonly median: number;
  readonly p99: number;
  /** Everything that was measured, round by round. */
  readonly rounds: readonly (readonly number[])[];
}

export interface RoundOptions {
  readonly rounds: number;
  readonly warmUpRounds: number;
  onRound?(round: number, contestant: string): void;
}

export async function measure(contestants: readonly Contestant[], options: RoundOptions): Promise<Measurement[]> {
  const measured = new Map<string, (readonly number[])[]>(contestants.map(({ name }) => [name, []]));
  for (let round = 1 - options.warmUpRounds; round <= options.rounds; round++) {
    for (const contestant of contestants) {
      options.onRound?.(round, contestant.name);
      const samples = await contestant.round();
      if (round > 0) measured.get(contestant.name)?.push(samples);
    }
  }
  return [...measured].map(([name, rounds]) => ({ name, median: median(rounds.flat()), p99: percentile(rounds.flat(), 0.99), rounds }));
}

/** Ours divided by the peer's, round by round, and of these the median: what slows a whole round down cancels out. */
export function ratioOf(ours: Measurement, peer: Measurement): number {
  return median(ours.rounds.map((samples, round) => median(samples) / median(peer.rounds[round] ?? [])));
}

const median = (samples: readonly number[]): number => percentile(samples, 0.5);

/** The smallest sample that at least this share of all samples does not exceed. */
export function percentile(samples: readonly number[], share: number): number {
  const sorted = samples.toSorted((one, other) => one - other);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}

/** Milliseconds that the work takes. */
export async function timeOf(work: () => Promise<void> | void): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}
