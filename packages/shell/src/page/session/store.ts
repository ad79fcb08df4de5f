// Holds the state and tells who draws it. Lines may come two hundred times a second: they are taken in
// together, once per frame, so that drawing keeps up. What the user does is taken in at once.

import type { PageEvent } from "../state/page-event.ts";
import type { PageState } from "../state/page-state.ts";
import { initialState } from "../state/page-state.ts";
import { reduce } from "../state/reduce.ts";

export interface Store {
  getState(): PageState;
  /** Returns how to stop listening. */
  subscribe(listener: () => void): () => void;
  /** Taken in with the next frame. */
  queue(event: PageEvent): void;
  /** Taken in now, after what is queued. */
  dispatch(event: PageEvent): void;
  /** Takes in what is queued: for who has heard from the client, which does not wait for frames. */
  flush(): void;
}

/** Calls back once, soon. */
export type Schedule = (flush: () => void) => void;

export function createStore(schedule: Schedule): Store {
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
    getState: () => state,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    queue(event) {
      queued.push(event);
      if (!isScheduled) schedule(flush);
      isScheduled = true;
    },
    dispatch(event) {
      queued.push(event);
      flush();
    },
    flush,
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
