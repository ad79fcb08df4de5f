// Makes the calls of a batch, a bounded number at a time, and writes one result per item, also for a bad one. Memory does
// not grow with the batch: nothing is read while every worker is busy or the output does not take its results.

import { gatewayLimits } from "../limits.ts";
import { cutText, HawserError, toHawserError } from "@hawser/protocol/internal";
import { JsonText, memberSource, toJsonText, untilAborted } from "@hawser/wire/internal";
import type { CallCode, CallCore, CallOptions, CallOutcome } from "../call.ts";
import { toBatchLine } from "../execute/outcome.ts";
import { parseCallItem } from "../request/call-item.ts";
import { toUnmadeOutcome } from "../rpc/rpc-answer.ts";
import { readBatch, type BatchEntry } from "./batch-source.ts";

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
  const { parallel = 1 } = options;
  const { rpcMaxWorkers } = gatewayLimits;
  if (!Number.isSafeInteger(parallel) || parallel < 1 || parallel > rpcMaxWorkers)
    throw new HawserError("usage", `parallel must be a whole number from 1 to ${rpcMaxWorkers}, not ${parallel}`);
  const failure = new AbortController();
  const signal = options.signal ? AbortSignal.any([options.signal, failure.signal]) : failure.signal;
  const writer = createResultWriter(options);
  const running = new Set<Promise<void>>();
  const codes = new Set<CallCode>();
  let done = 0;
  let failed = 0;
  let cut = 0;

  async function perform(entry: BatchEntry, index: number): Promise<void> {
    let noteWritten = (): void => {};
    try {
      const outcome = await callOf(entry, core, options, { signal, whenWritten: (tell) => (noteWritten = tell) });
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
      const next = await untilAborted(signal, entries.next()).catch((error: unknown) => {
        if (!signal.aborted) throw error;
      });
      if (!next || next.done) break;
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
  return ([2, 7, 6] as const).find((code) => codes.has(code)) ?? 0;
}

async function callOf(entry: BatchEntry, core: CallCore, { defaults }: BatchOptions, callOptions: CallOptions): Promise<CallOutcome> {
  try {
    if (entry.error) throw entry.error;
    // `null` is not an item here; elsewhere it is one without arguments.
    const { id: _, ...item } = parseCallItem(entry.value ?? []) as ReturnType<typeof parseCallItem> & { id?: unknown };
    return await core.call({ ...defaults, ...item }, callOptions);
  } catch (error) {
    const id = idOf(entry);
    const name = id === undefined ? "" : ` (id ${cutText(id, gatewayLimits.rpcErrorTextBytes)})`;
    const text = `batch item ${entry.position}${name}: ${toHawserError(error).message}`;
    return toUnmadeOutcome(new HawserError("invalid_message", text, { cause: error }));
  }
}

/** As its id is written; undefined for `null`. */
function idOf({ text }: BatchEntry): string | undefined {
  const source = memberSource(text, "id");
  return source === "null" ? undefined : source;
}

function toResultText(entry: BatchEntry, index: number, outcome: CallOutcome): string {
  const { position, error } = entry;
  const id = idOf(entry) ?? `"${index + 1}"`;
  const rest = { ...toBatchLine(outcome), ...(error && { position }) };
  return toJsonText(new JsonText(`{"id":${id.replaceAll("\n", " ")},${JSON.stringify(rest).slice(1)}`));
}

interface ResultWriter {
  /** Resolves when the output took it, or when it is held for its turn. Rejects when the output fails. */
  write(index: number, text: string): Promise<void>;
  /** Whether the item `index` may start now. */
  whenRoom(index: number): Promise<void>;
  end(): Promise<void>;
}

/** In ordered mode a result that is ahead of its turn is held, within limits. */
function createResultWriter(options: BatchOptions): ResultWriter {
  const isArray = options.output === "json";
  const held = new Map<number, string>();
  let heldBytes = 0;
  let nextIndex = 0;
  let written = 0;
  let last: Promise<void> = Promise.resolve();
  let moved: PromiseWithResolvers<void> | undefined;

  function put(text: string): Promise<void> {
    const separator = written === 0 ? "[\n" : ",\n";
    written++;
    last = last.then(() => options.write(isArray ? separator + text : `${text}\n`));
    return last;
  }

  async function putInOrder(index: number, text: string): Promise<void> {
    held.set(index, text);
    heldBytes += Buffer.byteLength(text);
    for (let ready = held.get(nextIndex); ready !== undefined; ready = held.get(nextIndex)) {
      held.delete(nextIndex++);
      await put(ready);
      heldBytes -= Buffer.byteLength(ready);
    }
    moved?.resolve();
    moved = undefined;
  }

  const isFull = (index: number): boolean =>
    index - nextIndex >= gatewayLimits.batchHeldEntries || (heldBytes > gatewayLimits.batchHeldBytes && index !== nextIndex);

  return {
    write: (index, text) => (options.ordered ? putInOrder(index, text) : put(text)),
    async whenRoom(index) {
      while (options.ordered && isFull(index)) await (moved ??= Promise.withResolvers<void>()).promise;
    },
    async end() {
      await last;
      if (isArray) await options.write(written === 0 ? "[]\n" : "\n]\n");
    },
  };
}
