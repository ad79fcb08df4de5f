// Cancels a whole batch. Its sender can add nothing more, and its workers end what they have of it. What no worker ends is ended here, on
// the same condition as theirs: not begun is cancelled, begun is `unknown_outcome`. In the end the queue holds nothing of it.

import { setTimeout as sleep } from "node:timers/promises";
import { HawserError } from "@hawser/protocol";
import { fleetLimits } from "../limits.ts";
import { requireHead, writeHead } from "./batch-head.ts";
import { nextBundle, type QueuedBundle } from "./batch-state.ts";
import { itemStream, resultSubject } from "./batch-names.ts";
import { isFenced, type BatchStreams } from "./batch-streams.ts";
import { createBundleLog, readBundleState } from "./bundle-log.ts";
import { decodeBundle, type BatchItem, type ItemEnd } from "./bundle.ts";
import { unknownOutcome } from "./run-bundle.ts";

export interface CancelOptions {
  readonly batch: string;
  /** The end of an item that is not called any more. */
  refuse(item: BatchItem, reason: HawserError): ItemEnd;
}

/** Throws `usage` where there is no such batch, and `timeout` where the queue still holds items of it. */
export async function cancelBatch(streams: BatchStreams, { batch, refuse }: CancelOptions): Promise<void> {
  await markCancelled(streams, batch);
  for (let stillSince = performance.now(), at = 0, steps = 0; ;) {
    const first = await nextBundle(streams, batch);
    if (!first) return;
    if (first.sequence !== at) [stillSince, at, steps] = [performance.now(), first.sequence, 0];
    if (performance.now() - stillSince >= fleetLimits.batchCancelMs) {
      if (++steps > fleetLimits.batchCancelSteps)
        throw new HawserError("timeout", `the batch is cancelled, but ${itemStream} still holds items of it; cancel it again`);
      await endAll(streams, batch, refuse);
    }
    await sleep(fleetLimits.batchRetryMs);
  }
}

async function markCancelled(streams: BatchStreams, batch: string): Promise<void> {
  for (;;) {
    const head = await requireHead(streams, batch);
    if (head.state === "cancelled") return;
    try {
      await writeHead(streams, batch, { state: "cancelled", total: head.total }, head);
      return;
    } catch (error) {
      // Its sender has closed it just now.
      if (!isFenced(error)) throw error;
    }
  }
}

async function endAll(streams: BatchStreams, batch: string, refuse: CancelOptions["refuse"]): Promise<void> {
  for (let next = await nextBundle(streams, batch); next; next = await nextBundle(streams, batch, next.sequence + 1)) {
    await endBundle(streams, batch, next, refuse).catch((error: unknown) => {
      // A worker goes on with it.
      if (!isFenced(error)) throw error;
    });
  }
}

async function endBundle(streams: BatchStreams, batch: string, queued: QueuedBundle, refuse: CancelOptions["refuse"]): Promise<void> {
  const subject = resultSubject(batch, queued.bundle);
  const state = await readBundleState(streams, subject);
  const log = createBundleLog(streams, { subject, after: state.sequence });
  const { items } = decodeBundle(queued.text);
  await Promise.all(
    items
      .filter(({ index }) => !state.ended.has(index))
      .map((item) => {
        const starts = state.started.get(item.index) ?? 0;
        const cancelled = new HawserError("cancelled", "cancelled: the batch was cancelled, and this item was not called");
        return log.end(refuse(item, starts > 0 ? unknownOutcome(starts) : cancelled));
      }),
  );
  // It may have left the queue meanwhile.
  await streams.manager.streams.deleteMessage(itemStream, queued.sequence, false).catch(() => false);
}
