// A transport over Node streams: a socket, a child's pipes, or our own stdin and stdout. Reading and writing are the halves in
// stream-reader.ts and stream-writer.ts; this is how they end, once. An end of input alone closes nothing: on a socket the peer
// is asked now and then whether it still reads. A child that takes no input any more is read to its end first.

import { Socket } from "node:net";
import type { Readable, Writable } from "node:stream";
import { cutText, describeThrown, HawserError } from "@hawser/protocol/internal";
import type { Codec, CodecOptions } from "../codec/codec.ts";
import { JsonText } from "../codec/json-text.ts";
import type { ByteBudget } from "../flow/byte-budget.ts";
import { type Deadline, startDeadline } from "../flow/deadline.ts";
import { wireLimits } from "../limits.ts";
import { logLine } from "../log.ts";
import { createStreamReader } from "./stream-reader.ts";
import { createStreamWriter } from "./stream-writer.ts";
import type { Transport } from "./transport.ts";

export interface StreamTransportOptions extends CodecOptions {
  readonly readable: Readable;
  readonly writable: Writable;
  readonly codec: Codec;
  /** Longest silence inside a frame; without it a peer may take any time. */
  readonly frameDeadlineMs?: number | undefined;
  /** 0 reads one chunk at a time: the next when everything in it was taken. */
  readonly maxUnreadChars?: number | undefined;
  readonly maxUnsentBytes?: number | undefined;
  /** Counts what is unread, unfinished or unsent, together with others. */
  readonly budget?: ByteBudget | undefined;
  /** How to write, where `writable.write` itself is guarded (see stdout-guard.ts). */
  write?(frame: Buffer, onWritten?: () => void): boolean;
  /** Also the first message of a turn waits for the others, where each turn is known to have several. Only for an output that nothing else ends. */
  readonly gathersTurn?: boolean | undefined;
  readonly closeFlushMs?: number | undefined;
  readonly tap?: Tap | undefined;
  /** False for stdin and stdout, which belong to the process: the output is flushed and left open. */
  readonly ownsStreams?: boolean | undefined;
}

export function createStreamTransport(options: StreamTransportOptions): Transport {
  const { readable, writable, closeFlushMs = wireLimits.closeFlushMs, ownsStreams = true } = options;
  const isOneStream = (readable as unknown) === writable;
  const withTap = "tap" in options ? options : { ...options, tap: tapFromEnvironment() };
  const closed = Promise.withResolvers<HawserError | undefined>();
  let closing: Promise<void> | undefined;
  let probe: ReturnType<typeof setInterval> | undefined;
  let unwritable: HawserError | undefined;
  let lastWords: Deadline | undefined;

  const writer = createStreamWriter(withTap);
  const reader = createStreamReader(withTap, {
    onChunk: () => lastWords?.touch(),
    onEnd() {
      if (!(writable instanceof Socket) || !isOneStream || closing) return;
      writer.askPeer();
      probe = setInterval(writer.askPeer, wireLimits.halfClosedProbeMs).unref();
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
    // Where we ended it ourselves, the caller that did so decides how long to wait for the rest.
    if (cause || !writable.writableFinished) awaitLastWords(unwritable);
  }

  // Only silence ends the wait: another process may hold the pipe open, but a slow reader of ours is not the peer's silence.
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

// The protocol log: with HAWSER_DEBUG=protocol every message appears on stderr as `[SEND] <what> <id> <json>` or `[RECV] …`, cut to
// a readable length, secrets taken out. With HAWSER_DEBUG=protocol-full it is not cut.

export type Tap = (direction: "SEND" | "RECV", message: unknown) => void;

/** The tap that the environment asks for, or undefined. */
export function tapFromEnvironment(environment: NodeJS.ProcessEnv = process.env): Tap | undefined {
  const topics = (environment["HAWSER_DEBUG"] ?? "").split(",");
  const isWhole = topics.includes("protocol-full");
  if (!isWhole && !topics.includes("protocol")) return undefined;
  const maxChars = isWhole ? Infinity : wireLimits.maxTapChars;
  return (direction, message) =>
    logLine(`[${direction}] ${describe(message instanceof JsonText ? parsed(message.text) : message, maxChars)}`);
}

function describe(message: unknown, maxChars: number): string {
  const members = typeof message === "object" && message !== null ? (message as Record<string, unknown>) : {};
  const what = members["type"] ?? members["kind"] ?? members["op"] ?? members["method"];
  const label = [what, members["id"]]
    .filter((part) => typeof part === "string" || typeof part === "number")
    .map(toLabel)
    .join(" ");
  const json = redact(message);
  const shown = json.length > maxChars ? `${cutText(json, maxChars)} (${json.length} characters)` : json;
  return label ? `${label} ${shown}` : shown;
}

// The peer chose these: neither a line feed nor a megabyte of them may get into the log.
const toLabel = (part: string | number): string =>
  JSON.stringify(cutText(String(part), maxLabelChars))
    .slice(1, -1)
    .replaceAll(secretText, "[redacted]");

const maxLabelChars = 80;
// What is in the environment or the headers of a server has names of the user's choice.
const secretName = /token$|secret|password|passphrase|authorization|api[-_]?key|cookie|credential|^env$|^headers$/i;
// The last: a name and a password in an address. Not after a hyphen: in `eyJ-eyJ-eyJ…` each of them would be searched to the end again.
const secretText =
  /\b(?:sk-[\w-]{16,}|Bearer\s+[\w.~+/-]{8,}=*|gh[pousr]_\w{20,}|(?<!-)eyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]*)|(?<=:\/\/)[^\s/?#"@\\]+(?=@)/g;

/** JSON for people to read: values under telling names and texts that look like keys are replaced. */
export function redact(value: unknown): string {
  try {
    const json = JSON.stringify(value, (name, member: unknown) =>
      // A streamed piece of text is called `token` too; a secret of that name is not under `type: "token"`.
      canBeSecret(member) && secretName.test(name) && !(name === "token" && isStreamedPiece(value)) ? "[redacted]" : member,
    );
    return (json ?? String(value)).replaceAll(secretText, "[redacted]");
  } catch {
    return "(not representable as JSON)";
  }
}

// A list of cookies or an object of credentials is as secret as a text.
const canBeSecret = (member: unknown): boolean => member !== null && member !== undefined && typeof member !== "boolean";

const isStreamedPiece = (value: unknown): boolean =>
  typeof value === "object" && value !== null && (value as { type?: unknown }).type === "token";

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
