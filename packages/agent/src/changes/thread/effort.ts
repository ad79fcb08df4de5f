// How much a question about a root may take where others wait for it, in bytes that are read. One that would take more is given up before
// anything of it is written, and asked in the thread instead.

export class TooMuch extends Error {
  constructor() {
    super("it is more than can be looked at beside other work");
  }
}

export type Meter = ReturnType<typeof createMeter>;

/** To ask the system about one file takes about as long as to read so much. */
export const bytesForEntry = 2_048;

export function createMeter(mostBytes = Infinity) {
  let spent = 0;
  return {
    /** For each question anew. */
    begin(): void {
      spent = 0;
    },
    /** Throws `TooMuch`. */
    spend(bytes: number): void {
      spent += bytes;
      if (spent > mostBytes) throw new TooMuch();
    },
    /** For what goes through everything that is kept. */
    spendAll(): void {
      if (mostBytes < Infinity) throw new TooMuch();
    },
  };
}
