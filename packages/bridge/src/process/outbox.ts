// Messages on their way to the client, written one after the other and only as fast as it reads: each
// is turned into bytes when its turn has come, so that a client that stalls costs little memory.

import type { Transport } from "@hawser/wire";

export interface Outbox {
  readonly unsent: number;
  /** False when so much waits that the client can't be reading. */
  readonly isRead: boolean;
  /** Resolves when the message was accepted, in the order of the calls. */
  send(message: unknown): Promise<void>;
  whenRoom(): Promise<void>;
}

// One that is being written and one behind it.
const roomyUnsent = 2;
// Many come in one piece and wait for a moment, though the client reads; each is short.
const maxUnsentOfReader = 1_000;

export function createOutbox(transport: Transport): Outbox {
  let unsent = 0;
  let last: Promise<void> = Promise.resolve();
  let waiting: (() => void)[] = [];

  function noteSent(): void {
    unsent--;
    if (unsent > roomyUnsent) return;
    const wake = waiting;
    waiting = [];
    for (const resolve of wake) resolve();
  }

  return {
    get unsent() {
      return unsent;
    },
    get isRead() {
      return unsent <= maxUnsentOfReader;
    },
    send(message) {
      unsent++;
      const sent = last.then(() => transport.send(message)).finally(noteSent);
      last = sent.catch(() => {});
      return sent;
    },
    whenRoom() {
      if (unsent <= roomyUnsent) return Promise.resolve();
      return new Promise((resolve) => waiting.push(resolve));
    },
  };
}
