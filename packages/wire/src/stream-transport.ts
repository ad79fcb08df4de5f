// A transport over Node streams: a socket, a child's pipes, or our own stdin and stdout. Reading and
// writing are the halves in stream-reader.ts and stream-writer.ts; this is how they end. Closing
// happens once. An end of input alone closes nothing: on a socket the peer is asked now and then
// whether it still reads. A child that takes no input any more is read to its end first.

import { Socket } from "node:net";
import type { Readable, Writable } from "node:stream";
import type { Codec, CodecOptions } from "./codec/codec.ts";
import { startDeadline, type Deadline } from "./deadline.ts";
import { describeThrown, HawserError } from "./errors.ts";
import { limits } from "./limits.ts";
import { createStreamReader, type StreamReaderOptions } from "./stream-reader.ts";
import { createStreamWriter, type StreamWriterOptions } from "./stream-writer.ts";
import { tapFromEnvironment, type Tap } from "./tap.ts";
import type { Transport } from "./transport.ts";

export interface StreamTransportOptions
  extends CodecOptions, Pick<StreamReaderOptions, "maxUnreadChars">, Pick<StreamWriterOptions, "maxUnsentBytes" | "budget" | "write"> {
  readonly readable: Readable;
  readonly writable: Writable;
  readonly codec: Codec;
  /** Longest silence inside a frame; without it a peer may take any time. */
  readonly frameDeadlineMs?: number | undefined;
  readonly closeFlushMs?: number | undefined;
  readonly tap?: Tap | undefined;
  /** False for stdin and stdout, which belong to the process: the output is flushed and left open. */
  readonly ownsStreams?: boolean | undefined;
}

export function createStreamTransport(options: StreamTransportOptions): Transport {
  const { readable, writable } = options;
  const closeFlushMs = options.closeFlushMs ?? limits.closeFlushMs;
  const ownsStreams = options.ownsStreams ?? true;
  const isOneStream = (readable as unknown) === writable;
  const tap = "tap" in options ? options.tap : tapFromEnvironment();
  const closed = Promise.withResolvers<HawserError | undefined>();
  let closing: Promise<void> | undefined;
  let probe: ReturnType<typeof setInterval> | undefined;
  let unwritable: HawserError | undefined;
  let lastWords: Deadline | undefined;

  const writer = createStreamWriter({ ...options, tap });
  const reader = createStreamReader({
    ...options,
    tap,
    onChunk: () => lastWords?.touch(),
    onEnd() {
      if (!(writable instanceof Socket) || !isOneStream || closing) return;
      writer.askPeer();
      probe = setInterval(writer.askPeer, limits.halfClosedProbeMs).unref();
    },
    onSilence: (error) => void close(error),
  });

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
    const isStillRead = ownsStreams && !isOneStream && !readable.readableEnded && !readable.destroyed;
    if (!isStillRead) return cause ? onLost(cause) : onClosed();
    if (closing || unwritable) return;
    unwritable = lostError(cause);
    writer.fail(unwritable);
    // Where we ended it ourselves, whoever did that decides how long to wait for the rest.
    if (cause || !writable.writableFinished) awaitLastWords(unwritable);
  }

  // Only silence ends the wait: somebody else may hold the pipe open, but a slow reader of ours is not the peer's silence.
  function awaitLastWords(reason: HawserError): void {
    const onExpire = (): void => (readable.isPaused() ? awaitLastWords(reason) : void close(reason));
    lastWords = startDeadline({ idleMs: closeFlushMs, onExpire });
  }

  async function release(reason: HawserError | undefined): Promise<void> {
    lastWords?.clear();
    clearInterval(probe);
    reader.stop();
    writer.fail(reason ?? new HawserError("closed", "the connection is closed; open a new one"));
    if (!reason && !writable.destroyed) await writer.flush(ownsStreams, closeFlushMs);
    readable.destroy();
    if (ownsStreams) writable.destroy();
  }

  function close(reason?: HawserError): Promise<void> {
    if (!closing) {
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

  readable.once("close", onClosed);
  writable.once("close", () => onUnwritable());
  // Listeners stay for good: a late error on a stream must not end the process.
  readable.on("error", onLost);
  writable.on("error", onUnwritable);
  if (ownsStreams) for (const stream of new Set([readable, writable])) stream.once("close", () => letGo(stream));
  if (readable.destroyed) onClosed();

  return { incoming: reader.incoming, send: writer.send, close, closed: closed.promise };
}

/**
 * V8 keeps a closed stream until its next full collection. What listened to it, and with it all of a connection, is not
 * to be kept that long: a program that serves one after the other would grow by hundreds of megabytes.
 */
function letGo(stream: Readable | Writable): void {
  stream.removeAllListeners();
  // A late error must not end the process.
  stream.on("error", ignore);
}

const ignore = (): void => {};

const lostError = (cause: unknown): HawserError =>
  new HawserError("connection_lost", `the connection was lost${cause ? `: ${describeThrown(cause)}` : ""}`, { cause });
