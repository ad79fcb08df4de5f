// What became of the items of one bundle, stored step by step: each step on condition that the one before is the last. So only one
// process goes on with a bundle, whatever clocks say, and one that was taken for dead learns it with its next step. Steps that come
// while another one is being stored are stored together: a server that syncs every write takes some hundred a second.

import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { fleetLimits } from "../limits.ts";
import { resultStream } from "./batch-names.ts";
import { readNext, writeFenced, type BatchStreams } from "./batch-streams.ts";
import { decodeStep, encodeStep, type ItemEnd } from "./bundle.ts";

interface Waiting {
  readonly step: { readonly started: number } | { readonly ended: ItemEnd };
  resolve(): void;
  reject(error: unknown): void;
}

export interface BundleLog {
  /** Resolves when it is stored: only then the item may be sent. Rejects with `isFenced` when another process has the bundle. */
  start(index: number): Promise<void>;
  end(end: ItemEnd): Promise<void>;
}

export interface BundleLogOptions {
  readonly subject: string;
  /** The sequence of its last step; 0 for none. */
  readonly after: number;
  readonly signal?: AbortSignal;
}

export function createBundleLog(streams: BatchStreams, { subject, after, signal }: BundleLogOptions): BundleLog {
  let sequence = after;
  let waiting: Waiting[] = [];
  let isWriting = false;
  let fault: unknown;

  const add = (step: Waiting["step"]): Promise<void> =>
    new Promise((resolve, reject) => {
      if (fault !== undefined) return reject(fault);
      waiting.push({ step, resolve, reject });
      if (!isWriting) void writeAll();
    });

  async function writeAll(): Promise<void> {
    isWriting = true;
    while (waiting.length > 0) {
      await sleep(fleetLimits.batchStoreMs);
      const taken = takeFitting();
      try {
        const started = taken.flatMap(({ step }) => ("started" in step ? [step.started] : []));
        const ended = taken.flatMap(({ step }) => ("ended" in step ? [step.ended] : []));
        const text = encodeStep({ started, ended });
        sequence = await writeFenced(streams, { stream: resultStream, subject, text, id: randomUUID(), after: sequence, signal });
        for (const { resolve } of taken) resolve();
      } catch (error) {
        fault = error;
        for (const { reject } of [...taken, ...waiting]) reject(error);
        waiting = [];
      }
    }
    isWriting = false;
  }

  /** As many of them as one message carries; at least one. */
  function takeFitting(): readonly Waiting[] {
    let bytes = stepBytes;
    let count = 0;
    for (const { step } of waiting) {
      bytes += "ended" in step ? Buffer.byteLength(step.ended.line) + entryBytes : entryBytes;
      if (count > 0 && bytes > streams.fleet.maxPayload) break;
      count++;
    }
    const taken = waiting.slice(0, count);
    waiting = waiting.slice(count);
    return taken;
  }

  return { start: (index) => add({ started: index }), end: (end) => add({ ended: end }) };
}

/** More than what a step has beside its lines: for the message, and for each item. */
const [stepBytes, entryBytes] = [1_024, 32];

/** What one result may have, so that its step can be stored. */
export const maxLineBytes = ({ fleet }: BatchStreams): number => fleet.maxPayload - stepBytes - entryBytes;

export interface BundleState {
  /** How often each item was begun. */
  readonly started: ReadonlyMap<number, number>;
  readonly ended: ReadonlySet<number>;
  /** The sequence of its last step; 0 for none. */
  readonly sequence: number;
}

export const freshState: BundleState = { started: new Map(), ended: new Set(), sequence: 0 };

/** What an earlier worker has left behind. */
export async function readBundleState(streams: BatchStreams, subject: string): Promise<BundleState> {
  const started = new Map<number, number>();
  const ended = new Set<number>();
  let sequence = 0;
  for (;;) {
    const message = await readNext(streams, resultStream, subject, sequence + 1);
    if (!message) return { started, ended, sequence };
    const step = decodeStep(message.text);
    for (const index of step.started) started.set(index, (started.get(index) ?? 0) + 1);
    for (const { index } of step.ended) ended.add(index);
    sequence = message.sequence;
  }
}
