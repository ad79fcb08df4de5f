// The reading half of a stream transport. It pauses only while more is unread than the limits allow, or a budget that it shares is
// used up; that is how backpressure reaches the peer. A frame that falls silent in its middle is reported.

import { startDeadline, type Deadline } from "../flow/deadline.ts";
import type { HawserError } from "@hawser/protocol";
import type { StreamTransportOptions } from "./stream-transport.ts";
import { createIncomingMailbox, weightOf, type Incoming } from "./transport.ts";

interface ReaderEvents {
  onChunk(): void;
  onEnd(): void;
  /** A frame has begun and nothing more came for too long. */
  onSilence(error: HawserError): void;
}

// The others weigh little, even one for each connection.
const isHeavy = (item: Incoming): boolean => item.kind === "message" && item.weight !== undefined;

export function createStreamReader(options: StreamTransportOptions, events: ReaderEvents) {
  const { readable, tap, frameDeadlineMs } = options;
  const decoder = options.codec.createDecoder(options);
  const inbox = createIncomingMailbox(onCaughtUp, options.maxUnreadChars);
  const share = options.budget?.openShare(resume);
  let frameDeadline: Deadline | undefined;
  let isStopped = false;
  let givenWeight = 0;

  // Nothing more comes for a frame that is unfinished when we stop.
  const heldBytes = (): number => inbox.unreadWeight + givenWeight + (isStopped ? 0 : (decoder.unfinishedBytes ?? 0));

  function onData(chunk: Buffer): void {
    events.onChunk();
    // Before it is parsed: many frames may come to their ends in the same moment, and a parsed one is heavier than its bytes.
    if (share?.mayGrow() === false) {
      readable.pause().unshift(chunk);
      return watchFrame();
    }
    const items = decoder.push(chunk);
    if (tap) for (const item of items) tap("RECV", item.kind === "message" ? item.value : { refused: item.error.message });
    deliver(items);
    // What still comes is read and dropped: a peer that is stuck writing would not read the refusal.
    const last = items.at(-1);
    if (last?.kind === "refused" && last.fatal) inbox.end();
    share?.set(heldBytes());
    if (inbox.isFull || share?.mayGrow() === false) readable.pause();
    watchFrame();
  }

  // A read that waits is given a message at once, but runs only when every connection that was woken in the same turn has read
  // and parsed: each of them would find the budget as it was before the first. So it counts here until that moment, and not
  // longer, since its reader is not to be refused for it.
  function deliver(items: readonly Incoming[]): void {
    if (!share || !items.some(isHeavy)) return void inbox.put(items);
    queueMicrotask(() => {
      givenWeight = 0;
      share.set(heldBytes());
    });
    for (const item of items.slice(0, inbox.put(items))) givenWeight += weightOf(item);
  }

  function onCaughtUp(): void {
    share?.set(heldBytes());
    resume();
  }

  function resume(): void {
    if (!readable.isPaused() || isStopped || inbox.isFull || share?.mayGrow() === false) return;
    readable.resume();
    watchFrame();
  }

  // Runs only while a frame is unfinished and we are reading: our own pauses are not the peer's silence.
  function watchFrame(): void {
    if (frameDeadlineMs === undefined) return;
    if (!decoder.isMidMessage || readable.isPaused()) {
      frameDeadline?.clear();
      frameDeadline = undefined;
    } else if (frameDeadline) {
      frameDeadline.touch();
    } else {
      frameDeadline = startDeadline({ idleMs: frameDeadlineMs, onExpire: events.onSilence });
    }
  }

  readable.on("data", onData);
  readable.once("end", () => {
    frameDeadline?.clear();
    inbox.put(decoder.end());
    inbox.end();
    share?.set(heldBytes());
    events.onEnd();
  });

  return {
    incoming: inbox.items,
    /** Delivers what was read; what still comes is read and dropped, so that the peer is not stuck writing. */
    stop(): void {
      isStopped = true;
      frameDeadline?.clear();
      readable.off("data", onData).resume();
      inbox.end();
      share?.set(heldBytes());
    },
  };
}
