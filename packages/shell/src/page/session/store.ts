// Holds the state and tells the components that draw it. Events may come two hundred times a second: they are taken in
// together, once per frame, so that drawing keeps up. What the user does is taken in at once.

import { initialState, type PageEvent, type PageState } from "../state/page-state.ts";
import { reduce } from "../state/reduce.ts";

/** Calls back once, soon. */
export type Schedule = (flush: () => void) => void;

export type Store = ReturnType<typeof createStore>;

export function createStore(schedule: Schedule) {
  let state = initialState;
  let queued: PageEvent[] = [];
  let isScheduled = false;
  const listeners = new Set<() => void>();

  function flush(): void {
    isScheduled = false;
    const events = queued;
    queued = [];
    const before = state;
    state = events.reduce(reduce, state);
    if (state !== before) for (const listener of [...listeners]) listener();
  }

  return {
    getState: (): PageState => state,
    /** Returns how to stop listening. */
    subscribe(listener: () => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    /** Taken in with the next frame. */
    queue(event: PageEvent): void {
      queued.push(event);
      if (!isScheduled) schedule(flush);
      isScheduled = true;
    },
    /** Taken in now, after what is queued. */
    dispatch(event: PageEvent): void {
      queued.push(event);
      flush();
    },
  };
}

// A hidden tab draws no frames, but what it holds must not pile up.
const hiddenMs = 200;

/** With the next frame, or soon when there are none. */
export function scheduleByFrame(flush: () => void): void {
  let isDone = false;
  const once = (): void => {
    if (isDone) return;
    isDone = true;
    cancelAnimationFrame(frame);
    clearTimeout(timer);
    flush();
  };
  const timer = setTimeout(once, hiddenMs);
  const frame = requestAnimationFrame(once);
}
