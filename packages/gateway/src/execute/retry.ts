// When a call is sent again, and after which wait. Only methods that may be repeated are; a response's
// `Retry-After` goes before our own waits, which double and are scattered so that many callers don't
// return at the same moment.

import { limits } from "@hawser/wire";
import type { ResponseHeaders } from "./exchange.ts";

export const isRetryableStatus = (status: number): boolean => status === 429 || status >= 500;

/** Milliseconds before the next try. `tries` counts those already made. */
export function retryDelayMs(tries: number, backoffMs: number, headers: ResponseHeaders | undefined): number {
  const asked = parseRetryAfterMs(headers?.["retry-after"]?.toString());
  if (asked !== undefined) return asked;
  const full = Math.min(backoffMs * 2 ** (tries - 1), Math.max(limits.maxRetryBackoffMs, backoffMs));
  return full * (0.5 + Math.random() / 2);
}

/** Seconds or a date; undefined if it is neither. */
export function parseRetryAfterMs(value: string | undefined, now: number = Date.now()): number | undefined {
  const text = value?.trim() ?? "";
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  const date = /^[A-Za-z]{3}/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
