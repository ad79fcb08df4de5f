// Millions of frames through both codecs, cut at random points: every one arrives once and in
// order, the checksum of what arrived is that of what was sent, and the heap does not grow.
//   node --conditions=hawser-source packages/wire/test/soak/frames.soak.ts [frames]

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Codec } from "../../src/codec/codec.ts";
import { cut, framings } from "../framing.ts";
import { createRandom, type Random } from "../random.ts";
import { runIfStarted } from "./run-soak.ts";

export interface FramesOptions {
  /** In all; each framing gets half of them. */
  readonly frames: number;
  readonly seed?: number;
  onProgress?(frames: number): void;
}

export interface FramesResult {
  readonly frames: number;
  readonly bytes: number;
  readonly heapGrowthBytes: number;
}

const framesPerTurn = 5_000;
const maxHeapGrowthBytes = 8_388_608;
const texts = ["", "a", "é", "💥💥", "漢字".repeat(20), '[{"\\', "x".repeat(300), "\u2028\u2029", "y".repeat(4_000)];

/** Throws when a frame is lost, doubled, altered or out of order, or when the heap grows. */
async function run(options: FramesOptions): Promise<FramesResult> {
  const random = createRandom(options.seed ?? 1);
  const lanes = framings.map((codec) => createLane(codec, random));
  let bytes = 0;
  let heapAtStart = 0;
  let done = 0;
  for (let turn = 0; done < options.frames; turn++) {
    const count = Math.min(framesPerTurn, options.frames - done);
    bytes += (lanes[turn % lanes.length] as Lane).pass(count);
    done += count;
    // The first turns warm up the compiler and the regular expressions.
    if (turn === 4) heapAtStart = collectedHeap();
    options.onProgress?.(done);
    await new Promise(setImmediate);
  }
  for (const lane of lanes) lane.finish();
  const heapGrowthBytes = heapAtStart === 0 ? 0 : collectedHeap() - heapAtStart;
  if (heapGrowthBytes > maxHeapGrowthBytes) throw new Error(`the heap grew by ${heapGrowthBytes} bytes over ${done} frames`);
  return { frames: done, bytes, heapGrowthBytes };
}

interface Lane {
  /** Sends so many frames through the codec; returns their bytes. */
  pass(count: number): number;
  finish(): void;
}

function createLane(codec: Codec, random: Random): Lane {
  const decoder = codec.createDecoder();
  let [sent, received, sentSum, receivedSum] = [0, 0, 0, 0];

  function makeFrame(): Buffer {
    const text = random.pick(texts);
    const number = random.below(1_000_000);
    sentSum = (sentSum + number * (text.length + 1)) % 2 ** 40;
    return codec.encode({ n: sent++, number, text });
  }

  function take(chunk: Buffer): void {
    for (const item of decoder.push(chunk)) {
      if (item.kind === "refused") throw new Error(`${codec.name}: frame ${received} was refused: ${item.error.message}`);
      const { n, number, text } = item.value as { n: number; number: number; text: string };
      if (n !== received || item.position !== received + 1) throw new Error(`${codec.name}: frame ${n} arrived in place of ${received}`);
      receivedSum = (receivedSum + number * (text.length + 1)) % 2 ** 40;
      received++;
    }
  }

  return {
    pass(count) {
      const bytes = Buffer.concat(Array.from({ length: count }, makeFrame));
      for (const chunk of cut(bytes, randomSizes(random))) take(chunk);
      return bytes.length;
    },
    finish() {
      if (decoder.end().length > 0 || received !== sent) throw new Error(`${codec.name}: ${sent} frames were sent, ${received} arrived`);
      if (receivedSum !== sentSum) throw new Error(`${codec.name}: the checksums differ: ${sentSum} sent, ${receivedSum} received`);
    },
  };
}

// Mostly the sizes that sockets deliver, sometimes single bytes.
function* randomSizes(random: Random): Generator<number> {
  for (;;) yield random.chance(0.7) ? random.between(1, 143) : random.between(144, 65_536);
}

function collectedHeap(): number {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  collect();
  return process.memoryUsage().heapUsed;
}

await runIfStarted(import.meta.url, {
  name: "frames",
  unit: "frames",
  defaultCount: 10_000_000,
  async run(frames, onProgress) {
    const result = await run({ frames, onProgress });
    const megabytes = Math.round(result.bytes / 1_048_576);
    return `${result.frames} frames, ${megabytes} MiB, heap ${Math.round(result.heapGrowthBytes / 1_024)} KiB`;
  },
});
