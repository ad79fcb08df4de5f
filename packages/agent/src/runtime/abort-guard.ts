// Waiting together with one signal, again and again: for what is done for every token. The signal is
// listened to once, since adding and removing a listener costs more than sending the token. For a signal
// that ends with the work, as a turn's does: the listener goes with it.

/** The outcome of `work`, or a rejection with the signal's reason as soon as it aborts, whichever is first. */
export function createAbortGuard(signal: AbortSignal): <Result>(work: Promise<Result>) => Promise<Result> {
  const waiting = new Set<(reason: Error) => void>();
  const onAbort = (): void => {
    for (const reject of waiting) reject(signal.reason as Error);
    waiting.clear();
  };
  signal.addEventListener("abort", onAbort, { once: true });
  return (work) =>
    new Promise((resolve, reject) => {
      if (signal.aborted) reject(signal.reason as Error);
      else waiting.add(reject);
      work.then(
        (result) => {
          waiting.delete(reject);
          resolve(result);
        },
        (error: Error) => {
          waiting.delete(reject);
          reject(error);
        },
      );
    });
}
