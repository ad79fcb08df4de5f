// Waiting that has an end: together with an AbortSignal, or for some time. No listener and no timer stays behind.

/** The outcome of `work`, or a rejection with the signal's reason as soon as it aborts, whichever is first. */
export function untilAborted<Result>(signal: CancelSignal, work: Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason as Error);
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    const leave = (): void => signal.removeEventListener("abort", onAbort);
    work.then(resolve, reject);
    work.then(leave, leave);
  });
}

/** Aborts with whichever signal comes first, until released. `AbortSignal.any` would be held by the longest-lived of them. */
export function linkSignals(...signals: readonly AbortSignal[]): { readonly signal: AbortSignal; release(): void } {
  const controller = new AbortController();
  const onAbort = (): void => controller.abort(signals.find(({ aborted }) => aborted)?.reason);
  for (const signal of signals) signal.addEventListener("abort", onAbort);
  if (signals.some(({ aborted }) => aborted)) onAbort();
  return {
    signal: controller.signal,
    release() {
      for (const signal of signals) signal.removeEventListener("abort", onAbort);
    },
  };
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

/**
 * What a request needs of an AbortSignal, which every AbortSignal is. Where each of many thousand requests has its own and hardly
 * any is cancelled, this one does the same in less time.
 */
export interface CancelSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
  /** The listener is called at most once, and not for what has happened already. */
  addEventListener(type: "abort", listener: () => void, options?: { readonly once?: boolean }): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

export interface CancelController<Signal = CancelSignal> {
  readonly signal: Signal;
  /** The first reason is kept. */
  abort(reason: unknown): void;
}

export const createCancelController = (): CancelController => new CancelSource();

// A class, since each of many requests has one, and with plain members: an object with a getter stays until a full collection (decision 0031).
class CancelSource implements CancelController, CancelSignal {
  aborted = false;
  reason: unknown = undefined;
  readonly signal: CancelSignal = this;
  /** Nearly all have one or two listeners; a list for them would take more room than the rest. */
  private first: (() => void) | undefined;
  private second: (() => void) | undefined;
  private more: (() => void)[] | undefined;

  addEventListener(_type: "abort", listener: () => void): void {
    if (this.more) this.more.push(listener);
    else if (!this.first && !this.second) this.first = listener;
    else if (!this.second) this.second = listener;
    else this.more = [listener];
  }

  removeEventListener(_type: "abort", listener: () => void): void {
    if (this.first === listener) this.first = undefined;
    else if (this.second === listener) this.second = undefined;
    else this.removeFromMore(listener);
  }

  abort(reason: unknown): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    const told = [this.first, this.second, ...(this.more ?? [])];
    this.first = this.second = this.more = undefined;
    for (const tell of told) tell?.();
  }

  private removeFromMore(listener: () => void): void {
    const at = this.more?.indexOf(listener) ?? -1;
    if (at !== -1) this.more?.splice(at, 1);
  }
}
