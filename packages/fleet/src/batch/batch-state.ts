// What the fleet knows of a batch as a whole, and what its reader decides: a batch whose sender is gone is closed, so that it has an end;
// one that was read is removed. All of it is asked of the streams' leaders, since a copy may be behind.

import { fleetLimits } from "../limits.ts";
import { requireHead, writeHead, type StoredHead } from "./batch-head.ts";
import {
  bundlesOfBatch,
  consumerName,
  headSubject,
  itemStream,
  placeOfBundle,
  resultsOfBatch,
  resultStream,
  senderSubject,
} from "./batch-names.ts";
import { isFenced, readLast, readNext, type BatchStreams } from "./batch-streams.ts";

/** A message with items that waits in the queue, or is at a worker. */
export interface QueuedBundle {
  readonly sequence: number;
  readonly site: string;
  readonly bundle: number;
  readonly text: string;
}

/** The next one of the batch from this sequence on; undefined where there is none. */
export async function nextBundle(streams: BatchStreams, batch: string, from = 1): Promise<QueuedBundle | undefined> {
  const message = await readNext(streams, itemStream, bundlesOfBatch(batch), from);
  if (!message) return undefined;
  const { site, bundle } = placeOfBundle(message.subject);
  return { sequence: message.sequence, site, bundle, text: message.text };
}

/** Whether a worker asks for the items of the site. */
export async function isServed({ manager }: BatchStreams, site: string): Promise<boolean> {
  const info = await manager.consumers.info(itemStream, consumerName(site)).catch(() => undefined);
  return info !== undefined && info.num_waiting > 0;
}

/** Whether none of its items is in the queue, and no result is stored behind the one that was read last. */
export async function isExhausted(streams: BatchStreams, batch: string, lastRead: number): Promise<boolean> {
  // In this order: an item leaves the queue after its result is stored.
  if (await nextBundle(streams, batch)) return false;
  return ((await readLast(streams, resultStream, resultsOfBatch(batch)))?.sequence ?? 0) <= lastRead;
}

/** Follows the head of a batch that another process sends. */
export function followHead(streams: BatchStreams, batch: string) {
  const { connection } = streams.fleet;
  let head: StoredHead | undefined;
  let silentSince: number | undefined;

  const isSenderThere = (): Promise<boolean> =>
    connection.request(senderSubject(batch), "", { timeout: fleetLimits.fleetAskMs }).then(
      () => true,
      () => false,
    );

  /** Throws `usage` where there is no such batch. */
  return async (): Promise<StoredHead> => {
    if (head && head.state !== "open") return head;
    head = await requireHead(streams, batch);
    if (head.state !== "open") return head;
    const now = performance.now();
    if (await isSenderThere()) silentSince = undefined;
    else silentSince ??= now;
    if (now - (silentSince ?? now) < fleetLimits.fleetSilenceMs) return head;
    // Its sender may only be slow: then it learns of this with the next items that it sends.
    head = await writeHead(streams, batch, { state: "closed" }, head).catch((error: unknown) => {
      if (isFenced(error)) return head as StoredHead;
      throw error;
    });
    return head;
  };
}

/** Leaves nothing of a batch behind. */
export async function removeBatch({ manager }: BatchStreams, batch: string): Promise<void> {
  await manager.streams.purge(itemStream, { filter: bundlesOfBatch(batch) });
  await manager.streams.purge(resultStream, { filter: resultsOfBatch(batch) });
  await manager.streams.purge(itemStream, { filter: headSubject(batch) });
}
