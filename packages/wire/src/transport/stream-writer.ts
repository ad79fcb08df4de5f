// The writing half of a stream transport: one `write` per message. A peer that stops reading slows its sender and fills no memory.
// Nor do many such peers, where they share a budget: once it is used up, only small messages are taken.

import { HawserError } from "@hawser/protocol";
import { taken } from "../flow/outbox.ts";
import { wireLimits } from "../limits.ts";
import type { StreamTransportOptions } from "./stream-transport.ts";

const nothing = Buffer.alloc(0);

export function createStreamWriter(options: StreamTransportOptions) {
  const { writable, codec, tap, budget, maxUnsentBytes = wireLimits.maxUnsentBytes } = options;
  const share = budget?.openShare();
  const write = options.write ?? ((frame: Buffer, onWritten?: () => void): boolean => writable.write(frame, onWritten));
  let failedBy: HawserError | undefined;
  let drained: PromiseWithResolvers<void> | undefined;
  let isGathering = false;
  /** What leaves at the end of the turn. */
  let gathered: Buffer[] = [];
  let gatheredBytes = 0;

  function send(message: unknown): Promise<void> {
    if (failedBy) return Promise.reject(failedBy);
    let frame: Buffer;
    try {
      frame = codec.encode(message, options);
    } catch (error) {
      return Promise.reject(error as HawserError);
    }
    const writableLength = writable.writableLength + gatheredBytes;
    if (writableLength + frame.length > Math.max(maxUnsentBytes, frame.length))
      return overloaded("the peer does not read; wait for earlier messages before sending more", {
        unsentBytes: writableLength,
        maxUnsentBytes,
      });
    // An error that tells of the refusal still fits.
    if (budget?.isFull && frame.length > writable.writableHighWaterMark)
      return overloaded("too much is waiting for peers that do not read; try again when they have", { bytes: frame.length });
    tap?.("SEND", message);
    if (options.gathersTurn) gatherTurn();
    const hasRoom = options.gathersTurn ? gather(frame) : write(frame);
    gatherTurn();
    if (hasRoom) return taken;
    share?.set(writable.writableLength + gatheredBytes);
    drained ??= Promise.withResolvers<void>();
    return drained.promise;
  }

  // A write costs as much as all the rest of a short message: those of one turn leave together at its end, in most cases all but the first.
  function gatherTurn(): void {
    if (isGathering) return;
    isGathering = true;
    writable.cork();
    process.nextTick(endTurn);
  }

  /** Even a corked stream takes as long for a frame as all the rest does. Whether it will have room behind this one. */
  function gather(frame: Buffer): boolean {
    gathered.push(frame);
    gatheredBytes += frame.length;
    return writable.writableLength + gatheredBytes < writable.writableHighWaterMark;
  }

  function endTurn(): void {
    if (gatheredBytes > 0) writeGathered();
    if (isGathering) writable.uncork();
    isGathering = false;
  }

  function writeGathered(): void {
    const [first] = gathered;
    const whole = first && gathered.length === 1 ? first : Buffer.concat(gathered);
    gathered = [];
    gatheredBytes = 0;
    if (writable.writable && write(whole)) onRoom();
  }

  function onRoom(): void {
    share?.set(0);
    drained?.resolve();
    drained = undefined;
  }

  writable.on("drain", onRoom);
  writable.once("close", () => share?.set(0));

  return {
    send,
    /** Rejects senders that wait for room, and everything sent later. The first reason is kept. */
    fail(reason: HawserError): void {
      failedBy ??= reason;
      drained?.promise.catch(() => {});
      drained?.reject(failedBy);
      drained = undefined;
    },
    /** Writes nothing. It reaches no reader, but fails with EPIPE once a socket's peer has closed both directions. */
    askPeer(): void {
      if (writable.writable && writable.writableLength + gatheredBytes === 0) write(nothing);
    },
    /** Gives what was written time to leave; `endIt` also ends the stream. */
    flush: (endIt: boolean, flushMs: number) =>
      new Promise<void>((resolve) => {
        endTurn();
        const timer = setTimeout(finish, flushMs);
        function finish(): void {
          clearTimeout(timer);
          resolve();
        }
        writable.once("error", finish);
        writable.once("close", finish);
        if (endIt) writable.end(finish);
        else write(nothing, finish);
      }),
  };
}

const overloaded = (message: string, facts: Record<string, number>): Promise<never> =>
  Promise.reject(new HawserError("overloaded", message, { facts }));
