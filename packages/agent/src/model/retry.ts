// When a step of a model is tried again, and after which pause: ours or, where the server asks for a longer one,
// that. Bounded in number, in one pause and in all of them; a server that asks for more has its error shown instead.

import { limits, parseRetryAfter, parseRetryAfterMs, retryPauseMs, type HawserError } from "@hawser/wire";

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
      const askedMs = typeof asked === "number" ? asked : undefined;
      const pause = retryPauseMs({ tries: calls + 1, firstMs: bounds.backoffMs, longestMs: bounds.pauseMs, askedMs });
      if (pause > bounds.pauseMs || waited + pause > bounds.totalMs) return undefined;
      calls += 1;
      waited += pause;
      return pause;
    },
  };
}

/** What a model's server asks for; `retry-after-ms` is the more exact one. */
export const retryAfterMs = (headers: Readonly<Record<string, string>>, now?: number): number | undefined =>
  parseRetryAfterMs(headers["retry-after-ms"]) ?? parseRetryAfter(headers["retry-after"], now);

export const describePause = (ms: number): string => (ms < 1_000 ? `${ms} ms` : `${Math.ceil(ms / 1_000)} s`);
