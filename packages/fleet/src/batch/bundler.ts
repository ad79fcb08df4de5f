// Packs the items of a batch into bundles, one after the other for each site, and stores them. A bundle goes when it is full, or when it
// has waited long enough for more. What waits for the server's word is bounded: adding an item waits too.

import { randomUUID } from "node:crypto";
import { toHawserError, type HawserError } from "@hawser/protocol";
import { createSemaphore } from "@hawser/wire/internal";
import { fleetLimits } from "../limits.ts";
import type { StoredHead } from "./batch-head.ts";
import { bundleSubject, headSubject, itemStream, resultStream, resultSubject } from "./batch-names.ts";
import { writeFenced, type BatchStreams, type FencedWrite } from "./batch-streams.ts";
import { encodeBundle, encodeStep, type BatchItem, type Bundle, type ItemEnd } from "./bundle.ts";

export interface BundlerOptions {
  readonly batch: string;
  /** The batch's own, by which it is still open. */
  readonly head: StoredHead;
  readonly defaults: Bundle["defaults"];
}

interface Filling<Entry> {
  readonly entries: Entry[];
  bytes: number;
  readonly since: number;
}

/** Room in a message beside its lines. */
const headRoomBytes = 16_384;

export const maxItemBytes = ({ fleet }: BatchStreams): number => fleet.maxPayload - headRoomBytes;

export function createBundler(streams: BatchStreams, { batch, head, defaults }: BundlerOptions) {
  const window = createSemaphore(fleetLimits.batchSentEntries);
  const stopped = new AbortController();
  const items = new Map<string, Filling<BatchItem>>();
  const ends = new Map<"", Filling<ItemEnd>>();
  let bundles = 0;
  let fault: HawserError | undefined;

  async function store(write: Pick<FencedWrite, "stream" | "subject" | "text" | "after" | "fence">): Promise<void> {
    const seat = await window.acquire();
    void writeFenced(streams, { ...write, id: randomUUID(), signal: stopped.signal })
      .catch((error: unknown) => {
        fault ??= toHawserError(error);
        stopped.abort(error);
      })
      .finally(() => seat.release());
  }

  /** Notes an entry; says whether its bundle is full now. */
  function fill<Place, Entry>(fillings: Map<Place, Filling<Entry>>, place: Place, entry: Entry, bytes: number): boolean {
    const filling = fillings.get(place) ?? { entries: [], bytes: 0, since: performance.now() };
    fillings.set(place, filling);
    filling.entries.push(entry);
    filling.bytes += bytes;
    return filling.entries.length >= fleetLimits.batchBundleEntries || filling.bytes >= fleetLimits.batchBundleBytes;
  }

  const wouldBurst = (filling: Filling<unknown> | undefined, bytes: number): boolean =>
    filling !== undefined && filling.bytes + bytes > fleetLimits.batchBundleBytes;

  async function sendItems(site: string): Promise<void> {
    const filling = items.get(site);
    if (!items.delete(site) || !filling) return;
    const text = encodeBundle({ items: filling.entries, defaults });
    const subject = bundleSubject(site, batch, bundles++);
    await store({ stream: itemStream, subject, text, after: head.sequence, fence: headSubject(batch) });
  }

  async function sendEnds(): Promise<void> {
    const filling = ends.get("");
    if (!ends.delete("") || !filling) return;
    const text = encodeStep({ started: [], ended: filling.entries });
    await store({ stream: resultStream, subject: resultSubject(batch, bundles++), text, after: 0 });
  }

  const timer = setInterval(() => {
    // While the server takes nothing, they fill up; then adding waits.
    if (window.used >= fleetLimits.batchSentEntries) return;
    const before = performance.now() - fleetLimits.batchGatherMs;
    for (const [site, { since }] of items) if (since <= before) void sendItems(site);
    if ((ends.get("")?.since ?? Infinity) <= before) void sendEnds();
  }, fleetLimits.batchGatherMs);

  return {
    /** Why nothing more is stored. */
    get fault(): HawserError | undefined {
      return fault;
    },
    async addItem(item: BatchItem, site: string): Promise<void> {
      const bytes = Buffer.byteLength(item.text);
      if (wouldBurst(items.get(site), bytes)) await sendItems(site);
      if (fill(items, site, item, bytes)) await sendItems(site);
    },
    /** The result of an item that is not sent at all. */
    async addEnd(end: ItemEnd): Promise<void> {
      const bytes = Buffer.byteLength(end.line);
      if (wouldBurst(ends.get(""), bytes)) await sendEnds();
      if (fill(ends, "", end, bytes)) await sendEnds();
    },
    /** Resolves when everything is stored, or can't be. */
    async end(): Promise<void> {
      clearInterval(timer);
      for (const site of [...items.keys()]) await sendItems(site);
      await sendEnds();
      for (let seat = 0; seat < fleetLimits.batchSentEntries; seat++) await window.acquire();
    },
  };
}
