// Waiting together with an AbortSignal, without leaving a listener behind.

/** The outcome of `work`, or a rejection with the signal's reason as soon as it aborts, whichever is first. */
export function untilAborted<Result>(signal: AbortSignal, work: Promise<Result>): Promise<Result> {
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
