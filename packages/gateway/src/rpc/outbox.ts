// The one way of an rpc server to its host: answers leave one after another, in the order in which
// they were put in. Nobody waits for an answer to leave; but whoever would cause more of them asks
// first whether the host keeps up, so that what it does not read stays within one limit.

import { setImmediate as endOfTurn } from "node:timers/promises";
import { JsonText, limits, type Transport } from "@hawser/wire";

export interface Outbox {
  /** `onSent` is called once the transport took it, or never can. */
  put(text: string, onSent?: () => void): void;
  /** More is waiting than a busy host needs: give the output a turn before reading on. */
  readonly isBehind: boolean;
  /** The host does not keep up: read nothing and start nothing until `whenRoom`. */
  readonly isFull: boolean;
  whenRoom(): Promise<void>;
  /** Resolves when everything so far was taken by the transport, or can never be. */
  whenSent(): Promise<void>;
}

// A few full pipes. What lies beyond only makes memory grow where input comes faster than output goes.
const behindFromBytes = 262_144;

export function createOutbox(transport: Transport, maxUnsentBytes: number = limits.rpcUnsentBytes): Outbox {
  let unsent: { readonly text: string; readonly bytes: number; readonly onSent: (() => void) | undefined }[] = [];
  let unsentBytes = 0;
  let sending: Promise<void> | undefined;
  let room: PromiseWithResolvers<void> | undefined;
  let isGone = false;

  async function sendAll(): Promise<void> {
    // Answers of one turn leave in one piece: a write costs as much as all the rest of an answer.
    await endOfTurn();
    try {
      while (unsent.length > 0) {
        const answers = unsent;
        unsent = [];
        for (const { text, bytes, onSent } of answers) {
          await transport.send(new JsonText(text));
          unsentBytes -= bytes;
          onSent?.();
          if (room && unsentBytes <= maxUnsentBytes) wake();
        }
      }
    } catch {
      // The host is gone, and `transport.closed` says so: whatever is still to come has no reader.
      isGone = true;
      unsent = [];
      unsentBytes = 0;
      wake();
    }
    sending = undefined;
  }

  function wake(): void {
    room?.resolve();
    room = undefined;
  }

  return {
    put(text, onSent) {
      if (isGone) return onSent?.();
      const bytes = Buffer.byteLength(text);
      unsent.push({ text, bytes, onSent });
      unsentBytes += bytes;
      sending ??= sendAll();
    },
    get isBehind() {
      return unsentBytes > behindFromBytes;
    },
    get isFull() {
      return unsentBytes > maxUnsentBytes;
    },
    whenRoom: () => (unsentBytes > maxUnsentBytes ? (room ??= Promise.withResolvers<void>()).promise : Promise.resolve()),
    async whenSent() {
      while (sending) await sending;
    },
  };
}
