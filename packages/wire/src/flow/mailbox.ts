// Items on their way to a reader: each once, in order, then the end or an error. The producer is told when the reader falls behind
// (`isFull`) and when it has caught up (`onCaughtUp`), so that nothing piles up: neither many items nor a few heavy ones.

import { HawserError } from "@hawser/protocol";

export interface MailboxOptions<Item> {
  /** More unread items than this, or a larger weight: `isFull`. */
  readonly maxItems?: number | undefined;
  readonly maxWeight?: number | undefined;
  /** What an item weighs while it waits: 1 unless given. */
  weigh?(item: Item): number;
  /** Reads that may wait at the same time: 1 unless given. A second one is refused, since two loops would share the items. */
  readonly maxReads?: number | undefined;
  /** Nothing is unread any more. */
  onCaughtUp?(): void;
  /** An item was read that had to wait. */
  onRead?(): void;
  /** The reader stopped before the end: `break`, `return`, an error of its own. */
  onReturn?(): void;
}

export interface MailboxItems<Item> extends AsyncIterable<Item> {
  /**
   * What is unread, and then each item in the moment in which it comes, is received without a promise. While a promise that
   * `receive` returned is pending, what comes waits. Resolves at the end; rejects with the error, or with what `receive` throws.
   */
  receiveEach(receive: (item: Item) => Promise<void> | undefined): Promise<void>;
}

/** A read that waits. */
interface Read<Item> {
  /** How many of them it took. */
  give(items: readonly Item[]): number;
  end(error: HawserError | undefined): void;
}

export interface Mailbox<Item> {
  readonly items: MailboxItems<Item>;
  readonly isFull: boolean;
  readonly unread: number;
  readonly unreadWeight: number;
  /** How many of them went to reads that waited. */
  put(items: readonly Item[]): number;
  /** No more will come; what is unread is still delivered. */
  end(): void;
  /** The same, and then the error, once. What is unread can be dropped. */
  fail(error: HawserError, dropsUnread?: boolean): void;
}

// The places of read items are given up once they are this many and the larger part.
const dropFrom = 256;

const done: IteratorReturnResult<undefined> = { done: true, value: undefined };

export function createMailbox<Item extends object>(options: MailboxOptions<Item> = {}): Mailbox<Item> {
  const { maxItems = Infinity, maxWeight = Infinity, maxReads = 1 } = options;
  let waiting: ({ readonly item: Item; readonly weight: number } | undefined)[] = [];
  let next = 0;
  let isEnded = false;
  let failure: HawserError | undefined;
  const reads: Read<Item>[] = [];

  function count(change: number): void {
    mailbox.unread = waiting.length - next;
    mailbox.unreadWeight += change;
    mailbox.isFull = mailbox.unread > maxItems || mailbox.unreadWeight > maxWeight;
  }

  /** `isEarlier`: than what came while those before them were given. */
  function keep(items: readonly Item[], isEarlier: boolean): void {
    const later = isEarlier ? waiting.splice(next) : [];
    for (const item of items) {
      const weight = options.weigh?.(item) ?? 1;
      waiting.push({ item, weight });
      count(weight);
    }
    for (const held of later) waiting.push(held);
    count(0);
  }

  function take(): Item | undefined {
    const first = waiting[next];
    if (first === undefined) return undefined;
    waiting[next] = undefined;
    next += 1;
    if (next === waiting.length || (next >= dropFrom && next * 2 > waiting.length)) {
      waiting = waiting.slice(next);
      next = 0;
    }
    count(-first.weight);
    options.onRead?.();
    if (mailbox.unread === 0) options.onCaughtUp?.();
    return first.item;
  }

  function dropUnread(): void {
    waiting = [];
    next = 0;
    count(-mailbox.unreadWeight);
  }

  /** Every read that waits is told; the error goes to the first of them only. */
  function settleReads(): void {
    for (const read of reads.splice(0)) {
      const error = failure;
      failure = undefined;
      read.end(error);
    }
  }

  function end(): void {
    isEnded = true;
    settleReads();
  }

  function addRead(read: Read<Item>): void {
    reads.push(read);
    if (isEnded) settleReads();
  }

  function readNext(): Promise<IteratorResult<Item>> {
    if (reads.length >= maxReads)
      return Promise.reject(new HawserError("usage", "there is one reader; its previous read is still waiting"));
    return new Promise((resolve, reject) => {
      addRead({
        give([value]) {
          resolve({ done: false, value: value as Item });
          return 1;
        },
        end: (error) => (error ? reject(error) : resolve(done)),
      });
    });
  }

  const receiveEach: MailboxItems<Item>["receiveEach"] = (receive) =>
    new Promise((resolve, reject) => {
      /** Whether the next one may follow. */
      function pass(item: Item): boolean {
        try {
          const held = receive(item);
          held?.then(goOn, reject);
          return held === undefined;
        } catch (error) {
          reject(error as Error);
          return false;
        }
      }
      const read: Read<Item> = {
        give(items) {
          for (let at = 0; at < items.length; at++) if (!pass(items[at] as Item)) return at + 1;
          goOn();
          return items.length;
        },
        end: (error) => (error ? reject(error) : resolve()),
      };
      function goOn(): void {
        for (let item = take(); item; item = take()) if (!pass(item)) return;
        addRead(read);
      }
      goOn();
    });

  const iterator: AsyncIterator<Item> = {
    next() {
      const item = take();
      return item ? Promise.resolve({ done: false, value: item }) : readNext();
    },
    return() {
      const isEarly = !isEnded;
      failure = undefined;
      dropUnread();
      end();
      options.onCaughtUp?.();
      if (isEarly) options.onReturn?.();
      return Promise.resolve(done);
    },
  };

  // Plain members: an object with a getter stays until a full collection (decision 0031).
  const mailbox = {
    items: { receiveEach, [Symbol.asyncIterator]: () => iterator },
    isFull: false,
    unread: 0,
    unreadWeight: 0,
    put(more: readonly Item[]) {
      if (isEnded) return 0;
      let given = 0;
      // A waiting read gets it at once; only what has to wait is weighed.
      for (let read = reads[0]; read && given < more.length; read = reads[0]) {
        reads.shift();
        given += read.give(given === 0 ? more : more.slice(given));
      }
      if (given < more.length) keep(given === 0 ? more : more.slice(given), given > 0);
      return given;
    },
    end,
    fail(error: HawserError, dropsUnread = false) {
      if (isEnded) return;
      failure = error;
      if (dropsUnread) dropUnread();
      end();
    },
  };
  return mailbox;
}
