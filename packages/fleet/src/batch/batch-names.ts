// The names of everything about batches: streams, subjects, consumers. Items of one site are one subject's branch, so that the site's
// worker has them all; the results of one batch are another's, so that its reader has them all.

import { randomBytes } from "node:crypto";
import { HawserError } from "@hawser/protocol";
import { checkName } from "../subjects.ts";

/** A work queue: the heads of batches, and messages with items until their results are stored. */
export const itemStream = "HAWSER_BATCH_ITEMS";
/** What was begun and how it ended, by message with items. */
export const resultStream = "HAWSER_BATCH_RESULTS";

const [head, item, result] = ["hawser.batch.head", "hawser.batch.item", "hawser.batch.result"];

export const itemStreamSubjects: readonly string[] = [`${head}.*`, `${item}.>`];
export const resultStreamSubjects: readonly string[] = [`${result}.>`];
/** Whether a batch goes on, is whole, or is cancelled. */
export const allHeads = `${head}.*`;

export const headSubject = (batch: string): string => `${head}.${batch}`;
export const batchOfHead = (subject: string): string => subject.slice(head.length + 1);
export const bundleSubject = (site: string, batch: string, bundle: number): string => `${item}.${site}.${batch}.${bundle}`;
export const bundlesOfSite = (site: string): string => `${item}.${site}.>`;
export const bundlesOfBatch = (batch: string): string => `${item}.*.${batch}.*`;
export const resultSubject = (batch: string, bundle: number): string => `${result}.${batch}.${bundle}`;
export const resultsOfBatch = (batch: string): string => `${result}.${batch}.*`;
/** Answered by the process that still sends items of the batch. */
export const senderSubject = (batch: string): string => `hawser.batch.sender.${batch}`;

/** The place of a message with items, from its subject. */
export function placeOfBundle(subject: string): { readonly site: string; readonly batch: string; readonly bundle: number } {
  const [site = "", batch = "", bundle = ""] = subject.slice(item.length + 1).split(".");
  return { site, batch, bundle: Number(bundle) };
}

export const consumerName = (site: string): string => `site-${site}`;
/** The one priority group of such a consumer, in which the server pins a worker. */
export const consumerGroup = "worker";

export const createBatchId = (): string => randomBytes(8).toString("hex");

/** Throws `usage`. */
export function checkBatchId(batch: string): string {
  if (/^[0-9a-f]{16}$/.test(batch)) return batch;
  throw new HawserError(
    "usage",
    `the id of a batch has 16 hexadecimal digits, as it was printed; not ${JSON.stringify(batch.slice(0, 100))}`,
  );
}

/** Throws `usage`. */
export const checkSite = (site: string): string => checkName(site, "a site");
