// Serves igw-rpc-v1 on one transport. The reader acts on everything but `call` itself, at once: a
// `cancel` does not wait behind the calls it is for. It stops only when enough was read ahead of a full
// queue, or while the host does not read its answers. Every request gets one answer; `shutdown` gets the last one.

import { setImmediate } from "node:timers/promises";
import { HawserError, limits, whenAborted, type Transport } from "@hawser/wire";
import type { Lifecycle } from "@hawser/wire/node";
import type { CallCore } from "../call.ts";
import { createCallLane } from "./call-lane.ts";
import { createControlAnswers } from "./control-answers.ts";
import { createOutbox } from "./outbox.ts";
import { createReader, type Shutdown } from "./reader.ts";
import { toAnswerText } from "./rpc-answer.ts";

export interface ServeRpcOptions {
  /** What `hello` gives as the version of the program. */
  readonly version: string;
  readonly workers?: number | undefined;
  readonly queueSize?: number | undefined;
  /** What becomes of a call that finds the queue full: it waits, and in the end its reader too, or it is refused. */
  readonly overflow?: "block" | "reject" | undefined;
  /** Ends the serving from outside, as a process does when it is told to stop. */
  readonly lifecycle?: Lifecycle | undefined;
}

/** Resolves when no more will be read and everything accepted has been answered. */
export async function serveRpc(transport: Transport, core: CallCore, options: ServeRpcOptions): Promise<void> {
  const { stopping, cancelling } = options.lifecycle ?? {};
  const gone = new AbortController();
  const over = new AbortController();
  const noMore = AbortSignal.any([gone.signal, stopping, cancelling].filter((signal) => signal !== undefined));
  const outbox = createOutbox(transport);
  const controls = createControlAnswers(outbox);
  const lane = createCallLane(core, outbox, { ...checkedSizes(options), overflow: options.overflow ?? "block", noMore });
  const reader = createReader({ core, lane, controls, version: options.version });
  cancelling?.addEventListener("abort", () => lane.cancelAll(cancelling.reason as HawserError), { once: true, signal: over.signal });
  // A host that is gone reads no answers: what runs for it is of no use any more.
  void transport.closed.then((reason) => {
    gone.abort(reason ?? new HawserError("closed", "the connection was closed"));
    lane.cancelAll(gone.signal.reason as HawserError);
  });

  async function readAll(): Promise<Shutdown | undefined> {
    for await (const item of transport.incoming) {
      const next = reader.read(item);
      if (next && "isNow" in next) return next;
      if (next) await next;
      if (outbox.isBehind) await (outbox.isFull ? outbox.whenRoom() : setImmediate());
      if (controls.waiting >= limits.rpcPendingMessages) await controls.whenPut();
    }
    return undefined;
  }

  try {
    const shutdown = await Promise.race([readAll(), whenAborted(stopping, over.signal).then(() => undefined)]);
    if (shutdown?.isNow) lane.cancelAll(new HawserError("cancelled", "cancelled by shutdown"));
    await lane.whenEmpty();
    await Promise.race([controls.whenPut(), whenAborted(cancelling, over.signal)]);
    if (shutdown) outbox.put(toAnswerText(shutdown.id, { ok: true, code: 0, data: '{"shutdown":true}' }));
    await outbox.whenSent();
  } finally {
    // The lifecycle may outlive this transport by far; our listeners on it must not.
    over.abort();
  }
}

function checkedSizes({ workers = 1, queueSize = 64 }: ServeRpcOptions): { workers: number; queueSize: number } {
  const { rpcMaxWorkers, rpcMaxQueuedMessages } = limits;
  if (workers > rpcMaxWorkers) throw new HawserError("usage", `workers must be at most ${rpcMaxWorkers}, not ${workers}`);
  if (queueSize > rpcMaxQueuedMessages)
    throw new HawserError("usage", `queue size must be at most ${rpcMaxQueuedMessages}, not ${queueSize}`);
  return { workers, queueSize };
}
