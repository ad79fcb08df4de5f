// A transport moves whole messages between two ends, over any medium and with any framing. It has three verbs:
//   incoming  every message once, in order; ends when the peer will send no more
//   send      resolves when the message was accepted; waiting for it is backpressure
//   close     releases everything; idempotent, and the first reason is kept
// A peer that only closed its writing half still gets its answers. When nothing can be sent any more, `closed` resolves.

import type { HawserError } from "@hawser/protocol";
import { weighJsonText } from "../codec/json-text.ts";
import { createMailbox, type Mailbox, type MailboxItems } from "../flow/mailbox.ts";
import { wireLimits } from "../limits.ts";

/** One message as it arrived. `text` is its JSON source; drop it early, it may share a larger buffer. */
export interface Received {
  readonly kind: "message";
  readonly value: unknown;
  readonly text: string;
  /** 1 for the first line or frame; blank lines count. */
  readonly position: number;
  /** What it takes while it is held, for one that is not short (see `weightOf`). */
  readonly weight?: number;
}

/** A message that was not let in. The stream goes on unless `fatal`. */
export interface Refused {
  readonly kind: "refused";
  readonly error: HawserError;
  /** The first bytes of it, in which a leading id may be found. */
  readonly head: string;
  readonly position: number;
  readonly fatal: boolean;
}

export type Incoming = Received | Refused;

/** With `receiveEach` what comes is read without a promise for each. */
export type IncomingItems = AsyncIterable<Incoming> & Partial<MailboxItems<Incoming>>;

export interface Transport {
  readonly incoming: IncomingItems;
  send(message: unknown): Promise<void>;
  close(reason?: HawserError): Promise<void>;
  /** Resolves once, with the first reason, or undefined after an orderly end. */
  readonly closed: Promise<HawserError | undefined>;
}

/**
 * As `for await`, but a message is received in the moment in which its bytes come, and nothing of it is held while more is
 * waited for. A promise that `receive` returns holds the reading back.
 */
export async function readEach(incoming: IncomingItems, receive: (item: Incoming) => Promise<void> | undefined): Promise<void> {
  if (incoming.receiveEach) return incoming.receiveEach(receive);
  const items = incoming[Symbol.asyncIterator]();
  async function readOne(): Promise<boolean> {
    const { value, done } = await items.next();
    if (!done) await receive(value);
    return !done;
  }
  while (await readOne());
}

/** What a message takes while it is held: its characters, and `memberChars` for all that it holds. */
export const weightOf = (item: Incoming): number =>
  item.kind === "message" ? (item.weight ?? weighJsonText(item.text)) : item.head.length;

/** What was decoded and is not read yet, bounded in messages and in what they weigh. */
export const createIncomingMailbox = (onCaughtUp?: () => void, maxUnreadChars: number = wireLimits.maxUnreadChars): Mailbox<Incoming> =>
  createMailbox({
    maxItems: wireLimits.maxUnreadMessages,
    maxWeight: maxUnreadChars,
    weigh: weightOf,
    ...(onCaughtUp && { onCaughtUp }),
  });
