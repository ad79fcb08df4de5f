// A worker of a site: it makes the calls of all batches for that site, with a profile and a token that never leave it. The server pins
// one worker to each site; a second one waits until the first is silent. Items that a worker holds stay its own while it says so.

import { randomUUID } from "node:crypto";
import type { ConsumerInfo, ConsumerMessages, JsMsg } from "@nats-io/jetstream";
import { describeThrown, HawserError, toHawserError } from "@hawser/protocol";
import { createByteBudget, createSemaphore, isSettledWithin } from "@hawser/wire/internal";
import { logLine } from "@hawser/wire/internal/node";
import type { Fleet } from "../connect.ts";
import { answerDiscovery } from "../discovery.ts";
import { fleetLimits } from "../limits.ts";
import { drainSubject } from "../subjects.ts";
import { watchHeads } from "./batch-head.ts";
import { bundlesOfSite, checkSite, consumerGroup, consumerName, itemStream, placeOfBundle, resultSubject } from "./batch-names.ts";
import { isFenced, openBatchStreams, type BatchStreams } from "./batch-streams.ts";
import { createBundleLog, freshState, maxLineBytes, readBundleState } from "./bundle-log.ts";
import { decodeBundle } from "./bundle.ts";
import { createRateBucket } from "./rate-bucket.ts";
import { runBundle, type SiteCalls, type WorkerGates } from "./run-bundle.ts";

export interface SiteOptions {
  readonly site: string;
  /** Calls at the same time. */
  readonly workers: number;
  /** Calls per second, at most. */
  readonly rate?: number | undefined;
  /** For lists of services: the product's version, and the machine's name. */
  readonly version: string;
  readonly machine: string;
  /** `maxLineBytes`: what the line of a result may have. */
  createCalls(maxLineBytes: number): SiteCalls;
}

export interface SiteWorker {
  /** Resolves when somebody has told this worker to leave; rejects when it can't go on. */
  readonly drained: Promise<void>;
  /** Nothing new begins; calls that run have their time, and what is left goes back to the queue. */
  stop(graceMs?: number): Promise<void>;
}

interface Held {
  readonly message: JsMsg;
  readonly batch: string;
  readonly cancel: AbortController;
  readonly ended: Promise<void>;
}

/** Throws `usage` for a name or a server that can't be used. */
export async function serveSite(fleet: Fleet, options: SiteOptions): Promise<SiteWorker> {
  const site = checkSite(options.site);
  const streams = await openBatchStreams(fleet);
  const { config } = await ensureConsumer(streams, site);
  const [silenceMs, pinMs] = [(config.ack_wait ?? 0) / 1e6, (config.priority_timeout ?? 0) / 1e6];
  const calls = options.createCalls(maxLineBytes(streams));
  const gates = createGates(options);
  const room = createByteBudget(fleetLimits.batchHeldBytes);
  const held = new Map<string, Held>();
  const counts = { requests: 0, errors: 0, busyMs: 0, lastError: "" };
  const leaving = new AbortController();
  const abandoned = new AbortController();
  const drained = Promise.withResolvers<void>();
  let pin = "";

  const heads = watchHeads(streams, (batch) => {
    for (const one of held.values()) if (one.batch === batch) one.cancel.abort();
  });

  /** Another worker may have made calls until now, as fast as its own rate allowed. */
  function notePin(message: JsMsg): void {
    const id = message.headers?.get("Nats-Pin-Id") ?? "";
    if (id !== pin) gates.rate?.empty(pinMs);
    pin = id;
  }

  async function work(message: JsMsg, cancel: AbortController): Promise<void> {
    const startedAt = performance.now();
    const { batch, bundle: number } = placeOfBundle(message.subject);
    const subject = resultSubject(batch, number);
    const bundle = decodeBundle(message.string());
    const given = new AbortController();
    const giveUp = (): void => given.abort(abandoned.signal.reason);
    abandoned.signal.addEventListener("abort", giveUp);
    try {
      const state = message.redelivered ? await readBundleState(streams, subject) : freshState;
      if (await heads.isCancelled(batch)) cancel.abort();
      const log = createBundleLog(streams, { subject, after: state.sequence, signal: given.signal });
      const counted: SiteCalls = {
        ...calls,
        async call(...args) {
          const result = await calls.call(...args);
          counts.requests += 1;
          if (result.code !== 0) counts.errors += 1;
          return result;
        },
      };
      await runBundle({
        bundle,
        state,
        log,
        site: counted,
        gates,
        leaving: leaving.signal,
        abandoned: given.signal,
        cancelled: cancel.signal,
      }).catch((error: unknown) => {
        given.abort(error);
        throw error;
      });
      message.ack();
    } finally {
      counts.busyMs += performance.now() - startedAt;
      abandoned.signal.removeEventListener("abort", giveUp);
    }
  }

  function take(message: JsMsg): void {
    notePin(message);
    const lease = room.tryAcquire(message.data.length);
    // The same items twice, or more than fits: they come again.
    if (!lease || held.has(message.subject) || leaving.signal.aborted) {
      lease?.release();
      return message.nak(fleetLimits.batchRetryMs);
    }
    const cancel = new AbortController();
    const ended = work(message, cancel)
      .catch((error: unknown) => giveBack(message, error))
      .finally(() => {
        held.delete(message.subject);
        lease.release();
      });
    held.set(message.subject, { message, batch: placeOfBundle(message.subject).batch, cancel, ended });
  }

  function giveBack(message: JsMsg, error: unknown): void {
    counts.lastError = describeThrown(error);
    if (fleet.connection.isClosed()) return;
    if (leaving.signal.aborted) return message.nak();
    if (HawserError.isInstance(error) && error.code === "invalid_message") return void message.term(error.message);
    logLine(`[hawser] fleet: ${message.subject} goes back to the queue: ${toHawserError(error).message}`);
    // One that another process goes on with comes again only if that one is lost.
    if (!isFenced(error)) message.nak(fleetLimits.batchRetryMs);
  }

  const messages = await pull(streams, site, take);
  void messages.closed().then((error) => {
    if (error) drained.reject(new HawserError("connection_lost", `the queue of "${site}" is gone: ${describeThrown(error)}`));
  });
  drained.promise.catch(() => {});
  const beat = setInterval(() => {
    for (const { message } of held.values()) message.working();
  }, silenceMs / 3);
  const id = randomUUID();
  const service = `rpc-${site}`;
  const stopWatching = watchConnection(fleet, heads.forget);
  const drain = fleet.connection.subscribe(drainSubject, {
    callback: (error, message) => void (error === null && [service, id].includes(message.string()) && drained.resolve()),
  });
  const stopDiscovery = answerDiscovery(fleet.connection, toFacts(service, id, site, options), () => counts);

  async function stop(graceMs: number): Promise<void> {
    const ended = (): Promise<unknown> => Promise.all(Array.from(held.values(), (one) => one.ended));
    leaving.abort(new HawserError("cancelled", "the worker is leaving"));
    messages.stop();
    stopDiscovery();
    await isSettledWithin(ended(), graceMs);
    abandoned.abort(new HawserError("cancelled", "the worker is leaving"));
    await ended();
    clearInterval(beat);
    stopWatching();
    heads.stop();
    drain.unsubscribe();
    if (!fleet.connection.isClosed()) await fleet.connection.flush();
  }
  let stopping: Promise<void> | undefined;
  return { drained: drained.promise, stop: (graceMs = fleetLimits.fleetDrainMs) => (stopping ??= stop(graceMs)) };
}

function createGates({ workers, rate }: SiteOptions): WorkerGates {
  // With a rate, an item begins when it may be called, and not before.
  const ahead = rate === undefined ? Math.ceil(workers / 2) : 0;
  return {
    turn: createSemaphore(1),
    begun: createSemaphore(workers + ahead),
    calls: createSemaphore(workers),
    unsent: createByteBudget(fleetLimits.batchUnsentBytes),
    rate: rate === undefined ? undefined : createRateBucket(rate),
  };
}

/** As it is, where there is one: an operator may have chosen other times. */
async function ensureConsumer({ manager }: BatchStreams, site: string): Promise<ConsumerInfo> {
  const name = consumerName(site);
  const existing = await manager.consumers.info(itemStream, name).catch(() => undefined);
  return (
    existing ??
    manager.consumers.add(itemStream, {
      durable_name: name,
      filter_subject: bundlesOfSite(site),
      ack_policy: "explicit",
      ack_wait: fleetLimits.batchSilenceMs * 1e6,
      max_ack_pending: fleetLimits.batchHeldEntries,
      priority_groups: [consumerGroup],
      priority_policy: "pinned_client",
      priority_timeout: fleetLimits.batchPinMs * 1e6,
    })
  );
}

/** Asks without a pause, whether there is room or not: what may be held is bounded by the consumer, and asking keeps the pin. */
async function pull({ client }: BatchStreams, site: string, callback: (message: JsMsg) => void): Promise<ConsumerMessages> {
  const consumer = await client.consumers.get(itemStream, consumerName(site));
  return consumer.consume({
    group: consumerGroup,
    max_messages: fleetLimits.batchHeldEntries,
    expires: fleetLimits.batchPullMs,
    abort_on_missing_resource: true,
    callback,
  });
}

function watchConnection({ connection }: Fleet, onReconnect: () => void): () => void {
  const states = connection.status() as ReturnType<Fleet["connection"]["status"]> & { stop(): void };
  void (async () => {
    for await (const { type } of states) if (type === "reconnect") onReconnect();
  })();
  return () => states.stop();
}

const toFacts = (name: string, id: string, site: string, { version, machine }: SiteOptions) => ({
  name,
  id,
  version,
  description: `Calls for the site ${site}, made by Hawser on ${machine}`,
  metadata: { kind: "calls", machine, site },
  endpoints: [],
});
