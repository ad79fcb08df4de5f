// The memory of a real process whose connections share a budget, under all that its peers may do within
// the limits: leave answers unread, queue messages behind a call that hangs, stop in the middle of frames.

import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, onTestFinished } from "vitest";
import { lengthPrefix } from "../../src/codec/length-prefix.ts";
import { createStreamTransport } from "../../src/transport/stream-transport.ts";
import { lengthHeader, rawFrame } from "../framing.ts";
import { it, type Program } from "../process/real-programs.ts";

const frame = (message: unknown): Buffer => lengthPrefix.encode(message);
const hang = frame({ ask: "hang" });
const manyObjects = rawFrame(lengthPrefix, `{"ask":"many","a":[${"{},".repeat(295_000)}{}]}`);
const longText = frame({ ask: "long", text: "x".repeat(5_000_000) });
const wideText = frame({ ask: "wide", text: "é漢".repeat(2_000_000) });

interface Attack {
  readonly what: string;
  readonly connections: number;
  readonly frames: readonly Buffer[];
  /** Parsing so many objects leaves garbage that is not collected at once. A small heap shows that no more is held. */
  readonly hasManyObjects?: true;
}

const attacks: readonly Attack[] = [
  { what: "60 that never read an answer of 9 MB", connections: 60, frames: [frame({ ask: "large" })] },
  { what: "one with 20 messages of many objects behind a call that hangs", connections: 1, frames: [hang, ...repeat(manyObjects, 20)] },
  { what: "40 with 3 such messages each", connections: 40, frames: [hang, ...repeat(manyObjects, 3)], hasManyObjects: true },
  { what: "40 with 15 MB of text behind a call that hangs", connections: 40, frames: [hang, ...repeat(longText, 3)] },
  { what: "40 with as much text that is not ASCII", connections: 40, frames: [hang, ...repeat(wideText, 2)] },
  { what: "40 calls that hang and have many objects as arguments", connections: 40, frames: [withHang(manyObjects)], hasManyObjects: true },
  { what: "100 unfinished frames of 9 MB", connections: 100, frames: [lengthHeader(10_000_000), Buffer.alloc(9_000_000, "1")] },
];

function repeat(bytes: Buffer, times: number): Buffer[] {
  return Array.from({ length: times }, () => bytes);
}

function withHang(bytes: Buffer): Buffer {
  return rawFrame(lengthPrefix, bytes.toString("utf8", 4).replace('"many"', '"hang"'));
}

function open(path: string): Socket {
  const socket = connect(path).on("error", () => {});
  onTestFinished(() => void socket.destroy());
  return socket;
}

describe("G10 connections that share a budget", () => {
  it.for(attacks)("hold a bounded amount together, and small calls are answered: $what", async (attack, { directory, start }) => {
    const env = attack.hasManyObjects && { NODE_OPTIONS: "--max-old-space-size=200" };
    const program = start("socket-shared-budget.ts", { args: [directory], ...(env && { env }) });
    await program.whenPrinted(".sock");
    const path = program.stdout.trim();
    for (let count = 0; count < attack.connections; count++) {
      const socket = open(path).pause();
      for (const bytes of attack.frames) socket.write(bytes);
    }
    await whenCalm(program);
    const socket = open(path);
    const transport = createStreamTransport({ readable: socket, writable: socket, codec: lengthPrefix, tap: undefined });
    await transport.send({ ask: "small" });
    const { value } = await transport.incoming[Symbol.asyncIterator]().next();
    expect([{ result: "small" }, { error: "overloaded" }]).toContainEqual((value as { value: unknown }).value);
    expect(peakMegabytes(program.pid)).toBeLessThan(attack.hasManyObjects ? 450 : 256);
  });
});

/** Resolves when the process has slept for a while, using little time of the processor: it has taken what it takes. */
async function whenCalm(program: Program): Promise<void> {
  for (let calm = 0, before = 0, looks = 0; calm < 5 && looks < 300; looks++) {
    await delay(100);
    // One that waits for its turn on a busy machine uses none either, but does not sleep.
    const [state, ticks] = look(program);
    calm = state === "S" && ticks - before <= 1 ? calm + 1 : 0;
    before = ticks;
  }
}

function look({ pid, process: child, stderr }: Program): readonly [state: string | undefined, ticks: number] {
  if (child.exitCode !== null || child.signalCode !== null) throw new Error(`the program has ended: ${stderr.slice(0, 2_000)}`);
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(" ");
  return [fields[2], Number(fields[13]) + Number(fields[14])];
}

const peakMegabytes = (pid: number): number =>
  Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1_024;
