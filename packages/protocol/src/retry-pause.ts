// The pause before a request is tried again. It doubles with each try and has a random part, so that many programs don't come back
// together. A server may ask for a longer pause (`Retry-After`), never for a shorter one.

export interface RetryPause {
  /** How often it was tried already. */
  readonly tries: number;
  readonly firstMs: number;
  /** Bounds our own pause. Whether a longer one that the server asks for is waited for decides the caller. */
  readonly longestMs: number;
  readonly askedMs?: number | undefined;
}

/** Half of our own pause is certain, the rest is chance. */
export function retryPauseMs({ tries, firstMs, longestMs, askedMs = 0 }: RetryPause): number {
  const fullMs = Math.min(firstMs * 2 ** (tries - 1), longestMs);
  return Math.max(Math.round(fullMs / 2 + (Math.random() * fullMs) / 2), askedMs);
}

/** What `Retry-After` asks for, as seconds or a date; undefined if it is neither, negative for example. */
export function parseRetryAfter(value: string | undefined, now: number = Date.now()): number | undefined {
  const seconds = parseAmount(value);
  if (seconds !== undefined) return toWholeMs(seconds * 1_000);
  // V8 finds a date in almost any text that holds a number; those of HTTP begin with the day of the week.
  const text = value?.trim() ?? "";
  const date = /^(?:mon|tue|wed|thu|fri|sat|sun)/i.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : toWholeMs(date - now);
}

/** The same for `Retry-After-Ms`, which some vendors send beside it. */
export function parseRetryAfterMs(value: string | undefined): number | undefined {
  const ms = parseAmount(value);
  return ms === undefined ? undefined : toWholeMs(ms);
}

function parseAmount(value: string | undefined): number | undefined {
  const text = value?.trim() ?? "";
  return /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : undefined;
}

// A number of 400 digits is more than a number can hold, and the facts of an error can't hold Infinity.
const toWholeMs = (ms: number): number => Math.min(Math.max(0, Math.ceil(ms)), Number.MAX_SAFE_INTEGER);
