// A transport over Node streams: a socket, a child's pipes, or our own stdin and stdout.
//   Reading   never waits for handlers; it pauses only while more messages are unread than the
//             limit allows, which is how backpressure reaches the peer.
//   Writing   is one `write` per message. `send` resolves when the stream took it, or when it has
//             room again; a peer that stops reading slows its sender and fills no memory.
//   Closing   happens once. An end of input alone closes nothing: on a socket the peer is asked
//             now and then, by writing zero bytes, whether it still reads. A child that takes no
//             input any more is read to its end first.

import { Socket } from "node:net";
import type { Readable, Writable } from "node:stream";
import type { Codec, CodecOptions } from "./codec/codec.ts";
import { startDeadline, type Deadline } from "./deadline.ts";
import { describeThrown, HawserError } from "./errors.ts";
import { createInbox } from "./inbox.ts";
import { limits } from "./limits.ts";
import { tapFromEnvironment, type Tap } from "./tap.ts";
import type { Transport } from "./transport.ts";

export interface StreamTransportOptions extends CodecOptions {
  readonly readable: Readable;
  readonly writable: Writable;
  readonly codec: Codec;
  /** Longest silence inside a frame; without it a peer may take any time. */
  readonly frameDeadlineMs?: number | undefined;
  readonly maxUnsentBytes?: number | undefined;
  readonly closeFlushMs?: number | undefined;
  readonly tap?: Tap | undefined;
  /** How to write, where `writable.write` itself is guarded (see stdout-guard.ts). */
  write?(frame: Buffer, onWritten?: () => void): boolean;
  /** False for stdin and stdout, which belong to the process: the output is flushed and left open. */
  readonly ownsStreams?: boolean | undefined;
}

const accepted = Promise.resolve();

export function createStreamTransport(options: StreamTransportOptions): Transport {
  const { readable, writable, codec } = options;
  const write = options.write ?? ((frame: Buffer, onWritten?: () => void): boolean => writable.write(frame, onWritten));
  const maxUnsentBytes = options.maxUnsentBytes ?? limits.maxUnsentBytes;
  const closeFlushMs = options.closeFlushMs ?? limits.closeFlushMs;
  const ownsStreams = options.ownsStreams ?? true;
  const tap = "tap" in options ? options.tap : tapFromEnvironment();
  const decoder = codec.createDecoder(options);
  const inbox = createInbox(resumeReading);
  const closed = Promise.withResolvers<HawserError | undefined>();
  let closing: Promise<void> | undefined;
  let closeReason: HawserError | undefined;
  let frameDeadline: Deadline | undefined;
  let isGathering = false;
  let drained: PromiseWithResolvers<void> | undefined;
  let probe: ReturnType<typeof setInterval> | undefined;
  let unwritable: HawserError | undefined;
  let lastWords: Deadline | undefined;

  // --- reading

  function onData(chunk: Buffer): void {
    lastWords?.touch();
    const items = decoder.push(chunk);
    if (tap) for (const item of items) tap("RECV", item.kind === "message" ? item.value : { refused: item.error.message });
    inbox.put(items);
    if (items.some((item) => item.kind === "refused" && item.fatal)) {
      // What still comes is read and dropped: a peer that is stuck writing would not read the refusal.
      inbox.end();
    }
    if (inbox.isFull) readable.pause();
    watchFrame();
  }

  function resumeReading(): void {
    if (readable.isPaused() && !closing) {
      readable.resume();
      watchFrame();
    }
  }

  // Runs only while a frame is unfinished and we are reading: our own pauses are not the peer's silence.
  function watchFrame(): void {
    if (options.frameDeadlineMs === undefined) return;
    if (!decoder.isMidMessage || readable.isPaused()) {
      frameDeadline?.clear();
      frameDeadline = undefined;
    } else if (frameDeadline) {
      frameDeadline.touch();
    } else {
      frameDeadline = startDeadline({ idleMs: options.frameDeadlineMs, onExpire: (error) => void close(error) });
    }
  }

  function onEnd(): void {
    frameDeadline?.clear();
    inbox.put(decoder.end());
    inbox.end();
    if (writable instanceof Socket && isSameStream(readable, writable) && !closing) {
      askPeer();
      probe = setInterval(askPeer, limits.halfClosedProbeMs).unref();
    }
  }

  // Zero bytes reach no reader, but fail with EPIPE once the peer has closed both directions.
  function askPeer(): void {
    if (writable.writable && writable.writableLength === 0) write(Buffer.alloc(0));
  }

  // --- writing

  function send(message: unknown): Promise<void> {
    if (closing || unwritable) return Promise.reject(closedError(closeReason ?? unwritable));
    let frame: Buffer;
    try {
      frame = codec.encode(message, options);
    } catch (error) {
      return Promise.reject(error as HawserError);
    }
    if (writable.writableLength + frame.length > Math.max(maxUnsentBytes, frame.length)) {
      const facts = { unsentBytes: writable.writableLength, maxUnsentBytes };
      return Promise.reject(
        new HawserError("overloaded", "the peer does not read; wait for earlier messages before sending more", { facts }),
      );
    }
    tap?.("SEND", message);
    const hasRoom = write(frame);
    gatherRestOfTurn();
    if (hasRoom) return accepted;
    drained ??= Promise.withResolvers<void>();
    return drained.promise;
  }

  // The first message of a turn has just left; those that follow in the same turn leave together at its end.
  function gatherRestOfTurn(): void {
    if (isGathering) return;
    isGathering = true;
    writable.cork();
    process.nextTick(() => {
      isGathering = false;
      writable.uncork();
    });
  }

  function onDrain(): void {
    drained?.resolve();
    drained = undefined;
  }

  function failWaiting(reason: HawserError): void {
    drained?.promise.catch(() => {});
    drained?.reject(reason);
    drained = undefined;
  }

  // --- closing

  function onLost(cause?: unknown): void {
    void close(lostError(cause));
  }

  function onClosed(): void {
    // Without an 'end' before it, what the peer meant to send is lost.
    if (!readable.readableEnded) onLost(readable.errored ?? undefined);
    else if (writable.destroyed || writable.writableFinished) void close(unwritable?.cause ? unwritable : undefined);
  }

  // A child that ends closes its input first; its last words are still in the other pipe.
  function onUnwritable(cause?: unknown): void {
    const isStillRead = ownsStreams && !isSameStream(readable, writable) && !readable.readableEnded && !readable.destroyed;
    if (!isStillRead) return cause ? onLost(cause) : onClosed();
    if (closing || unwritable) return;
    unwritable = lostError(cause);
    failWaiting(unwritable);
    // Where we ended it ourselves, whoever did that decides how long to wait for the rest.
    if (cause || !writable.writableFinished) awaitLastWords(unwritable);
  }

  // Only silence ends the wait: somebody else may hold the pipe open, but a slow reader of ours is not the peer's silence.
  function awaitLastWords(reason: HawserError): void {
    const onExpire = (): void => (readable.isPaused() ? awaitLastWords(reason) : void close(reason));
    lastWords = startDeadline({ idleMs: closeFlushMs, onExpire });
  }

  async function release(reason: HawserError | undefined): Promise<void> {
    frameDeadline?.clear();
    lastWords?.clear();
    clearInterval(probe);
    // Read on and dropped: a peer that is stuck writing would not take our last bytes.
    readable.off("data", onData).resume();
    inbox.end();
    failWaiting(closedError(reason));
    if (!reason && !writable.destroyed) {
      const lastWrite = (onDone: () => void): unknown => (ownsStreams ? writable.end(onDone) : write(Buffer.alloc(0), onDone));
      await flush(writable, lastWrite, closeFlushMs);
    }
    readable.destroy();
    if (ownsStreams) writable.destroy();
  }

  function close(reason?: HawserError): Promise<void> {
    if (!closing) {
      closeReason = reason;
      // Assigned before the work begins, so that whatever it triggers finds the transport closing.
      const { promise, resolve } = Promise.withResolvers<void>();
      closing = promise;
      void release(reason).finally(() => {
        resolve();
        closed.resolve(reason);
      });
    }
    return closing;
  }

  readable.on("data", onData);
  readable.once("end", onEnd);
  readable.once("close", onClosed);
  writable.once("close", () => onUnwritable());
  // Listeners stay for good: a late error on a stream must not end the process.
  readable.on("error", onLost);
  writable.on("error", onUnwritable);
  writable.on("drain", onDrain);
  if (readable.destroyed) onClosed();

  return { incoming: inbox.messages, send, close, closed: closed.promise };
}

/** Gives what was written time to leave. */
function flush(writable: Writable, lastWrite: (onDone: () => void) => unknown, flushMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(finish, flushMs);
    function finish(): void {
      clearTimeout(timer);
      resolve();
    }
    writable.once("error", finish);
    writable.once("close", finish);
    lastWrite(finish);
  });
}

const isSameStream = (readable: Readable, writable: Writable): boolean => (readable as unknown) === writable;

const lostError = (cause: unknown): HawserError =>
  new HawserError("connection_lost", `the connection was lost${cause ? `: ${describeThrown(cause)}` : ""}`, { cause });

function closedError(reason: HawserError | undefined): HawserError {
  return reason ?? new HawserError("closed", "the connection is closed; open a new one");
}
