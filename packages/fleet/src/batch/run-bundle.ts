// The items of one bundle, each to its end. An item is sent only after the word that it will be is stored; so an item that was begun by
// a worker that is gone, and has no result, may have been sent: it ends as `unknown_outcome`, unless it may be repeated. What runs when
// this worker has to leave is left without a result, as if it had died: the next one decides.

import { HawserError, toHawserError } from "@hawser/protocol";
import { linkSignals, untilAborted, type ByteBudget, type Lease, type Semaphore } from "@hawser/wire/internal";
import { fleetLimits } from "../limits.ts";
import type { BundleLog, BundleState } from "./bundle-log.ts";
import type { BatchItem, Bundle, ItemEnd } from "./bundle.ts";
import type { RateBucket } from "./rate-bucket.ts";

export interface ItemResult extends Omit<ItemEnd, "index"> {
  /** To be called when the result is stored. */
  written?(): void;
}

/** How the calls of a site are made. */
export interface SiteCalls {
  /** Never rejects: a failure is a result too. */
  call(item: BatchItem, defaults: Bundle["defaults"], signal: AbortSignal): Promise<ItemResult>;
  /** The result of an item that ends without a call. */
  refuse(item: BatchItem, reason: HawserError): ItemResult;
  /** Whether the call may be made once more although it may have been made. */
  mayRepeat(item: BatchItem): Promise<boolean>;
}

/** What the bundles of a worker share. */
export interface WorkerGates {
  /** One bundle after the other lets its items begin: what becomes of many items of one bundle is stored at once. */
  readonly turn: Semaphore;
  /** Items that are begun: some more than are called, since the word that one begins takes its time. */
  readonly begun: Semaphore;
  readonly calls: Semaphore;
  /** Results that are not stored. */
  readonly unsent: ByteBudget;
  readonly rate: RateBucket | undefined;
}

export interface BundleRun {
  readonly bundle: Bundle;
  readonly state: BundleState;
  readonly log: BundleLog;
  readonly site: SiteCalls;
  readonly gates: WorkerGates;
  /** Nothing new begins. */
  readonly leaving: AbortSignal;
  /** What runs is given up: the worker has to go, or the bundle is another's. */
  readonly abandoned: AbortSignal;
  /** The batch is cancelled. */
  readonly cancelled: AbortSignal;
}

/** Resolves when every item has ended. Rejects when it could not go on; what was stored until then counts. */
export async function runBundle(run: BundleRun): Promise<void> {
  const { bundle, state, gates, leaving } = run;
  const ours = await gates.turn.acquire(leaving);
  const over = linkSignals(run.abandoned, run.cancelled);
  const running = new Set<Promise<void>>();
  let fault: Error | undefined;
  try {
    for (const item of bundle.items) {
      if (fault !== undefined) break;
      if (state.ended.has(item.index)) continue;
      await untilAborted(leaving, gates.unsent.whenRoom());
      const place = await gates.begun.acquire(leaving);
      const work = runItem(run, item, place, over.signal)
        .catch((error: unknown) => void (fault ??= toHawserError(error)))
        .finally(() => {
          place.release();
          running.delete(work);
        });
      running.add(work);
    }
  } finally {
    ours.release();
    await Promise.all(running);
    over.release();
  }
  if (fault !== undefined) throw fault;
}

async function runItem(run: BundleRun, item: BatchItem, place: Lease, over: AbortSignal): Promise<void> {
  const { bundle, log, site, gates, abandoned } = run;
  const refusal = await refusalOf(run, item);
  if (refusal) return store(run, item, site.refuse(item, refusal));
  await gates.rate?.take(run.leaving);
  await log.start(item.index);
  const seat = await gates.calls.acquire(abandoned);
  try {
    const result = await site.call(item, bundle.defaults, over);
    abandoned.throwIfAborted();
    seat.release();
    place.release();
    await store(run, item, result);
  } finally {
    seat.release();
  }
}

async function store({ gates, log }: BundleRun, { index }: BatchItem, { line, code, isCut, written }: ItemResult): Promise<void> {
  const held = await gates.unsent.acquire(Buffer.byteLength(line));
  try {
    await log.end({ index, line, code, isCut });
  } finally {
    held.release();
    written?.();
  }
}

/** Why the item is not called; undefined where it is. */
async function refusalOf({ state, site, cancelled }: BundleRun, item: BatchItem): Promise<HawserError | undefined> {
  const starts = state.started.get(item.index) ?? 0;
  if (starts > 0 && (starts >= fleetLimits.batchStartEntries || cancelled.aborted || !(await site.mayRepeat(item))))
    return unknownOutcome(starts);
  return cancelled.aborted ? new HawserError("cancelled", "cancelled: the batch was cancelled before this item was called") : undefined;
}

export const unknownOutcome = (starts: number): HawserError =>
  new HawserError(
    "unknown_outcome",
    `outcome unknown: ${starts === 1 ? "the worker" : `each of ${starts} workers`} that began with it was lost. It may have been done; look before you send it again`,
  );
