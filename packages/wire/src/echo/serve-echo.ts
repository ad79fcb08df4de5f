// Serves the echo protocol on one transport. Reads on while requests run; `cancel` and `status` are
// answered by the reader itself, and wait only while the queue is full and nothing is read. Every
// request ends with exactly one answer, also when it is refused, cancelled, or the process is told to stop.

import { setTimeout as sleep } from "node:timers/promises";
import { untilAborted, whenAborted } from "../abort.ts";
import { memberSource, withIdSource } from "../codec/json-source.ts";
import { describeThrown, HawserError, toHawserError } from "../errors.ts";
import { createInFlightTable, type Flight } from "../in-flight.ts";
import { logLine } from "../log.ts";
import type { Lifecycle } from "../process/lifecycle.ts";
import { echoProtocol, type EchoRequest } from "../protocols/echo.ts";
import type { Incoming, Transport } from "../transport.ts";
import { createWorkQueue } from "../work-queue.ts";

export interface ServeEchoOptions {
  readonly workers?: number | undefined;
  readonly queueSize?: number | undefined;
  /** Ends the serving from outside, as a process does when it is told to stop. */
  readonly lifecycle?: Lifecycle | undefined;
}

type Work = Exclude<EchoRequest, { kind: "cancel" | "status" }>;

/** Resolves when the peer will send no more and everything accepted has been answered. */
export async function serveEcho(transport: Transport, options: ServeEchoOptions = {}): Promise<void> {
  const { stopping, cancelling } = options.lifecycle ?? {};
  const gone = new AbortController();
  const over = new AbortController();
  const noMore = AbortSignal.any([gone.signal, stopping, cancelling].filter((signal) => signal !== undefined));
  const inFlight = createInFlightTable();
  const queue = createWorkQueue({
    workers: options.workers ?? 8,
    capacity: options.queueSize ?? 64,
    onJobError: (error) => logLine(`[hawser] echo: ${describeThrown(error)}`),
  });
  cancelling?.addEventListener("abort", () => inFlight.cancelAll(cancelling.reason as HawserError), { once: true, signal: over.signal });
  // A peer that is gone reads no answers: what runs for it is of no use any more.
  void transport.closed.then((reason) => {
    gone.abort(reason ?? new HawserError("closed", "the connection was closed"));
    inFlight.cancelAll(gone.signal.reason as HawserError);
  });

  // One message after the other: a slow reader holds the next one back. Workers that sent side by
  // side would fill the transport, and it refuses what it can't hold.
  let lastSend: Promise<void> = Promise.resolve();
  function send(idSource: string | undefined, members: object): Promise<void> {
    // The id goes back as its source says, so that no number and no escape is altered on the way.
    const sent = lastSend.then(() => transport.send(withIdSource(idSource, members)));
    lastSend = sent.catch(() => {});
    return sent;
  }

  async function whenSent(): Promise<void> {
    const last = lastSend;
    await last;
    // One that could not be sent may have been followed by another in its place.
    if (last !== lastSend) await whenSent();
  }

  // What can't be sent becomes an error; where the id itself is too much for a message, one without it.
  const answer = (idSource: string | undefined, members: object): Promise<void> =>
    send(idSource, members)
      .catch((error: unknown) => (isUnsendable(error) ? send(idSource, errorMembers(error)) : undefined))
      .catch((error: unknown) => (isUnsendable(error) ? send(undefined, errorMembers(error)) : undefined))
      .catch(() => {}); // the peer is gone, and `closed` has said so

  async function read(item: Incoming): Promise<void> {
    const idSource = readId(item.kind === "message" ? item.text : item.head);
    try {
      if (item.kind === "refused") throw item.error;
      const request = parseRequest(item.value);
      noMore.throwIfAborted();
      if (request.kind === "cancel") {
        const reason = new HawserError("cancelled", `cancelled by request ${request.id}`);
        await answer(idSource, { type: "done", cancelled: inFlight.cancel(request.target, reason) });
      } else if (request.kind === "status") {
        await answer(idSource, { type: "status", running: queue.running, waiting: queue.waiting });
      } else {
        await accept(request, idSource);
      }
    } catch (error) {
      await answer(idSource, errorMembers(error));
    }
  }

  async function accept(request: Work, idSource: string | undefined): Promise<void> {
    if (inFlight.has(request.id)) throw new HawserError("duplicate_id", `id ${request.id} is in flight; use a fresh one`);
    await queue.whenRoom();
    noMore.throwIfAborted();
    const flight = inFlight.begin(request.id);
    const fail = (error: unknown): Promise<void> => (flight.finish() ? answer(idSource, errorMembers(error)) : Promise.resolve());
    const ticket = queue.add(() => run(request, idSource, flight).catch(fail));
    const onAbort = (): void => {
      if (ticket?.withdraw()) void fail(flight.signal.reason);
    };
    flight.signal.addEventListener("abort", onAbort, { once: true });
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

  async function readAll(): Promise<void> {
    for await (const item of transport.incoming) await read(item);
  }

  try {
    await Promise.race([readAll(), whenAborted(stopping, over.signal)]);
    await inFlight.whenEmpty();
    await whenSent();
  } finally {
    // The lifecycle may outlive this transport by far; our listeners on it must not.
    over.abort();
  }
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
