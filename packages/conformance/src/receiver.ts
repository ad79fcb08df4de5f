// Reads what a subject sends, ahead of the scenario, and hands it out one by one. What is no message
// (noise, a cut-off line) arrives as a fault with words for the report. Holds a bounded amount: a
// subject that sends more than anybody asked for has to wait, as it would with any slow reader.

import type { Readable } from "node:stream";
import { startDeadline } from "@hawser/wire";
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

export function createReceiver(output: Readable, codec: Codec, maxMessageBytes?: number): Receiver {
  const decoder = codec.createDecoder(maxMessageBytes === undefined ? {} : { maxMessageBytes });
  const arrivals: Arrival[] = [];
  let unreadChars = 0;
  let hasEnded = false;
  let wake: (() => void) | undefined;

  function put(arrival: Arrival): void {
    arrivals.push(arrival);
    if (arrival.kind === "message") unreadChars += arrival.text.length;
    wake?.();
  }

  function onData(chunk: Buffer): void {
    for (const item of decoder.push(chunk)) {
      if (item.kind === "message") put({ kind: "message", value: item.value, text: item.text });
      else put({ kind: "fault", words: `bytes that are no message (${item.error.message}): ${excerptOfText(item.head)}` });
    }
    if (arrivals.length > maxUnreadMessages || unreadChars > maxUnreadChars) output.pause();
  }

  function onEnd(): void {
    if (hasEnded) return;
    // A line without its end is a message that was cut off, even if it happens to be whole.
    for (const item of decoder.end()) {
      const head = item.kind === "message" ? item.text : item.head;
      put({ kind: "fault", words: `a message that was cut off: ${excerptOfText(head)}`, isLast: true });
    }
    hasEnded = true;
    wake?.();
  }

  function take(): Arrival | undefined {
    const arrival = arrivals.shift();
    if (arrival?.kind === "message") unreadChars -= arrival.text.length;
    if (arrivals.length === 0 && output.isPaused()) output.resume();
    return arrival ?? (hasEnded ? { kind: "ended" } : undefined);
  }

  output.on("data", onData).once("end", onEnd).once("close", onEnd).on("error", onEnd);

  return {
    get unread() {
      return arrivals.length;
    },
    next(timeoutMs) {
      const arrival = take();
      if (arrival) return Promise.resolve(arrival);
      return new Promise((resolve) => {
        const deadline = startDeadline({ totalMs: timeoutMs, onExpire: () => finish({ kind: "silence" }) });
        function finish(result: Arrival): void {
          deadline.clear();
          wake = undefined;
          resolve(result);
        }
        wake = () => {
          const next = take();
          if (next) finish(next);
        };
      });
    },
  };
}
