// One item of a batch: the call that it asks for, also where it can't be made, and the line that tells of its end. A batch on this
// machine and one on a fleet have both from here, so that their lines are the same.

import { cutText, HawserError, toHawserError, type CallItem } from "@hawser/protocol/internal";
import { JsonText, memberSource, parseJsonText, toJsonText } from "@hawser/wire/internal";
import type { CallCode, CallCore, CallOptions, CallOutcome, GatewayOptions } from "../call.ts";
import { toBatchLine } from "../execute/outcome.ts";
import { gatewayLimits } from "../limits.ts";
import { previewRequest } from "../preview-request.ts";
import { isIdempotent, operationIdOf, parseCallItem, parseMethod, withExactNumbers } from "../request/call-item.ts";
import { cutOutcome, toUnmadeOutcome } from "../rpc/rpc-answer.ts";
import type { BatchEntry } from "./batch-source.ts";

/** For items that don't say themselves. */
export interface ItemDefaults {
  readonly yes?: boolean;
  readonly retry?: number;
  readonly retryBackoff?: string;
  readonly timeout?: string;
}

/** The entry of an item that was read before; `text` is as its source had it. */
export function toEntry(text: string, index: number): BatchEntry {
  const position = index + 1;
  try {
    return { position, text, value: withExactNumbers(parseJsonText(text), text) };
  } catch (error) {
    return { position, text: "", error: toHawserError(error) };
  }
}

/** Never rejects: an item that is none ends as refused. */
export async function callEntry(
  entry: BatchEntry,
  core: CallCore,
  defaults: ItemDefaults | undefined,
  callOptions: CallOptions,
): Promise<CallOutcome> {
  try {
    return await core.call({ ...defaults, ...itemOf(entry) }, callOptions);
  } catch (error) {
    return toRefusedOutcome(entry, error);
  }
}

/** Throws for an entry that is no item. */
export function itemOf(entry: BatchEntry): CallItem {
  if (entry.error) throw entry.error;
  // `null` is not an item here; elsewhere it is one without arguments.
  const { id: _, ...item } = parseCallItem(entry.value ?? []) as ReturnType<typeof parseCallItem> & { id?: unknown };
  return item;
}

export function toRefusedOutcome(entry: BatchEntry, error: unknown): CallOutcome {
  const id = idOf(entry);
  const name = id === undefined ? "" : ` (id ${cutText(id, gatewayLimits.rpcErrorTextBytes)})`;
  const text = `batch item ${entry.position}${name}: ${toHawserError(error).message}`;
  return toUnmadeOutcome(new HawserError("invalid_message", text, { cause: error }));
}

/** As its id is written; undefined for `null`. */
function idOf({ text }: BatchEntry): string | undefined {
  const source = memberSource(text, "id");
  return source === "null" ? undefined : source;
}

/** `more`: further members. */
export function toResultText(entry: BatchEntry, index: number, outcome: CallOutcome, more?: object): string {
  const { position, error } = entry;
  const id = idOf(entry) ?? `"${index + 1}"`;
  const rest = { ...toBatchLine(outcome), ...(error && { position }), ...more };
  return toJsonText(new JsonText(`{"id":${id.replaceAll("\n", " ")},${JSON.stringify(rest).slice(1)}`));
}

/** The line of a result that travels, and what its reader needs to know of it. */
export interface ItemLine {
  readonly line: string;
  readonly code: CallCode;
  /** The body is not whole. */
  readonly isCut: boolean;
}

export interface LineOptions {
  /** What one line may have; a body is cut where it has to be. */
  readonly maxBytes: number;
  /** Further members. */
  readonly more?: object;
}

export function toItemLine(entry: BatchEntry, index: number, outcome: CallOutcome, options: LineOptions): ItemLine {
  const { maxBytes, more } = options;
  const line = toResultText(entry, index, outcome, more);
  const bytes = Buffer.byteLength(line);
  if (bytes <= maxBytes) return { line, code: outcome.code, isCut: outcome.response?.truncated === true };
  const { response } = outcome;
  if (response && response.body.length > 0) return toItemLine(entry, index, cutOutcome(outcome, response, maxBytes / bytes), options);
  const text = `batch item ${entry.position}: its result has ${bytes} bytes, and the fleet's server carries ${maxBytes}; give it a shorter id, and leave out --include-headers`;
  const short = toResultText(
    { ...entry, text: "" },
    index,
    { ...toUnmadeOutcome(new HawserError("too_large", text)), status: outcome.status },
    more,
  );
  return { line: short, code: 7, isCut: false };
}

/** The line of an item that is not called: it can't be sent, or its batch was cancelled, or the worker that began with it was lost. */
export function toUncalledLine(text: string, index: number, reason: HawserError, options: LineOptions): ItemLine {
  const entry = toEntry(text, index);
  const isOver = reason.code === "cancelled" || reason.code === "unknown_outcome";
  return toItemLine(entry, index, isOver ? toUnmadeOutcome(reason) : toRefusedOutcome(entry, reason), options);
}

/** Whether the call may be made once more although it may have been made. */
export async function mayRepeat(text: string, options: GatewayOptions): Promise<boolean> {
  try {
    const item = itemOf(toEntry(text, 0));
    const { method } =
      operationIdOf(item) === undefined
        ? { method: parseMethod(item.method) }
        : await previewRequest(item, options, async () => (await import("../document/load-index.ts")).loadApiIndex(options));
    return isIdempotent(method);
  } catch {
    // What can't be understood here is not known to be harmless.
    return false;
  }
}
