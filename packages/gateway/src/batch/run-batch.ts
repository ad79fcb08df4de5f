// Makes the calls of a batch, a bounded number at a time, and writes one result per item, also for a bad one. Memory does
// not grow with the batch: nothing is read while every worker is busy or the output does not take its results.

import { gatewayLimits } from "../limits.ts";
import { HawserError } from "@hawser/protocol/internal";
import { untilAborted } from "@hawser/wire/internal";
import type { CallCode, CallCore } from "../call.ts";
import { callEntry, toResultText, type ItemDefaults } from "./batch-item.ts";
import { readBatch, type BatchEntry } from "./batch-source.ts";
import { createResultWriter } from "./result-writer.ts";

export interface BatchOptions {
  /** Calls at the same time; 1 unless given. */
  readonly parallel?: number | undefined;
  /** Results in the order of the input; else as they come. */
  readonly ordered?: boolean | undefined;
  readonly output?: "ndjson" | "json" | undefined;
  /** For items that don't say themselves. */
  readonly defaults?: ItemDefaults | undefined;
  /** Nothing new starts, and what runs is cancelled. */
  readonly signal?: AbortSignal | undefined;
  /** Takes text with its line feeds; its promise is backpressure. */
  write(text: string): Promise<void> | void;
  /** `cut`: bodies that are not whole, see `truncated`. */
  onProgress?(done: number, failed: number, cut: number): void;
}

/** Resolves to the exit code: 2 if an item had it, else 7, also for a body that was cut, else 6, else 0. Throws `usage` for an empty batch. */
export async function runBatch(source: AsyncIterable<Buffer>, core: CallCore, options: BatchOptions): Promise<CallCode> {
  const { parallel = 1 } = options;
  const { rpcMaxWorkers } = gatewayLimits;
  if (!Number.isSafeInteger(parallel) || parallel < 1 || parallel > rpcMaxWorkers)
    throw new HawserError("usage", `parallel must be a whole number from 1 to ${rpcMaxWorkers}, not ${parallel}`);
  const failure = new AbortController();
  const signal = options.signal ? AbortSignal.any([options.signal, failure.signal]) : failure.signal;
  const writer = createResultWriter(options);
  const running = new Set<Promise<void>>();
  const codes = new Set<CallCode>();
  let done = 0;
  let failed = 0;
  let cut = 0;

  async function perform(entry: BatchEntry, index: number): Promise<void> {
    let noteWritten = (): void => {};
    try {
      const outcome = await callEntry(entry, core, options.defaults, { signal, whenWritten: (tell) => (noteWritten = tell) });
      codes.add(outcome.code);
      if (!outcome.ok) failed++;
      if (outcome.response?.truncated) cut++;
      await writer.write(index, toResultText(entry, index, outcome));
    } finally {
      noteWritten();
    }
    done++;
    options.onProgress?.(done, failed, cut);
  }

  function start(entry: BatchEntry, index: number): void {
    const work = perform(entry, index)
      .catch((error: unknown) => failure.abort(error))
      .finally(() => running.delete(work));
    running.add(work);
  }

  const entries = readBatch(source);
  try {
    for (let index = 0; !signal.aborted; index++) {
      const next = await untilAborted(signal, entries.next()).catch((error: unknown) => {
        if (!signal.aborted) throw error;
      });
      if (!next || next.done) break;
      start(next.value, index);
      while (running.size >= parallel) await Promise.race(running);
      await untilAborted(signal, writer.whenRoom(index + 1)).catch(() => {});
    }
  } finally {
    // Not waited for: a source that is still being read would keep us here.
    void entries.return().catch(() => {});
    await Promise.all(running);
  }
  failure.signal.throwIfAborted();
  await writer.end();
  if (cut > 0) codes.add(7);
  return toBatchCode(codes);
}

/** 2 if an item had it, else 7, else 6, else 0. */
export const toBatchCode = (codes: ReadonlySet<CallCode>): CallCode => ([2, 7, 6] as const).find((code) => codes.has(code)) ?? 0;
