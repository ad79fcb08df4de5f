// The way out: one message after the other, so that a slow host holds the next one back and no more than
// one is in the transport's hands. Every message gets its time here. What can't be sent as it is becomes
// an error of the same request, and where even its id is too long, a line in the log.

import { errorTable, toHawserError, withIdSource, type Transport } from "@hawser/wire";
import { logLine } from "@hawser/wire/node";
import type { TurnEvent } from "./replay.ts";

export interface Outbox {
  /** Resolves when the host can take more, or is gone. Never rejects. */
  put(idSource: string | undefined, event: TurnEvent): Promise<void>;
  /** Messages that wait for the host. */
  readonly waiting: number;
  /** Resolves when everything put up to now is sent. */
  whenCaughtUp(): Promise<void>;
  /** Resolves when nothing waits any more. */
  whenSent(): Promise<void>;
}

export function createOutbox(transport: Transport): Outbox {
  let last: Promise<void> = Promise.resolve();
  let waiting = 0;

  function send(idSource: string | undefined, event: TurnEvent): Promise<void> {
    return transport.send(withIdSource(idSource, { ...event, timestamp: Date.now() }));
  }

  function replace(idSource: string | undefined, thrown: unknown): Promise<void> {
    const { code, message } = toHawserError(thrown);
    if (code !== "too_large" && code !== "too_deep") return Promise.resolve(); // the host is gone, and `closed` has said so
    return send(idSource, { type: "error", error: `${errorTable[code].agentText}: ${message}`, code }).catch(() =>
      logLine(`[hawser] agent: an answer can't be sent: ${message}`),
    );
  }

  // One promise per message, since every token comes this way.
  async function deliver(before: Promise<void> | undefined, idSource: string | undefined, event: TurnEvent): Promise<void> {
    if (before) await before;
    try {
      await send(idSource, event);
    } catch (error) {
      await replace(idSource, error);
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
