// How much a question about a root may take where others wait for it. One that would take more is given up before anything of it is
// written, and asked in the thread instead.

export interface Effort {
  readonly entries: number;
  readonly bytes: number;
}

export class TooMuch extends Error {
  constructor() {
    super("it is more than can be looked at beside other work");
  }
}

export type Meter = ReturnType<typeof createMeter>;

export function createMeter(most: Effort = { entries: Infinity, bytes: Infinity }) {
  let [entries, bytes] = [0, 0];
  return {
    /** For each question anew. */
    begin(): void {
      [entries, bytes] = [0, 0];
    },
    /** Throws `TooMuch`. */
    spend(added: Effort): void {
      entries += added.entries;
      bytes += added.bytes;
      if (entries > most.entries || bytes > most.bytes) throw new TooMuch();
    },
    /** For what goes through everything that is kept. */
    spendAll(): void {
      if (Number.isFinite(most.entries)) throw new TooMuch();
    },
  };
}
