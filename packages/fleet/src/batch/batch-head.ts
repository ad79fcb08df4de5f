// The head of a batch: whether items may still be added, and how many there are. Every message with items is written on condition that
// the head is as its sender left it, so that a batch which was closed or cancelled by another process gets no more of them.

import { randomUUID } from "node:crypto";
import { HawserError } from "@hawser/protocol";
import { isRecord } from "@hawser/protocol/internal";
import { createRecentMap } from "@hawser/wire/internal";
import { fleetLimits } from "../limits.ts";
import { readObject } from "../message-text.ts";
import { allHeads, batchOfHead, headSubject, itemStream } from "./batch-names.ts";
import { readLast, writeFenced, type BatchStreams } from "./batch-streams.ts";

export interface BatchHead {
  readonly state: "open" | "closed" | "cancelled";
  /** How many items it has; where its sender was lost, or the batch was cancelled before it was whole, this is not known. */
  readonly total?: number | undefined;
}

export interface StoredHead extends BatchHead {
  readonly sequence: number;
}

/** `after`: the head that this one follows. Rejects with `isFenced` where it is not the last one. */
export async function writeHead(streams: BatchStreams, batch: string, head: BatchHead, after?: StoredHead): Promise<StoredHead> {
  const sequence = await writeFenced(streams, {
    stream: itemStream,
    subject: headSubject(batch),
    text: JSON.stringify(head),
    id: randomUUID(),
    after: after?.sequence ?? 0,
  });
  return { ...head, sequence };
}

/** Undefined where there is no such batch. */
async function readHead(streams: BatchStreams, batch: string): Promise<StoredHead | undefined> {
  const last = await readLast(streams, itemStream, headSubject(batch));
  return last && { ...toHead(JSON.parse(last.text)), sequence: last.sequence };
}

/** Throws `usage`. */
export async function requireHead(streams: BatchStreams, batch: string): Promise<StoredHead> {
  const head = await readHead(streams, batch);
  if (head) return head;
  throw new HawserError(
    "usage",
    `the fleet at ${streams.fleet.servers} has no batch ${batch}: it was read to its end, or never was there; --keep leaves one that was read`,
  );
}

function toHead(value: unknown): BatchHead {
  const { state, total } = isRecord(value) ? value : {};
  return {
    state: state === "closed" || state === "cancelled" ? state : "open",
    ...(Number.isSafeInteger(total) && { total: total as number }),
  };
}

/** Which batches are cancelled, for a worker: learnt by itself, and asked for once per batch. */
export function watchHeads(streams: BatchStreams, onCancelled: (batch: string) => void) {
  const known = createRecentMap<Promise<boolean>>(fleetLimits.fleetListedEntries);
  function note(batch: string, isCancelled: Promise<boolean>): Promise<boolean> {
    known.set(batch, isCancelled);
    return isCancelled;
  }
  const subscription = streams.fleet.listen(allHeads, (message) => {
    const batch = batchOfHead(message.subject);
    const isCancelled = toHead(readObject(message.string())).state === "cancelled";
    void note(batch, Promise.resolve(isCancelled));
    if (isCancelled) onCancelled(batch);
  });
  return {
    isCancelled(batch: string): Promise<boolean> {
      const asked = async (): Promise<boolean> => (await readHead(streams, batch))?.state === "cancelled";
      return (
        known.get(batch) ??
        // A server that does not answer now is asked again for the next items.
        note(
          batch,
          asked().catch(() => (known.delete(batch), false)),
        )
      );
    },
    /** What was said while the server was away is not known. */
    forget: known.clear,
    stop: () => subscription.unsubscribe(),
  };
}
