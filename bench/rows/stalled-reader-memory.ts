// Memory when 1 GB is to be moved and somebody does not read: the peak of the process that has to
// wait, as the kernel counted it. Once that process is the sender, once the receiver.
// Every program runs once before it counts, with a compile cache: what is measured is then the program
// as it is shipped, without the 40 MB that Node needs to take the types out of TypeScript.

import { ndjson, type PipedChild } from "@hawser/wire/node";
import { once } from "node:events";
import fs from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { Contestant } from "../measure.ts";
import { createTemporaryDirectory, startProgram } from "../program.ts";
import type { Row, RowContext } from "../row.ts";

const pieceBytes = 65_536;
const pieceCount = 16_384; // 1 GiB
const sender = "hawser sender, nobody reads";
const receiver = "hawser receiver that stalls";

export const stalledReaderMemory: Row = {
  name: "Memory behind a stalled reader",
  platforms: ["linux"], // needs /proc
  async prepare(context) {
    const peakOf = await createPeakMeter(context, ["stream-hawser", "flood-bare", "stalled-reader"]);
    const shared = { work: "64 KiB messages", unit: "MB", rounds: () => 1, targets: [{ atMost: 128 }] } as const;
    return [
      {
        ...shared,
        name: "Peak memory, sender of 1 GB to a stalled reader",
        ours: sender,
        contestants: [
          peakOf(sender, "stream-hawser", { begin: askForStream, isStuck: ({ stdout }) => stdout.readableLength > 0 }),
          peakOf("the same process, idle", "stream-hawser"),
          peakOf("bare sender, no backpressure, 0.3 GB", "flood-bare"),
        ],
      },
      {
        ...shared,
        name: "Peak memory, stalled receiver of 1 GB",
        ours: receiver,
        contestants: [
          peakOf(receiver, "stalled-reader", { begin: sendPieces, isStuck: ({ stdin }) => stdin.writableNeedDrain }),
          peakOf("the same process, idle", "stalled-reader"),
        ],
      },
    ];
  },
};

interface Stall {
  begin(program: PipedChild): Promise<void> | void;
  /** Whether bytes wait in the pipe: a process that never began to send would look modest, too. */
  isStuck(program: PipedChild): boolean;
}

type PeakOf = (name: string, program: string, stall?: Stall) => Contestant;

async function createPeakMeter(context: RowContext, programs: readonly string[]): Promise<PeakOf> {
  const env = { NODE_COMPILE_CACHE: createTemporaryDirectory(context) };
  for (const program of programs) await (await startProgram(context, program, { env })).stop();
  return (name, program, stall) => ({
    name,
    async round() {
      const started = await startProgram(context, program, { env });
      // It is stopped in the middle of what it is asked for, and then can't be written to.
      Promise.resolve(stall?.begin(started)).catch(() => {});
      const peak = await settledPeakBytes(started.pid);
      if (stall?.isStuck(started) === false) throw new Error(`${name}: nothing is stuck in the pipe`);
      await started.stop();
      return [peak / 1e6];
    },
  });
}

function askForStream({ stdin }: PipedChild): void {
  stdin.write(ndjson.encode({ id: "1", kind: "stream", count: pieceCount, bytes: pieceBytes }));
}

async function sendPieces({ stdin }: PipedChild): Promise<void> {
  const text = "x".repeat(pieceBytes);
  for (let index = 0; index < pieceCount; index++) {
    if (!stdin.write(ndjson.encode({ id: "1", type: "piece", index, text }))) await once(stdin, "drain");
  }
}

/** Waits until the peak has not grown for a second: whoever is going to wait, waits by then. */
export async function settledPeakBytes(pid: number): Promise<number> {
  const pollMs = 100;
  let peak = 0;
  let quietMs = 0;
  for (let waitedMs = 0; waitedMs < 20_000 && quietMs < 1_000; waitedMs += pollMs) {
    await sleep(pollMs);
    const now = peakBytes(pid);
    quietMs = now > peak ? 0 : quietMs + pollMs;
    peak = now;
  }
  return peak;
}

function peakBytes(pid: number): number {
  const kibibytes = /^VmHWM:\s+(\d+) kB/m.exec(fs.readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  if (kibibytes === undefined) throw new Error("the process ended before its memory was read");
  return Number(kibibytes) * 1_024;
}
