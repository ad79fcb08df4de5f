// Reads the results of a batch in the order in which they were stored, each item's once, and knows when none can come any more: all are
// there; or the queue holds nothing of the batch and its results are read. Then an item without one is told as missing.

import { setTimeout as sleep } from "node:timers/promises";
import { HawserError } from "@hawser/protocol";
import { whenAborted } from "@hawser/wire/internal";
import { fleetLimits } from "../limits.ts";
import { followHead, isExhausted, isServed, nextBundle } from "./batch-state.ts";
import { resultsOfBatch, resultStream } from "./batch-names.ts";
import type { BatchStreams } from "./batch-streams.ts";
import { decodeStep, type ItemEnd } from "./bundle.ts";
import { createIndexSet } from "./index-set.ts";

export interface ReadOptions {
  readonly batch: string;
  /** Takes one result after the other; its promise is backpressure. `running`: items that have begun and not ended, as far as was read. */
  onResult(end: ItemEnd, running: number): Promise<void> | void;
  /** Items wait for this site, and it has no worker. Told once for each. */
  onUnserved(site: string): void;
  /** The end of an item of which none is kept. */
  miss(index: number): ItemEnd;
  /** Where this process sends the batch itself: resolves with the number of its items, if that is known. */
  readonly sending?: Promise<number | undefined>;
  /** Reading ends; the batch goes on. */
  readonly signal: AbortSignal;
}

/** Resolves with true when the end of every item was taken; with false when the signal ended it. */
export async function readResults(streams: BatchStreams, options: ReadOptions): Promise<boolean> {
  const { batch, signal } = options;
  const seen = createIndexSet();
  const consumer = await streams.client.consumers.get(resultStream, { filter_subjects: [resultsOfBatch(batch)] });
  const messages = await consumer.consume({ max_bytes: Math.max(fleetLimits.batchReadBytes, 2 * streams.fleet.maxPayload) });
  const over = new AbortController();
  let total: number | undefined;
  let isSending = options.sending !== undefined;
  let lastRead = 0;
  let started = 0;

  const isWhole = (): boolean => total !== undefined && seen.size >= total;

  async function read(): Promise<void> {
    for await (const message of messages) {
      const step = decodeStep(message.string());
      started += step.started.length;
      for (const end of step.ended) {
        if (seen.add(end.index)) await options.onResult(end, Math.max(0, started - seen.size));
        if (signal.aborted) return;
      }
      lastRead = message.seq;
      if (isWhole()) return;
    }
  }

  /** Until nothing of it can come any more. */
  async function watch(): Promise<void> {
    const readHead = followHead(streams, batch);
    const unserved = new Set<string>();
    async function look(isStill: boolean): Promise<boolean> {
      if (!isSending) {
        const head = await readHead();
        total ??= head.total;
        if (isWhole() || (isStill && head.state !== "open" && (await isExhausted(streams, batch, lastRead)))) return true;
      }
      if (isStill) await tellUnserved(streams, options, unserved);
      return false;
    }
    for (let before = -1; !over.signal.aborted;) {
      try {
        if (await look(before === seen.size)) return;
      } catch (error) {
        // A server that is away comes back; a batch that is gone does not.
        if (HawserError.isInstance(error) || streams.fleet.connection.isClosed()) throw error;
      }
      before = seen.size;
      await sleep(fleetLimits.batchLookMs, undefined, { signal: over.signal }).catch(() => {});
    }
  }

  void options.sending?.then(
    (count) => {
      total = count;
      isSending = false;
      if (isWhole()) over.abort();
    },
    () => (isSending = false),
  );
  const watching = watch().finally(() => over.abort());
  watching.catch(() => {});
  void Promise.race([whenAborted(signal, over.signal), whenAborted(over.signal)]).then(() => messages.stop());
  try {
    await read();
  } finally {
    over.abort();
    messages.stop();
    await consumer.delete().catch(() => false);
  }
  if (signal.aborted) return false;
  if (!isWhole()) await watching;
  for (let index = 0; index < (total ?? seen.end); index++) if (!seen.has(index)) await options.onResult(options.miss(index), 0);
  return true;
}

async function tellUnserved(streams: BatchStreams, { batch, onUnserved }: ReadOptions, told: Set<string>): Promise<void> {
  const first = await nextBundle(streams, batch);
  if (!first || told.has(first.site) || (await isServed(streams, first.site))) return;
  told.add(first.site);
  onUnserved(first.site);
}
