// The queue between a medium and the reader of `incoming`. The producer is told when the reader
// falls behind (`isFull`) and when it has caught up (`onCaughtUp`), so that nothing piles up:
// neither many messages nor a few large ones, and what was read is let go.

import { HawserError } from "./errors.ts";
import { limits } from "./limits.ts";
import type { Incoming } from "./transport.ts";

export interface Inbox {
  readonly messages: AsyncIterable<Incoming>;
  readonly isFull: boolean;
  put(items: readonly Incoming[]): void;
  /** No more will come; what is queued is still delivered. */
  end(): void;
}

// The places of read items are given up once they are this many and the larger part.
const dropFrom = 256;

const done: IteratorReturnResult<undefined> = { done: true, value: undefined };

export function createInbox(onCaughtUp: () => void = () => {}, maxUnread: number = limits.maxUnreadMessages): Inbox {
  let items: (Incoming | undefined)[] = [];
  let next = 0;
  let unreadChars = 0;
  let ended = false;
  let wake: ((result: IteratorResult<Incoming>) => void) | undefined;

  function take(): Incoming | undefined {
    const item = items[next];
    if (item === undefined) return undefined;
    items[next] = undefined;
    next += 1;
    unreadChars -= charsOf(item);
    if (next === items.length) {
      items = [];
      next = 0;
      onCaughtUp();
    } else if (next >= dropFrom && next * 2 > items.length) {
      items = items.slice(next);
      next = 0;
    }
    return item;
  }

  function end(): void {
    ended = true;
    wake?.(done);
    wake = undefined;
  }

  const iterator: AsyncIterator<Incoming> = {
    next() {
      const item = take();
      if (item) return Promise.resolve({ done: false, value: item });
      if (ended) return Promise.resolve(done);
      if (wake) return Promise.reject(new HawserError("usage", "`incoming` has one reader; the previous read is still waiting"));
      return new Promise((resolve) => {
        wake = resolve;
      });
    },
    return() {
      items = [];
      next = 0;
      unreadChars = 0;
      end();
      onCaughtUp();
      return Promise.resolve(done);
    },
  };

  return {
    messages: { [Symbol.asyncIterator]: () => iterator },
    get isFull() {
      return items.length - next > maxUnread || unreadChars > limits.maxUnreadChars;
    },
    put(more) {
      if (ended || more.length === 0) return;
      if (items.length === 0) items = [...more];
      else for (const item of more) items.push(item);
      for (const item of more) unreadChars += charsOf(item);
      if (wake) {
        const resolve = wake;
        wake = undefined;
        const item = take();
        if (item) resolve({ done: false, value: item });
      }
    },
    end,
  };
}

const charsOf = (item: Incoming): number => (item.kind === "message" ? item.text.length : item.head.length);
