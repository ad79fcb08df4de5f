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
import { watchHeads } from "./batch-head.ts";
import { bundlesOfSite, checkSite, consumerGroup, consumerName, itemStream, placeOfBundle, resultSubject } from "./batch-names.ts";
import { isFenced, openBatchStreams, type BatchStreams } from "./batch-streams.ts";
import { createBundleLog, freshState, maxLineBytes, readBundleState } from "./bundle-log.ts";
import { decodeBundle, type Bundle } from "./bundle.ts";
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

/** A bundle that this worker has. */
interface Held {
  readonly message: JsMsg;
  readonly batch: string;
  readonly bundle: Bundle;
  /** Its batch is cancelled. */
  readonly cancel: AbortController;
  /** It is another's now, or the worker has to go. */
  readonly lose: AbortController;
  ended: Promise<void>;
}

/** Throws `usage` for a name or a server that can't be used. */
export async function serveSite(fleet: Fleet, options: SiteOptions): Promise<SiteWorker> {
  const site = checkSite(options.site);
  const streams = await openBatchStreams(fleet);
  const { config } = await ensureConsumer(streams, site);
  const [silenceMs, pinMs] = [(config.ack_wait ?? 0) / 1e6, (config.priority_timeout ?? 0) / 1e6];
  const counts = { requests: 0, errors: 0, busyMs: 0, lastError: "" };
  const calls = countCalls(options.createCalls(maxLineBytes(streams)), counts);
  const gates = createGates(options);
  const room = createByteBudget(fleetLimits.batchTakenBytes);
  const held = new Map<string, Held>();
  const leaving = new AbortController();
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

  async function work({ message, batch, bundle, cancel, lose }: Held): Promise<void> {
    const subject = resultSubject(batch, placeOfBundle(message.subject).bundle);
    const state = message.redelivered ? await readBundleState(streams, subject) : freshState;
    if (await heads.isCancelled(batch)) cancel.abort();
    const log = createBundleLog(streams, { subject, after: state.sequence, signal: lose.signal });
    const [abandoned, cancelled] = [lose.signal, cancel.signal];
    await runBundle({ bundle, state, log, site: calls, gates, leaving: leaving.signal, abandoned, cancelled });
    message.ack();
  }

  function take(message: JsMsg): void {
    notePin(message);
    const lease = room.tryAcquire(message.data.length);
    // The same items twice, or more than fits: they come again.
    if (!lease || held.has(message.subject) || leaving.signal.aborted) {
      lease?.release();
      return message.nak(fleetLimits.batchRetryMs);
    }
    const { batch } = placeOfBundle(message.subject);
    let bundle: Bundle;
    try {
      bundle = decodeBundle(message.string());
    } catch (error) {
      lease.release();
      logLine(`[hawser] fleet: ${message.subject} is dropped: ${describeThrown(error)}`);
      return message.term("it holds no items");
    }
    const one: Held = { message, batch, bundle, cancel: new AbortController(), lose: new AbortController(), ended: Promise.resolve() };
    held.set(message.subject, one);
    one.ended = work(one)
      .catch((error: unknown) => giveBack(one, error))
      .finally(() => {
        held.delete(message.subject);
        lease.release();
      });
  }

  function giveBack({ message, lose }: Held, error: unknown): void {
    counts.lastError = describeThrown(error);
    if (fleet.connection.isClosed()) return;
    if (leaving.signal.aborted) return message.nak();
    logLine(`[hawser] fleet: ${message.subject} goes back to the queue: ${toHawserError(error).message}`);
    // One that another process goes on with comes again only if that one is lost.
    if (!isFenced(error) && !lose.signal.aborted) message.nak(fleetLimits.batchRetryMs);
  }

  let beatAt = performance.now();
  /** Says that what is held is still ours; after too long a silence it is not, and is let go. */
  function beat(): void {
    const wasSilent = performance.now() - beatAt > silenceMs;
    beatAt = performance.now();
    for (const { message, lose } of held.values()) {
      if (wasSilent) lose.abort(new HawserError("timeout", "this worker was silent for too long; another one may have its items"));
      else message.working();
    }
  }

  const messages = await pull(streams, site, take);
  void messages.closed().then((error) => {
    if (error) drained.reject(new HawserError("connection_lost", `the queue of "${site}" is gone: ${describeThrown(error)}`));
  });
  drained.promise.catch(() => {});
  const beats = setInterval(beat, silenceMs / 3);
  const id = randomUUID();
  const service = `rpc-${site}`;
  const stopWatching = fleet.onReconnect(heads.forget);
  const stopDrain = fleet.onDrain([service, id], drained.resolve);
  const stopDiscovery = answerDiscovery(fleet, toFacts(service, id, site, options), () => counts);

  async function stop(graceMs: number): Promise<void> {
    const ended = (): Promise<unknown> => Promise.all(Array.from(held.values(), (one) => one.ended));
    leaving.abort(new HawserError("cancelled", "the worker is leaving"));
    messages.stop();
    stopDiscovery();
    await isSettledWithin(ended(), graceMs);
    for (const { lose } of held.values()) lose.abort(new HawserError("cancelled", "the worker is leaving"));
    await ended();
    await letGo(streams, site, pin);
    clearInterval(beats);
    stopWatching();
    heads.stop();
    stopDrain();
    await fleet.flush();
  }
  let stopping: Promise<void> | undefined;
  return { drained: drained.promise, stop: (graceMs = fleetLimits.fleetDrainMs) => (stopping ??= stop(graceMs)) };
}

const countCalls = (calls: SiteCalls, counts: { requests: number; errors: number; busyMs: number }): SiteCalls => ({
  ...calls,
  async call(...args) {
    const startedAt = performance.now();
    const result = await calls.call(...args);
    counts.requests += 1;
    counts.busyMs += performance.now() - startedAt;
    if (result.code !== 0) counts.errors += 1;
    return result;
  },
});

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
      max_ack_pending: fleetLimits.batchTakenEntries,
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
    max_messages: fleetLimits.batchTakenEntries,
    expires: fleetLimits.batchPullMs,
    abort_on_missing_resource: true,
    callback,
  });
}

interface PinnedInfo {
  readonly priority_groups?: readonly { readonly pinned_client_id?: string }[];
}

/** Lets another worker take its place at once. */
async function letGo({ manager }: BatchStreams, site: string, pin: string): Promise<void> {
  const name = consumerName(site);
  // The library's type lacks what the server tells.
  const info = (await manager.consumers.info(itemStream, name).catch(() => undefined)) as PinnedInfo | undefined;
  if (pin === "" || !info?.priority_groups?.some((group) => group.pinned_client_id === pin)) return;
  // Else it is done by the server, a little later.
  await manager.consumers.unpin(itemStream, name, consumerGroup).catch(() => {});
}

const toFacts = (name: string, id: string, site: string, { version, machine }: SiteOptions) => ({
  name,
  id,
  version,
  description: `Calls for the site ${site}, made by Hawser on ${machine}`,
  metadata: { kind: "calls", machine, site },
  endpoints: [],
});
