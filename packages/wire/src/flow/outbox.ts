// The one way out: items leave one after another. Items of one lane keep their order; lanes take turns, and
// what is urgent goes first. What waits is weighed, so that its producers can stop until there is room.

import type { HawserError } from "@hawser/protocol";
import { toHawserError } from "@hawser/protocol";

/** What `send` may return for an item that was taken at once: the next one follows in the same moment. */
export const taken = Promise.resolve();

export interface OutboxOptions<Item> {
  /** Resolves when the peer took it, or its transport did. Rejects when it can't be sent, and does not throw. */
  send(item: Item): Promise<void>;
  /** What an item weighs while it waits: 1 unless given. */
  weigh?(item: Item): number;
  /** More than this waiting: `isFull`. */
  readonly maxUnsent: number;
  /** Items of the same lane keep their order; without it there is one lane. */
  laneOf?(item: Item): unknown;
  isUrgent?(item: Item): boolean;
  /**
   * Called with 0 before the first item of a burst, then with the number of items sent since its last promise. A promise
   * lets other work of the process have its turn first.
   */
  pause?(sent: number): Promise<unknown> | undefined;
}

/** Called once: with an error when the item could not be sent. Within `put` when it was taken at once. */
export type OnSent = (error: HawserError | undefined) => void;

export interface Outbox<Item> {
  /** The weight of what waits, the one that is being sent included. */
  readonly unsent: number;
  readonly isFull: boolean;
  put(item: Item, onSent?: OnSent): void;
  /** Resolves when it was sent, and is `taken` when it was at once; rejects with the reason when it can't be. */
  send(item: Item): Promise<void>;
  /** Resolves when no more than `maxUnsent` waits. */
  whenRoom(): Promise<void>;
  /** Resolves when nothing waits any more. */
  whenSent(): Promise<void>;
}

interface Waiting<Item> {
  readonly item: Item;
  readonly lane: unknown;
  readonly weight: number;
  readonly onSent: OnSent | undefined;
}

// However much is urgent, the rest goes on.
const urgentInARow = 16;

export function createOutbox<Item>(options: OutboxOptions<Item>): Outbox<Item> {
  const { laneOf, isUrgent, pause } = options;
  /** What waits behind the one that is being sent; the lane whose turn it is comes first. */
  const lanes = new Map<unknown, Waiting<Item>[]>();
  let isSending = false;
  let sentUrgent = 0;
  let sentSincePause = 0;
  let waiters: { readonly atMost: number; resolve(): void }[] = [];

  /** Of those that wait: what is urgent first, else the oldest of the lane whose turn it is. */
  function takeNext(): Waiting<Item> | undefined {
    if (lanes.size === 0) return undefined;
    const hurried = isUrgent && sentUrgent < urgentInARow && lanes.size > 1 ? firstUrgent(isUrgent) : undefined;
    sentUrgent = hurried ? sentUrgent + 1 : 0;
    const [first] = lanes.values();
    const lane = hurried ?? (first as Waiting<Item>[]);
    const next = lane.shift() as Waiting<Item>;
    if (lanes.size === 1 && lane.length > 0) return next;
    lanes.delete(next.lane);
    // Behind the others.
    if (lane.length > 0) lanes.set(next.lane, lane);
    return next;
  }

  function firstUrgent(isUrgentItem: (item: Item) => boolean): Waiting<Item>[] | undefined {
    for (const lane of lanes.values()) if (lane[0] && isUrgentItem(lane[0].item)) return lane;
    return undefined;
  }

  // Without a promise as long as each is taken at once.
  function sendFrom(first?: Waiting<Item>): void {
    for (let next = first ?? takeNext(); next; next = takeNext()) {
      const held = sendOne(next);
      if (held) return void held.then(() => sendFrom());
    }
    isSending = false;
  }

  function sendOne(next: Waiting<Item>): Promise<void> | undefined {
    const sent = options.send(next.item);
    if (sent === taken) return rest(next);
    return sent.then(
      () => rest(next),
      (thrown: unknown) => rest(next, toHawserError(thrown)),
    );
  }

  function rest(sent: Waiting<Item>, error?: HawserError): Promise<void> | undefined {
    const pausing = pause?.(++sentSincePause);
    if (pausing) {
      sentSincePause = 0;
      return pausing.then(() => noteSent(sent, error));
    }
    noteSent(sent, error);
    return undefined;
  }

  function noteSent({ weight, onSent }: Waiting<Item>, error: HawserError | undefined): void {
    outbox.unsent -= weight;
    outbox.isFull = outbox.unsent > options.maxUnsent;
    onSent?.(error);
    if (waiters.length === 0) return;
    const due = waiters.filter(({ atMost }) => outbox.unsent <= atMost);
    waiters = waiters.filter(({ atMost }) => outbox.unsent > atMost);
    for (const { resolve } of due) resolve();
  }

  const whenAtMost = (atMost: number): Promise<void> =>
    outbox.unsent <= atMost ? Promise.resolve() : new Promise((resolve) => waiters.push({ atMost, resolve }));

  function put(item: Item, onSent?: OnSent): void {
    const weight = options.weigh?.(item) ?? 1;
    const waiting: Waiting<Item> = { item, lane: laneOf?.(item), weight, onSent };
    outbox.unsent += weight;
    outbox.isFull = outbox.unsent > options.maxUnsent;
    if (!isSending) {
      isSending = true;
      const beginning = pause?.(0);
      // A lone stream finds nothing before it, item after item.
      return beginning ? void beginning.then(() => sendFrom(waiting)) : sendFrom(waiting);
    }
    const lane = lanes.get(waiting.lane);
    if (lane) lane.push(waiting);
    else lanes.set(waiting.lane, [waiting]);
  }

  const outbox = {
    unsent: 0,
    isFull: false,
    put,
    send(item: Item): Promise<void> {
      let isTaken = false;
      let onSent: OnSent = () => (isTaken = true);
      put(item, (error) => onSent(error));
      if (isTaken) return taken;
      return new Promise((resolve, reject) => (onSent = (error) => (error ? reject(error) : resolve())));
    },
    whenRoom: () => whenAtMost(options.maxUnsent),
    whenSent: () => whenAtMost(0),
  };
  return outbox;
}
