// Runs one protocol on this process's stdin and stdout until it ends, and owns everything about
// that end: guarded stdout, signals, a dead parent, a closed pipe, bytes still to be written.
// Every process that Hawser ships is started by this function.

import { Socket } from "node:net";
import type { Codec } from "../codec/codec.ts";
import { describeThrown, type HawserError } from "../errors.ts";
import { limits } from "../limits.ts";
import { revealProse } from "../reveal.ts";
import { logLine } from "../log.ts";
import { createStreamTransport, type StreamTransportOptions } from "../stream-transport.ts";
import type { Transport } from "../transport.ts";
import { createLifecycle, endOnSignals, type Lifecycle } from "./lifecycle.ts";
import { watchParent } from "./parent-watch.ts";
import { keepGrownHeapSmall } from "./small-heap.ts";
import { guardStdout, type StdoutGuard } from "./stdout-guard.ts";

export interface RunStdioOptions extends Pick<StreamTransportOptions, "maxUnreadChars"> {
  readonly codec: Codec;
  /** Serves until `incoming` has ended or `stopping` is aborted, and its work is done. */
  serve(transport: Transport, lifecycle: Lifecycle): Promise<void>;
  readonly eofGraceMs?: number | undefined;
}

const outputClosedExitCode = 7;

/** Never returns: the process is this protocol's from now on, its memory included, and exits when the serving is over. */
export async function runStdio(options: RunStdioOptions): Promise<never> {
  keepGrownHeapSmall();
  const guard = guardStdout();
  const lifecycle = createLifecycle();
  const transport = createStreamTransport({
    readable: process.stdin,
    writable: process.stdout,
    codec: options.codec,
    maxUnreadChars: options.maxUnreadChars,
    ownsStreams: false,
    write: process.stdout.isTTY ? revealed(guard) : guard.write,
    closeFlushMs: limits.exitFlushMs,
  });

  let peerGone: HawserError | undefined;
  let isUnread = false;
  endOnSignals(lifecycle);
  process.stdin.once("end", () => lifecycle.end("input-ended", options.eofGraceMs ?? limits.eofGraceMs));
  watchParent(() => {
    lifecycle.end("parent-gone", 0);
    peerGone = lifecycle.cancelling.reason as HawserError;
  });
  watchOutput(guard);
  process.stdout.once("error", (error: NodeJS.ErrnoException) => {
    isUnread = true;
    if (error.code !== "EPIPE" && error.code !== "ECONNRESET") logLine(`[hawser] can't write the output: ${describeThrown(error)}`);
  });
  void transport.closed.then((reason) => reason && lifecycle.end("output-closed", 0));

  let exitCode = 0;
  const serving = options.serve(transport, lifecycle).catch((error: unknown) => {
    logLine(`[hawser] serving failed: ${describeThrown(error)}`);
    exitCode = 1;
  });
  await Promise.race([serving, lifecycle.overdue]);
  // Never exits with bytes pending, unless nobody is there to read them.
  await transport.close(peerGone);
  process.exit(isUnread ? outputClosedExitCode : exitCode);
}

/** Somebody tries it on a terminal, and what their peers wrote must not give it orders. */
const revealed =
  (guard: StdoutGuard): StdoutGuard["write"] =>
  (bytes, onWritten) =>
    guard.write(Buffer.from(revealProse(bytes.toString("utf8"))), onWritten);

// A socket says that its reader is gone when it is written to, even if that is nothing; so an idle one
// is asked now and then. A pipe says so only to real bytes.
function watchOutput(guard: StdoutGuard): void {
  const { stdout } = process;
  if (!(stdout instanceof Socket)) return;
  const ask = (): void => void (stdout.writable && stdout.writableLength === 0 && guard.write(Buffer.alloc(0)));
  setInterval(ask, limits.parentPollMs).unref();
}
