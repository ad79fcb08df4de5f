// Runs one protocol on this process's stdin and stdout until it ends, and owns everything about that end: guarded stdout, signals, a
// dead parent, a closed pipe, bytes still to be written. Every process that Hawser ships is started by this function.

import { Socket } from "node:net";
import type { Codec } from "../codec/codec.ts";
import { describeThrown, type HawserError, revealProse } from "@hawser/protocol/internal";
import { wireLimits } from "../limits.ts";
import { logLine } from "../log.ts";
import { createStreamTransport, type StreamTransportOptions } from "../transport/stream-transport.ts";
import type { Transport } from "../transport/transport.ts";
import { runUntilStopped, type Lifecycle, type LifecycleControl } from "./lifecycle.ts";
import { keepGrownHeapSmall } from "./small-heap.ts";
import { guardStdout, type StdoutGuard } from "./stdout-guard.ts";

export interface RunStdioOptions extends Pick<StreamTransportOptions, "maxUnreadChars" | "gathersTurn"> {
  readonly codec: Codec;
  /** Serves until `incoming` has ended or `stopping` is aborted, and its work is done. */
  serve(transport: Transport, lifecycle: Lifecycle): Promise<void>;
  readonly eofGraceMs?: number | undefined;
}

const outputClosedExitCode = 7;

/** Never returns: the process is this protocol's from now on, its memory included, and exits when the serving is over. */
export async function runStdio(options: RunStdioOptions): Promise<never> {
  keepGrownHeapSmall();
  process.exit(await runUntilStopped((lifecycle) => serveStdio(options, lifecycle)));
}

/** Resolves with the exit code, once everything is written. */
async function serveStdio(options: RunStdioOptions, lifecycle: LifecycleControl): Promise<number> {
  const guard = guardStdout();
  const transport = createStreamTransport({
    readable: process.stdin,
    writable: process.stdout,
    codec: options.codec,
    maxUnreadChars: options.maxUnreadChars,
    gathersTurn: options.gathersTurn,
    ownsStreams: false,
    write: process.stdout.isTTY ? revealed(guard) : guard.write,
    closeFlushMs: wireLimits.exitFlushMs,
  });

  let isUnread = false;
  process.stdin.once("end", () => lifecycle.end("input-ended", options.eofGraceMs ?? wireLimits.eofGraceMs));
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
  // Never exits with bytes pending, unless there is no reader for them.
  await transport.close(lifecycle.causes.has("parent-gone") ? (lifecycle.cancelling.reason as HawserError) : undefined);
  return isUnread ? outputClosedExitCode : exitCode;
}

/** On a terminal, text from the peer must not act as control sequences. */
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
  setInterval(ask, wireLimits.parentPollMs).unref();
}
