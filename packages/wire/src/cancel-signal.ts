// What a request needs of an AbortSignal: whether and why it is over, and whom to tell. Every AbortSignal
// is one. A real one takes a while to make and to listen to; where each of many thousand requests has its
// own and hardly any is cancelled, this one does the same in less time.

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

export function createCancelController(): CancelController {
  let listeners: (() => void)[] = [];
  // Plain members: an object with a getter stays until a full collection (decision 0031).
  const signal = {
    aborted: false,
    reason: undefined as unknown,
    addEventListener(_type: "abort", listener: () => void) {
      listeners.push(listener);
    },
    removeEventListener(_type: "abort", listener: () => void) {
      listeners = listeners.filter((other) => other !== listener);
    },
  };
  return {
    signal,
    abort(reason) {
      if (signal.aborted) return;
      signal.aborted = true;
      signal.reason = reason;
      const told = listeners;
      listeners = [];
      for (const tell of told) tell();
    },
  };
}
