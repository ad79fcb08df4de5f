// Makes the calls of a batch, a bounded number at a time, and writes one result per item: as they come, or in the
// order of the input with a bounded window. A bad item is one result and no more. Memory does not grow
// with the batch: nothing is read while every worker is busy or the output does not take its results.

import { gatewayLimits } from "../limits.ts";
import { cutText, HawserError, toHawserError } from "@hawser/protocol/internal";
import { JsonText, memberSource, toJsonText, untilAborted } from "@hawser/wire/internal";
import type { CallCode, CallCore, CallOptions, CallOutcome } from "../call.ts";
import { toBatchLine } from "../execute/answers.ts";
import { parseCallItem } from "../request/call-item.ts";
import { toUnmadeOutcome } from "../rpc/rpc-answer.ts";
import { readBatch, type BatchEntry } from "./batch-source.ts";
import { createResultWriter } from "./result-writer.ts";

export interface BatchOptions {
  /** Calls at the same time; 1 unless given. */
  readonly parallel?: number | undefined;
  /** Results in the order of the input; else as they come. */
  readonly ordered?: boolean | undefined;
  readonly output?: "ndjson" | "json" | undefined;
  /** For items that don't say themselves. */
  readonly defaults?:
    | { readonly yes?: boolean; readonly retry?: number; readonly retryBackoff?: string; readonly timeout?: string }
    | undefined;
  /** Nothing new starts, and what runs is cancelled. */
  readonly signal?: AbortSignal | undefined;
  /** Takes text with its line feeds; its promise is backpressure. */
  write(text: string): Promise<void> | void;
  /** `cut`: bodies that are not whole, see `truncated`. */
  onProgress?(done: number, failed: number, cut: number): void;
}

/** Resolves to the exit code: 2 if an item had it, else 7, also for a body that was cut, else 6, else 0. Throws `usage` for an empty batch. */
export async function runBatch(source: AsyncIterable<Buffer>, core: CallCore, options: BatchOptions): Promise<CallCode> {
  const parallel = checkedParallel(options.parallel ?? 1);
  const failure = new AbortController();
  const signal = options.signal ? AbortSignal.any([options.signal, failure.signal]) : failure.signal;
  const writer = createResultWriter(options);
  const running = new Set<Promise<void>>();
  const codes = new Set<CallCode>();
  let done = 0;
  let failed = 0;
  let cut = 0;

  async function perform(entry: BatchEntry, index: number): Promise<void> {
    const { promise: untilWritten, resolve: noteWritten } = Promise.withResolvers<void>();
    try {
      const outcome = await callOf(entry, core, options, { signal, untilWritten });
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
      const next = await untilAborted(signal, entries.next()).catch((error: unknown) => stopOrThrow(signal, error));
      if (next.done) break;
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
  return worstOf(codes);
}

const stopped: IteratorReturnResult<void> = { done: true, value: undefined };

function stopOrThrow(signal: AbortSignal, error: unknown): IteratorReturnResult<void> {
  if (signal.aborted) return stopped;
  throw error;
}

async function callOf(entry: BatchEntry, core: CallCore, { defaults }: BatchOptions, callOptions: CallOptions): Promise<CallOutcome> {
  try {
    if (entry.error) throw entry.error;
    // `null` is not an item here; elsewhere it is one without arguments.
    const { id: _, ...item } = parseCallItem(entry.value ?? []) as ReturnType<typeof parseCallItem> & { id?: unknown };
    return await core.call({ ...defaults, ...item }, callOptions);
  } catch (error) {
    const text = `${nameOf(entry)}: ${toHawserError(error).message}`;
    return toUnmadeOutcome(new HawserError("invalid_message", text, { cause: error }));
  }
}

/** As its id is written; undefined for `null`. */
function idOf({ text }: BatchEntry): string | undefined {
  const source = memberSource(text, "id");
  return source === "null" ? undefined : source;
}

function nameOf(entry: BatchEntry): string {
  const id = idOf(entry);
  return `batch item ${entry.position}${id === undefined ? "" : ` (id ${cutText(id, gatewayLimits.rpcErrorTextBytes)})`}`;
}

function toResultText(entry: BatchEntry, index: number, outcome: CallOutcome): string {
  const { position, error } = entry;
  const id = idOf(entry) ?? `"${index + 1}"`;
  const rest = { ...toBatchLine(outcome), ...(error && { position }) };
  return toJsonText(new JsonText(`{"id":${id.replaceAll("\n", " ")},${JSON.stringify(rest).slice(1)}`));
}

function worstOf(codes: ReadonlySet<CallCode>): CallCode {
  for (const code of [2, 7, 6] as const) if (codes.has(code)) return code;
  return 0;
}

function checkedParallel(parallel: number): number {
  if (Number.isSafeInteger(parallel) && parallel >= 1 && parallel <= gatewayLimits.rpcMaxWorkers) return parallel;
  throw new HawserError("usage", `parallel must be a whole number from 1 to ${gatewayLimits.rpcMaxWorkers}, not ${parallel}`);
}
