// The way out: one message after the other, so that a slow host holds the next one back and no more than
// one is in the transport's hands. Every message gets its time here. Whoever sends what can't be sent is
// told, so that its request ends once; where even the id of an end is too long, a line in the log is left.

import { toHawserError, withIdSource, type HawserError, type ErrorCode, type Transport } from "@hawser/wire";
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
  /** Resolves when everything put up to now is sent. */
  whenCaughtUp(): Promise<unknown>;
  /** Resolves when nothing waits any more. */
  whenSent(): Promise<void>;
}

const ends: ReadonlySet<string> = new Set(["done", "error", "status"]);
const unsendable: ReadonlySet<ErrorCode> = new Set(["too_large", "too_deep", "not_serializable"]);

export function createOutbox(transport: Transport): Outbox {
  let last: Promise<HawserError | undefined> = Promise.resolve(undefined);
  let waiting = 0;

  function send(idSource: string | undefined, event: TurnEvent): Promise<void> {
    return transport.send(withIdSource(idSource, { ...event, timestamp: event["timestamp"] ?? Date.now() }));
  }

  async function onUnsent(idSource: string | undefined, event: TurnEvent, thrown: unknown): Promise<HawserError | undefined> {
    const error = toHawserError(thrown);
    if (!unsendable.has(error.code)) return undefined; // the host is gone, and `closed` has said so
    if (ends.has(event.type))
      await send(idSource, { type: "error", ...toErrorMembers(error) }).catch(() =>
        logLine(`[hawser] agent: an answer can't be sent: ${error.message}`),
      );
    return error;
  }

  // One promise per message, since every token comes this way.
  async function deliver(
    before: Promise<unknown> | undefined,
    idSource: string | undefined,
    event: TurnEvent,
  ): Promise<HawserError | undefined> {
    if (before) await before;
    try {
      await send(idSource, event);
      return undefined;
    } catch (error) {
      return await onUnsent(idSource, event, error);
    } finally {
      waiting--;
    }
  }

  return {
    put(idSource, event) {
      const before = waiting > 0 ? last : undefined;
      waiting++;
      last = deliver(before, idSource, event);
      return last;
    },
    get waiting() {
      return waiting;
    },
    whenCaughtUp: () => last,
    async whenSent() {
      const before = last;
      await before;
      if (before !== last) await this.whenSent();
    },
  };
}
