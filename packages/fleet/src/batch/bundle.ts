// What the messages of a batch hold, as text: a first line in JSON that says what follows, then one line for each item or result. An
// item is as its source had it, so that no number and no id changes on the way; a result is the line that will be printed.

import { describeThrown, HawserError } from "@hawser/protocol";
import { isRecord } from "@hawser/protocol/internal";
import { parseJsonText } from "@hawser/wire/internal";
import { logLine } from "@hawser/wire/internal/node";
import { fleetLimits } from "../limits.ts";

/** One item of a batch. */
export interface BatchItem {
  /** Its place in the batch, from 0. */
  readonly index: number;
  /** JSON on one line. */
  readonly text: string;
}

/** Items of one site that travel together. */
export interface Bundle {
  readonly items: readonly BatchItem[];
  /** For items that don't say themselves. */
  readonly defaults: Readonly<Record<string, unknown>>;
}

/** How an item ended. */
export interface ItemEnd {
  readonly index: number;
  /** As a command's exit code. */
  readonly code: number;
  /** Its body is not whole. */
  readonly isCut: boolean;
  /** The line that tells of it. */
  readonly line: string;
}

/** One step of a bundle, stored at once: these items will now be sent, and those have ended. */
export interface BundleStep {
  readonly started: readonly number[];
  readonly ended: readonly ItemEnd[];
}

export const encodeBundle = ({ items, defaults }: Bundle): string =>
  [JSON.stringify({ items: items.map(({ index }) => index), defaults }), ...items.map(({ text }) => text)].join("\n");

/** Throws `invalid_message`. */
export function decodeBundle(text: string): Bundle {
  const [head, lines] = split(text);
  const { items, defaults = {} } = head;
  if (!isIndexes(items) || items.length !== lines.length || !isRecord(defaults)) throw invalid("items");
  return { items: items.map((index, at) => ({ index, text: lines[at] ?? "" })), defaults };
}

export const encodeStep = ({ started, ended }: BundleStep): string =>
  [
    JSON.stringify({ started, ended: ended.map(({ index, code, isCut }) => [index, code, isCut ? 1 : 0]) }),
    ...ended.map(({ line }) => line),
  ].join("\n");

/** A text that isn't a step counts as one without items: another program wrote it. */
export function decodeStep(text: string): BundleStep {
  try {
    const [head, lines] = split(text);
    const { started, ended } = head;
    if (!isIndexes(started) || !Array.isArray(ended) || !ended.every(isIndexes) || ended.length !== lines.length) throw invalid("results");
    return {
      started,
      ended: ended.map(([index = 0, code = 0, cut = 0], at) => ({ index, code, isCut: cut !== 0, line: lines[at] ?? "" })),
    };
  } catch (error) {
    logLine(`[hawser] fleet: a result is left out: ${describeThrown(error)}`);
    return { started: [], ended: [] };
  }
}

function split(text: string): [Record<string, unknown>, string[]] {
  const [first = "", ...lines] = text.split("\n");
  const head = parseJsonText(first);
  if (!isRecord(head)) throw invalid("anything");
  return [head, lines];
}

const isIndexes = (value: unknown): value is number[] =>
  Array.isArray(value) &&
  value.every((one) => Number.isSafeInteger(one) && (one as number) >= 0 && (one as number) < fleetLimits.batchEntries);

const invalid = (what: string): HawserError => new HawserError("invalid_message", `a message of a batch holds no ${what}`);
