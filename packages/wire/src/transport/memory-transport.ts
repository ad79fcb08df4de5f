// Two transports that are each other's peer, without a process between them. Messages pass
// through JSON text, so that what a test or a page sends is exactly what a pipe would deliver.

import { readMessage, toJsonText } from "../codec/json-text.ts";
import { HawserError, tooLarge } from "@hawser/protocol/internal";
import { wireLimits } from "../limits.ts";
import { createIncomingMailbox, type Transport } from "./transport.ts";

/** A connected pair. Backpressure: `send` waits while the other end has more unread than the limit. */
export function createMemoryPair(): [Transport, Transport] {
  const left = createEnd();
  const right = createEnd();
  return [connect(left, right), connect(right, left)];
}

type End = ReturnType<typeof createEnd>;

function createEnd() {
  const waiters: (() => void)[] = [];
  function wakeAll(): void {
    for (const resolve of waiters.splice(0)) resolve();
  }
  const inbox = createIncomingMailbox(wakeAll);
  const { promise: closed, resolve: settle } = Promise.withResolvers<HawserError | undefined>();
  const end = {
    inbox,
    position: 0,
    closed,
    isClosed: false,
    /** Resolves when the reader of this end has caught up. */
    whenRead: () => new Promise<void>((resolve) => waiters.push(resolve)),
    close(reason: HawserError | undefined): void {
      if (end.isClosed) return;
      end.isClosed = true;
      inbox.end();
      wakeAll();
      settle(reason);
    },
  };
  return end;
}

function connect(mine: End, theirs: End): Transport {
  return {
    incoming: mine.inbox.items,
    closed: mine.closed,
    async send(message) {
      if (mine.isClosed || theirs.isClosed) throw new HawserError("closed", "the connection is closed; open a new one");
      const text = toJsonText(message);
      const bytes = utf8Bytes(text);
      if (bytes > wireLimits.maxMessageBytes) throw tooLarge("message", bytes, wireLimits.maxMessageBytes);
      theirs.inbox.put([readMessage(text, ++theirs.position)]);
      if (theirs.inbox.isFull) await theirs.whenRead();
      // Two busy ends would otherwise keep each other going without a turn for timers and input.
      else if (theirs.position % wireLimits.maxUnreadMessages === 0) await turn();
    },
    close(reason) {
      mine.close(reason);
      theirs.close(reason && new HawserError("connection_lost", "the peer closed the connection", { cause: reason }));
      return Promise.resolve();
    },
  };
}

const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

// No string is more than three bytes per unit, so that most need no counting.
const utf8Bytes = (text: string): number =>
  text.length * 3 <= wireLimits.maxMessageBytes ? text.length : new TextEncoder().encode(text).length;
