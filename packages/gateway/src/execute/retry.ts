// When a call is sent again, and after which wait. Only methods that may be repeated are. The wait is ours or, where
// the response asks for a longer one, that.

import { limits, parseRetryAfter, retryPauseMs } from "@hawser/wire";
import type { ResponseHeaders } from "./exchange.ts";

export const isRetryableStatus = (status: number): boolean => status === 429 || status >= 500;

/** Milliseconds before the next try. `tries` counts those already made. */
export function retryDelayMs(tries: number, backoffMs: number, headers: ResponseHeaders | undefined): number {
  const askedMs = parseRetryAfter(headers?.["retry-after"]?.toString());
  return retryPauseMs({ tries, firstMs: backoffMs, longestMs: Math.max(limits.maxRetryBackoffMs, backoffMs), askedMs });
}
