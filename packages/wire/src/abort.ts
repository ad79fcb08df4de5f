// Waiting that has an end: together with an AbortSignal, or for some time. No listener and no timer stays behind.

import type { CancelSignal } from "./cancel-signal.ts";

/** The outcome of `work`, or a rejection with the signal's reason as soon as it aborts, whichever is first. */
export function untilAborted<Result>(signal: CancelSignal, work: Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason as Error);
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}

/** Resolves when the signal aborts; never, if there is none. Its listener goes when `over` aborts. */
export function whenAborted(signal: AbortSignal | undefined, over?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) resolve();
    signal?.addEventListener("abort", () => resolve(), { once: true, ...(over && { signal: over }) });
  });
}

/** Waits for it, but no longer than this; says whether it has come. Rejects as it does. */
export async function isSettledWithin(work: Promise<unknown>, ms: number): Promise<boolean> {
  const late = Promise.withResolvers<false>();
  // Timers run before input is read: where we were stopped or busy, one more turn of the loop lets in what is already there.
  let timer = setTimeout(() => (timer = setTimeout(late.resolve, 0, false)), ms);
  try {
    return await Promise.race([work.then(() => true), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
