// What every server of a protocol does around its own work: it reads until the input ends or it is told to stop, cancels
// what runs when it has to, waits until everything that it accepted has been answered, and leaves no listener behind.

import { HawserError } from "@hawser/protocol";
import { whenAborted } from "./flow/cancel.ts";
import type { Lifecycle } from "./process/lifecycle.ts";
import type { Incoming, Transport } from "./transport/transport.ts";

export interface ServeOptions<End> {
  readonly transport: Transport;
  /** Ends the serving from outside, as a process does when it is told to stop. */
  readonly lifecycle?: Lifecycle | undefined;
  read(item: Incoming): Promise<End | undefined> | End | undefined;
  /** The input has ended by itself. */
  onInputEnd?(): void;
  /** Cancels everything that runs. Called once at most for each of the two causes: the process ends, the peer is gone. */
  cancelAll(reason: HawserError): void;
  /** No more is read: resolves when everything accepted has been answered. `end` is what ended the reading, if `read` did. */
  finish(end: End | undefined, cancelling: Promise<void>): Promise<void>;
}

/** The signal that says "start nothing new" for a server on this transport. */
export function createNoMore({ closed }: Transport, { stopping, cancelling }: Partial<Lifecycle> = {}): AbortSignal {
  const gone = new AbortController();
  void closed.then((reason) => gone.abort(reason ?? new HawserError("closed", "the connection was closed")));
  return AbortSignal.any([gone.signal, stopping, cancelling].filter((signal) => signal !== undefined));
}

export async function serve<End extends object>(options: ServeOptions<End>): Promise<void> {
  const { transport, lifecycle, cancelAll } = options;
  const over = new AbortController();
  const cancelling = whenAborted(lifecycle?.cancelling, over.signal);
  lifecycle?.cancelling.addEventListener("abort", () => cancelAll(lifecycle.cancelling.reason as HawserError), {
    once: true,
    signal: over.signal,
  });
  // A peer that is gone reads no answers: the rest of its work is useless.
  void transport.closed.then((reason) => cancelAll(reason ?? new HawserError("closed", "the connection was closed")));

  async function readAll(): Promise<End | undefined> {
    for await (const item of transport.incoming) {
      const next = options.read(item);
      const end = next instanceof Promise ? await next : next;
      if (end) return end;
    }
    options.onInputEnd?.();
    return undefined;
  }

  try {
    const stopped = whenAborted(lifecycle?.stopping, over.signal).then(() => undefined);
    await options.finish(await Promise.race([readAll(), stopped]), cancelling);
  } finally {
    // The lifecycle may outlive this transport by far; our listeners on it must not.
    over.abort();
  }
}
