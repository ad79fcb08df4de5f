// When a step of a model is tried again, and after which pause: as the server asked, else twice as long
// each time, with a random part so that many programs don't come back together. Bounded in number, in
// one pause and in all of them; a server that asks for more has its error shown instead.

import { limits, type HawserError } from "@hawser/wire";

export interface RetryBounds {
  readonly calls: number;
  readonly backoffMs: number;
  readonly pauseMs: number;
  readonly totalMs: number;
}

const defaultBounds: RetryBounds = {
  calls: limits.modelRetryCalls,
  backoffMs: limits.modelBackoffMs,
  pauseMs: limits.modelRetryPauseMs,
  totalMs: limits.modelRetryTotalMs,
};

export interface Retries {
  /** How long to wait before the next try; undefined: give up. */
  next(error: HawserError): number | undefined;
}

export function createRetries(bounds: RetryBounds = defaultBounds): Retries {
  let calls = 0;
  let waited = 0;
  return {
    next({ facts }) {
      if (facts["mayRetry"] !== true || calls >= bounds.calls) return undefined;
      const asked = facts["retryAfterMs"];
      const pause = typeof asked === "number" ? asked : jitter(Math.min(bounds.backoffMs * 2 ** calls, bounds.pauseMs));
      if (pause > bounds.pauseMs || waited + pause > bounds.totalMs) return undefined;
      calls += 1;
      waited += pause;
      return pause;
    },
  };
}

/** Half of it is certain, the rest is chance. */
const jitter = (ms: number): number => Math.round(ms / 2 + (Math.random() * ms) / 2);

/** `retry-after-ms`, or `retry-after` as seconds or a date. */
export function retryAfterMs(headers: Readonly<Record<string, string>>, now = Date.now()): number | undefined {
  const exact = positive(headers["retry-after-ms"]);
  if (exact !== undefined) return Math.ceil(exact);
  const text = headers["retry-after"];
  const seconds = positive(text);
  if (seconds !== undefined) return Math.ceil(seconds * 1000);
  const date = text === undefined ? Number.NaN : Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

function positive(text: string | undefined): number | undefined {
  const value = text === undefined || text.trim() === "" ? Number.NaN : Number(text);
  return Number.isFinite(value) && value >= 0 ? value : undefined;
}

export const describePause = (ms: number): string => (ms < 1_000 ? `${ms} ms` : `${Math.ceil(ms / 1_000)} s`);
