// The way out: one message after the other, so that a slow host holds the next one back and no more than
// one is in the transport's hands. The messages of one request keep their order; between requests, what
// somebody waits for (an end, a status, a question) goes before long answers, and those take turns. After so many
// messages the process looks at what has come in: models that wait for nothing would keep it from that until their
// last word. Every message gets its time here. Whoever sends what can't be sent is told, so that its request ends
// once; where even the id of an end is too long, a line in the log is left.

import { setImmediate as nextLoop } from "node:timers/promises";
import { limits, toHawserError, withIdSource, type HawserError, type ErrorCode, type Transport } from "@hawser/wire";
import { logLine } from "@hawser/wire/node";
import { toErrorMembers } from "./error-members.ts";
import type { TurnEvent } from "./replay.ts";

export interface Outbox {
  /**
   * Resolves when the host can take more, or is gone; with an error when the event can't be sent as it is.
   * An end that can't is sent as an error instead: there is no other way left to say so. Never rejects.
   */
  put(idSource: string | undefined, event: TurnEvent): Promise<HawserError | undefined>;
  /** Messages that wait for the host. */
  readonly waiting: number;
  /** Resolves when one of them is sent. */
  whenFewer(): Promise<void>;
  /** Resolves when nothing waits any more. */
  whenSent(): Promise<void>;
}

interface Item {
  readonly idSource: string | undefined;
  readonly event: TurnEvent;
  sent(outcome: HawserError | undefined): void;
}

const ends: ReadonlySet<string> = new Set(["done", "error", "status"]);
const urgent: ReadonlySet<string> = new Set([...ends, "permission_request"]);
const unsendable: ReadonlySet<ErrorCode> = new Set(["too_large", "too_deep", "not_serializable"]);

// However many ask for the status, answers go on.
const urgentInARow = 16;

export function createOutbox(transport: Transport): Outbox {
  /** What waits behind the one that is being sent, by its request; the one whose turn it is comes first. */
  const queues = new Map<string | undefined, Item[]>();
  let [waiting, sentUrgent, sentInSlice] = [0, 0, 0];
  /** For those who wait until one more is sent. */
  let nextSent: PromiseWithResolvers<void> | undefined;

  function send({ idSource, event }: Pick<Item, "idSource" | "event">): Promise<void> {
    return transport.send(withIdSource(idSource, event["timestamp"] === undefined ? { ...event, timestamp: Date.now() } : event));
  }

  async function onUnsent({ idSource, event }: Item, thrown: unknown): Promise<HawserError | undefined> {
    const error = toHawserError(thrown);
    if (!unsendable.has(error.code)) return undefined; // the host is gone, and `closed` has said so
    if (ends.has(event.type))
      await send({ idSource, event: { type: "error", ...toErrorMembers(error) } }).catch(() =>
        logLine(`[hawser] agent: an answer can't be sent: ${error.message}`),
      );
    return error;
  }

  function enqueue(item: Item): void {
    const queue = queues.get(item.idSource);
    if (queue) queue.push(item);
    else queues.set(item.idSource, [item]);
  }

  /** Takes the next one out: of those that wait, what is urgent first, else the oldest of the request whose turn it is. */
  function takeNext(): Item | undefined {
    if (queues.size === 0) return undefined;
    const hurried = sentUrgent < urgentInARow && queues.size > 1 ? firstUrgent() : undefined;
    sentUrgent = hurried ? sentUrgent + 1 : 0;
    const [first] = queues.values();
    const queue = hurried ?? (first as Item[]);
    const item = queue.shift() as Item;
    queues.delete(item.idSource);
    // Behind the others.
    if (queue.length > 0) queues.set(item.idSource, queue);
    return item;
  }

  function firstUrgent(): Item[] | undefined {
    for (const queue of queues.values()) if (queue[0] && urgent.has(queue[0].event.type)) return queue;
    return undefined;
  }

  /** Sends this one and then whatever waits; only one of these runs at a time. */
  async function sendFrom(first: Item): Promise<void> {
    for (let item: Item | undefined = first; item; item = takeNext()) {
      let outcome: HawserError | undefined;
      try {
        await send(item);
      } catch (error) {
        outcome = await onUnsent(item, error);
      }
      if (++sentInSlice >= limits.agentSliceMessages) await endSlice();
      waiting--;
      item.sent(outcome);
      nextSent?.resolve();
      nextSent = undefined;
    }
  }

  async function endSlice(): Promise<void> {
    sentInSlice = 0;
    await nextLoop();
  }

  async function whenFewer(): Promise<void> {
    if (waiting > 0) await (nextSent ??= Promise.withResolvers()).promise;
  }

  return {
    put(idSource, event) {
      return new Promise((sent) => {
        const item = { idSource, event, sent };
        // A lone stream finds nothing before it, token after token.
        if (waiting++ === 0) void sendFrom(item);
        else enqueue(item);
      });
    },
    get waiting() {
      return waiting;
    },
    whenFewer,
    async whenSent() {
      while (waiting > 0) await whenFewer();
    },
  };
}
