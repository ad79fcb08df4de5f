// Sends the items of a batch to the queues of their sites. The source is read no faster than the server stores what came of it. Items
// count only while the batch is open: when another process has closed or cancelled it, nothing more is sent.

import { HawserError, toHawserError } from "@hawser/protocol";
import { untilAborted } from "@hawser/wire/internal";
import { fleetLimits } from "../limits.ts";
import { writeHead, type StoredHead } from "./batch-head.ts";
import { checkSite, senderSubject } from "./batch-names.ts";
import { isFenced, type BatchStreams } from "./batch-streams.ts";
import type { BatchItem, Bundle, ItemEnd } from "./bundle.ts";
import { createBundler, maxItemBytes } from "./bundler.ts";

/** An item with the site that it names; or its end, where it can't be called at all. */
export type SentItem = (BatchItem & { readonly site: string | undefined }) | ItemEnd;

export interface SendOptions {
  readonly batch: string;
  readonly items: AsyncIterator<SentItem>;
  readonly defaults: Bundle["defaults"];
  /** The end of an item that can't be sent. */
  refuse(item: BatchItem, reason: HawserError): ItemEnd;
  /** Nothing more is read; what was read is sent. */
  readonly signal: AbortSignal;
}

/**
 * Resolves when all are stored: with their number, or with undefined when another process has closed or cancelled the batch. Where the
 * source breaks, what was read of it is sent, and this rejects.
 */
export async function sendBatch(streams: BatchStreams, options: SendOptions): Promise<number | undefined> {
  const { batch } = options;
  const head = await writeHead(streams, batch, { state: "open" });
  const presence = streams.fleet.listen(senderSubject(batch), (message) => void message.respond());
  try {
    return await sendItems(streams, head, options);
  } finally {
    presence.unsubscribe();
  }
}

async function sendItems(streams: BatchStreams, head: StoredHead, options: SendOptions): Promise<number | undefined> {
  const { batch, items, defaults, signal } = options;
  const bundler = createBundler(streams, { batch, head, defaults });
  const siteOf = createSites(streams);
  let total = 0;
  let fault: Error | undefined;
  try {
    while (bundler.fault === undefined) {
      const { value, done } = await untilAborted(signal, items.next());
      if (done) break;
      if (total >= fleetLimits.batchEntries)
        throw new HawserError("usage", `a batch on a fleet has at most ${fleetLimits.batchEntries} items; those before it were sent`);
      total += 1;
      const item = checked(value, siteOf, options);
      if ("line" in item) await bundler.addEnd(item);
      else await bundler.addItem(item, item.site);
    }
  } catch (error) {
    if (!signal.aborted) fault = toHawserError(error);
  }
  await bundler.end();
  fault ??= bundler.fault;
  try {
    if (isFenced(fault)) return undefined;
    // Also where its source broke: what was sent counts, and is waited for.
    await writeHead(streams, batch, { state: "closed", total }, head);
  } catch (error) {
    if (isFenced(error)) return undefined;
    throw error;
  }
  if (fault !== undefined) throw fault;
  return total;
}

type PlacedItem = BatchItem & { readonly site: string };

function checked(item: SentItem, siteOf: (item: SentItem) => string, { refuse }: SendOptions): PlacedItem | ItemEnd {
  if ("line" in item) return item;
  try {
    return { index: item.index, text: item.text, site: siteOf(item) };
  } catch (error) {
    return refuse(item, toHawserError(error));
  }
}

function createSites(streams: BatchStreams) {
  const sites = new Set<string>();
  const { batchSiteEntries } = fleetLimits;
  /** Throws for an item that can't be sent. */
  return (item: SentItem): string => {
    const { site, text } = item as Exclude<SentItem, ItemEnd>;
    if (site === undefined) throw new HawserError("usage", 'it names no site; give it "site", or --site for all items');
    checkSite(site);
    const [bytes, maxBytes] = [Buffer.byteLength(text), maxItemBytes(streams)];
    if (bytes > maxBytes) throw new HawserError("too_large", `it has ${bytes} bytes, and the fleet's server carries ${maxBytes}`);
    if (!sites.has(site) && sites.size >= batchSiteEntries)
      throw new HawserError("usage", `${site} is one site too many; a batch has at most ${batchSiteEntries}`);
    sites.add(site);
    return site;
  };
}
