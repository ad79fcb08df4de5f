// A call core without a network: each test says how a call ends. It keeps the core's promises (never
// rejects, obeys its signal) and counts what reaches it.

import { setTimeout as sleep } from "node:timers/promises";
import type { CallItem } from "@hawser/protocol";
import type { CancelSignal } from "@hawser/wire/internal";
import type { CallCore, CallOutcome } from "../../src/call.ts";

export interface ScriptedCore extends CallCore {
  readonly items: readonly CallItem[];
  readonly running: number;
  readonly peak: number;
  readonly reloads: number;
}

export type Script = (item: CallItem, signal: CancelSignal | undefined, reloads: number) => Promise<Partial<CallOutcome>>;

export function succeeded(body: string, more: Partial<CallOutcome> = {}): CallOutcome {
  const bytes = Buffer.byteLength(body);
  return {
    ok: true,
    code: 0,
    status: 200,
    request: { method: "GET", url: "http://127.0.0.1/" },
    response: { status: 200, body, bytes },
    timingMs: 1,
    stats: { version: 1, timingMs: 1, bodyBytes: bytes },
    ...more,
  };
}

export const cancelled: CallOutcome = {
  ok: false,
  code: 7,
  error: "cancelled",
  cancelled: true,
  errorInfo: { kind: "cancelled", retryable: false },
  request: { method: "GET", url: "http://127.0.0.1/" },
  timingMs: 1,
  stats: { version: 1, timingMs: 1, bodyBytes: 0 },
};

/** Answers with the path as the body. */
const echoPath: Script = (item) => Promise.resolve(succeeded(item.path ?? ""));

/** Answers with the path after a time, sooner when it is cancelled. */
export const after =
  (ms: number | ((item: CallItem) => number)): Script =>
  (item, signal) =>
    sleep(typeof ms === "number" ? ms : ms(item), succeeded(item.path ?? ""), { signal: signal as AbortSignal }).catch(() => cancelled);

/** Never ends but by being cancelled. */
export const never: Script = after(3_600_000);

export function createScriptedCore(script: Script = echoPath, reload: () => Promise<void> = () => Promise.resolve()): ScriptedCore {
  const items: CallItem[] = [];
  let running = 0;
  let peak = 0;
  let reloads = 0;
  return {
    items,
    get running() {
      return running;
    },
    get peak() {
      return peak;
    },
    get reloads() {
      return reloads;
    },
    async call(item, options) {
      items.push(item);
      peak = Math.max(peak, ++running);
      const outcome = await script(item, options?.signal, reloads);
      running--;
      return { ...succeeded(""), ...outcome };
    },
    async reload() {
      await reload();
      reloads++;
    },
    close: () => Promise.resolve(),
  };
}
