// Reads what a subject sends, ahead of the scenario, and hands it out one by one. Anything but a message (noise, a cut-off line)
// arrives as a fault with words for the report. Holds a bounded amount: a subject that sends too much has to wait.

import type { Readable } from "node:stream";
import { createMailbox, startDeadline } from "@hawser/wire/internal";
import type { Codec } from "@hawser/wire/node";
import { excerptOfText } from "./excerpt.ts";

export type Arrival =
  | { readonly kind: "message"; readonly value: unknown; readonly text: string }
  /** Not a message. `isLast`: the output ended with it. */
  | { readonly kind: "fault"; readonly words: string; readonly isLast?: boolean }
  | { readonly kind: "ended" }
  | { readonly kind: "silence" };

export interface Receiver {
  /** What came next, or `silence` when nothing did. After `ended` there is only `ended`. */
  next(timeoutMs: number): Promise<Arrival>;
  readonly unread: number;
}

const maxUnreadMessages = 10_000;
const maxUnreadChars = 16_777_216;

export interface ReceiverOptions {
  readonly maxMessageBytes?: number | undefined;
  /** Sees each message as it comes, before any step does. */
  readonly onMessage?: ((value: unknown) => void) | undefined;
}

export function createReceiver(output: Readable, codec: Codec, { maxMessageBytes, onMessage }: ReceiverOptions = {}): Receiver {
  const decoder = codec.createDecoder(maxMessageBytes === undefined ? {} : { maxMessageBytes });
  const mailbox = createMailbox<Arrival>({
    maxItems: maxUnreadMessages,
    maxWeight: maxUnreadChars,
    weigh: (arrival) => (arrival.kind === "message" ? arrival.text.length : 0),
    onCaughtUp: () => void (output.isPaused() && output.resume()),
  });
  const arrivals = mailbox.items[Symbol.asyncIterator]();
  let hasEnded = false;
  /** A read that has outlived its `next`; the following `next` takes what comes. */
  let reading: Promise<IteratorResult<Arrival>> | undefined;

  function put(arrival: Arrival): void {
    receiver.unread++;
    mailbox.put([arrival]);
  }

  function onData(chunk: Buffer): void {
    for (const item of decoder.push(chunk)) {
      if (item.kind === "message") {
        onMessage?.(item.value);
        put({ kind: "message", value: item.value, text: item.text });
      } else put({ kind: "fault", words: `bytes that aren't a message (${item.error.message}): ${excerptOfText(item.head)}` });
    }
    if (mailbox.isFull) output.pause();
  }

  function onEnd(): void {
    if (hasEnded) return;
    hasEnded = true;
    // A line without its end was cut off, even if it happens to be whole JSON.
    for (const item of decoder.end()) {
      const head = item.kind === "message" ? item.text : item.head;
      put({ kind: "fault", words: `a message that was cut off: ${excerptOfText(head)}`, isLast: true });
    }
    mailbox.end();
  }

  output.on("data", onData).once("end", onEnd).once("close", onEnd).on("error", onEnd);

  const receiver = {
    unread: 0,
    async next(timeoutMs: number): Promise<Arrival> {
      reading ??= arrivals.next();
      const read = await (receiver.unread > 0 ? reading : within(reading, timeoutMs));
      if (read === undefined) return { kind: "silence" };
      reading = undefined;
      if (read.done === true) return { kind: "ended" };
      receiver.unread--;
      return read.value;
    },
  };
  return receiver;
}

/** The value of `promise`, or undefined when it takes longer. A value that is there by the time we look counts, even if late. */
export function within<Value>(promise: Promise<Value>, ms: number): Promise<Value | undefined> {
  return new Promise((resolve, reject) => {
    const deadline = startDeadline({ totalMs: ms, onExpire: () => resolve(undefined) });
    void promise.then(resolve, reject).finally(() => deadline.clear());
  });
}
