// Serves the echo protocol on one transport. `cancel` and `status` are answered by the reader itself, and wait only while the queue
// is full and nothing is read. Every request ends with exactly one answer, also when it is refused or cancelled.

import { setTimeout as sleep } from "node:timers/promises";
import { echoProtocol, HawserError, toHawserError, type EchoRequest } from "@hawser/protocol";
import { memberSource, withIdSource } from "../codec/json-source.ts";
import { untilAborted } from "../flow/cancel.ts";
import { createInFlightTable, type Flight } from "../flow/in-flight.ts";
import { createOutbox } from "../flow/outbox.ts";
import { createSemaphore } from "../flow/semaphore.ts";
import type { Lifecycle } from "../process/lifecycle.ts";
import { createNoMore, serve } from "../serve.ts";
import type { Incoming, Transport } from "../transport/transport.ts";

export interface ServeEchoOptions {
  readonly workers?: number | undefined;
  readonly queueSize?: number | undefined;
  /** Ends the serving from outside, as a process does when it is told to stop. */
  readonly lifecycle?: Lifecycle | undefined;
}

type Work = Exclude<EchoRequest, { kind: "cancel" | "status" }>;

/** Resolves when the peer will send no more and everything accepted has been answered. */
export function serveEcho(transport: Transport, options: ServeEchoOptions = {}): Promise<void> {
  const noMore = createNoMore(transport, options.lifecycle);
  const inFlight = createInFlightTable();
  const workers = createSemaphore(options.workers ?? 8, { maxWaiting: options.queueSize ?? 64 });
  // One message after the other: a slow reader holds the next one back. Workers that sent side by
  // side would fill the transport, and it refuses what it can't hold.
  const outbox = createOutbox<unknown>({ send: (message) => transport.send(message), maxUnsent: 1 });

  // The id goes back as its source says, so that no number and no escape is altered on the way.
  const send = (idSource: string | undefined, members: object): Promise<void> => outbox.send(withIdSource(idSource, members));

  /** Answers that are not on their way yet, or come again as an error. */
  let answering = 0;
  // What can't be sent becomes an error; where the id itself is too much for a message, one without it.
  function answer(idSource: string | undefined, members: object): Promise<void> {
    answering++;
    return send(idSource, members)
      .catch((error: unknown) => (isUnsendable(error) ? send(idSource, errorMembers(error)) : undefined))
      .catch((error: unknown) => (isUnsendable(error) ? send(undefined, errorMembers(error)) : undefined))
      .catch(() => {}) // the peer is gone, and `closed` has said so
      .finally(() => answering--);
  }

  async function read(item: Incoming): Promise<undefined> {
    const idSource = readId(item.kind === "message" ? item.text : item.head);
    try {
      if (item.kind === "refused") throw item.error;
      const request = parseRequest(item.value);
      noMore.throwIfAborted();
      if (request.kind === "cancel") {
        const reason = new HawserError("cancelled", `cancelled by request ${request.id}`);
        await answer(idSource, { type: "done", cancelled: inFlight.cancel(request.target, reason) });
      } else if (request.kind === "status") {
        await answer(idSource, { type: "status", running: workers.used, waiting: workers.waiting });
      } else {
        await accept(request, idSource);
      }
    } catch (error) {
      await answer(idSource, errorMembers(error));
    }
  }

  async function accept(request: Work, idSource: string | undefined): Promise<void> {
    if (inFlight.has(request.id)) throw new HawserError("duplicate_id", `id ${request.id} is in flight; use a fresh one`);
    await workers.whenRoom();
    noMore.throwIfAborted();
    const flight = inFlight.begin(request.id);
    void workers
      .run(() => run(request, idSource, flight), flight.signal)
      .catch((error: unknown) => (flight.finish() ? answer(idSource, errorMembers(error)) : undefined));
  }

  async function run(request: Work, idSource: string | undefined, flight: Flight): Promise<void> {
    flight.signal.throwIfAborted();
    const members = await untilAborted(flight.signal, perform(request, idSource, flight.signal));
    if (flight.finish()) await answer(idSource, members);
  }

  async function perform(request: Work, idSource: string | undefined, signal: AbortSignal): Promise<object> {
    if (request.kind === "echo") return { type: "echoed", value: request.value };
    if (request.kind === "sleep") {
      await sleep(request.ms, undefined, { signal });
      return { type: "done" };
    }
    const text = "x".repeat(request.bytes);
    for (let index = 0; index < request.count && !signal.aborted; index++) {
      await send(idSource, { type: "piece", index, text });
    }
    return { type: "done" };
  }

  async function finish(): Promise<void> {
    await inFlight.whenEmpty();
    while (answering > 0) await outbox.whenSent();
  }

  return serve({ transport, lifecycle: options.lifecycle, read, cancelAll: inFlight.cancelAll, finish });
}

function parseRequest(value: unknown): EchoRequest {
  try {
    return echoProtocol.parseRequest(value);
  } catch (error) {
    // The first mistake of many clients is a number here; the validator's own words are for its developers.
    if (!HawserError.isInstance(error) || error.facts["path"] !== "id") throw error;
    const isEmpty = (value as { id?: unknown }).id === "";
    throw new HawserError("invalid_message", isEmpty ? '"id" must not be empty' : '"id" must be a string', { cause: error });
  }
}

const readId = (text: string): string | undefined => {
  const source = memberSource(text, "id");
  return source === "null" ? undefined : source;
};

const isUnsendable = (error: unknown): boolean => ["too_large", "too_deep"].includes(toHawserError(error).code);

const errorMembers = (error: unknown): object => {
  const { code, message } = toHawserError(error);
  return { type: "error", code, error: message };
};
