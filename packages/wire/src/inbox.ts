// The queue between a medium and the reader of `incoming`. The producer is told when the reader
// falls behind (`isFull`) and when it has caught up (`onCaughtUp`), so that nothing piles up:
// neither many messages nor a few heavy ones, and what was read is let go.

import { weighJsonText } from "./codec/json-text.ts";
import { HawserError } from "./errors.ts";
import { limits } from "./limits.ts";
import type { Incoming } from "./transport.ts";

export interface Inbox {
  readonly messages: AsyncIterable<Incoming>;
  readonly isFull: boolean;
  /** What is unread, as `maxUnreadChars` counts it. */
  readonly unreadChars: number;
  put(items: readonly Incoming[]): void;
  /** No more will come; what is queued is still delivered. */
  end(): void;
}

// The places of read items are given up once they are this many and the larger part.
const dropFrom = 256;

const done: IteratorReturnResult<undefined> = { done: true, value: undefined };

export function createInbox(onCaughtUp: () => void = () => {}, maxUnreadChars: number = limits.maxUnreadChars): Inbox {
  let items: (Waiting | undefined)[] = [];
  let next = 0;
  let ended = false;
  let wake: ((result: IteratorResult<Incoming>) => void) | undefined;

  function take(): Incoming | undefined {
    const waiting = items[next];
    if (waiting === undefined) return undefined;
    items[next] = undefined;
    next += 1;
    countUnread(-waiting.chars);
    if (next === items.length) {
      items = [];
      next = 0;
      onCaughtUp();
    } else if (next >= dropFrom && next * 2 > items.length) {
      items = items.slice(next);
      next = 0;
    }
    return waiting.item;
  }

  function countUnread(change: number): void {
    inbox.unreadChars += change;
    inbox.isFull = items.length - next > limits.maxUnreadMessages || inbox.unreadChars > maxUnreadChars;
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
      countUnread(-inbox.unreadChars);
      end();
      onCaughtUp();
      return Promise.resolve(done);
    },
  };

  // Plain members: an object with a getter stays until a full collection (decision 0031).
  const inbox = {
    messages: { [Symbol.asyncIterator]: () => iterator },
    isFull: false,
    unreadChars: 0,
    put(more: readonly Incoming[]) {
      if (ended) return;
      for (const item of more) {
        // Whoever waits gets it at once; only what has to wait is worth weighing.
        if (wake) {
          wake({ done: false, value: item });
          wake = undefined;
          continue;
        }
        const chars = weigh(item);
        items.push({ item, chars });
        countUnread(chars);
      }
    },
    end,
  };
  return inbox;
}

interface Waiting {
  readonly item: Incoming;
  readonly chars: number;
}

const weigh = (item: Incoming): number => (item.kind === "message" ? weighJsonText(item.text) : item.head.length);
