// Tools of this machine, for the others. A call is the bridge's contract as it is: a request, then progress and log lines, one result or
// one error, all to the inbox that the request names; an empty message there means that the call is still running. Core NATS never
// delivers a request twice, so a function never runs twice for one call.

import { createHash, randomUUID } from "node:crypto";
import type { Msg } from "@nats-io/transport-node";
import { createContractTools, toBoundedText, toProgress } from "@hawser/bridge/internal";
import { bridgeProtocol, errorTable, HawserError, toHawserError } from "@hawser/protocol";
import type { ToolContext, ToolSource } from "@hawser/tools";
import { checkSource, toTools } from "@hawser/tools/internal";
import {
  createByteBudget,
  createSemaphore,
  isSettledWithin,
  parseJsonText,
  toJsonText,
  untilAborted,
  weighJsonText,
} from "@hawser/wire/internal";
import { logLine } from "@hawser/wire/internal/node";
import type { Fleet } from "../connect.ts";
import { answerDiscovery } from "../discovery.ts";
import { fleetLimits } from "../limits.ts";
import { callQueue, toServiceSubjects } from "../subjects.ts";
import { readClient } from "./calling-client.ts";
import { toAnnouncement, toPages } from "./tool-pages.ts";

export interface OfferOptions {
  readonly service: string;
  readonly tools: ToolSource;
  /** The product's version. */
  readonly version: string;
  /** For lists of services: the machine's name. */
  readonly machine: string;
}

export interface OfferedTools {
  readonly id: string;
  readonly names: readonly string[];
  /** Resolves when somebody has told this machine to leave. */
  readonly drained: Promise<void>;
  /** No new call begins; those that run have their time, are then cancelled, and every one of them is answered. */
  stop(graceMs?: number): Promise<void>;
}

/** Throws `usage` for a name or tool that can't be offered, also when the server does not allow it. */
export async function offerTools(fleet: Fleet, { service, tools: source, version, machine }: OfferOptions): Promise<OfferedTools> {
  const { connection } = fleet;
  const subjects = toServiceSubjects(service);
  const tools = createContractTools(toTools(source));
  const id = randomUUID();
  const digest = createHash("sha256").update(JSON.stringify(tools.schemas)).digest("hex").slice(0, 32);
  const pages = toPages(tools.schemas, fleet.maxPayload);
  const announcement = { service, id, digest, pages: pages.length, startedAt: Date.now(), machine };
  const seats = createSemaphore(fleetLimits.fleetCalls);
  const room = createByteBudget(fleetLimits.fleetHeldBytes);
  const running = new Map<string, { readonly abort: AbortController; readonly ended: Promise<void> }>();
  const counts = { requests: 0, errors: 0, busyMs: 0, lastError: "" };
  const drained = Promise.withResolvers<void>();

  const announce = (isGone = false): void => fleet.say(subjects.announce, toAnnouncement({ ...announcement, isGone }));

  /** Never rejects: a failure is an answer too. */
  async function answer(message: Msg, reply: string, abort: AbortController): Promise<object> {
    const text = message.string();
    const seat = seats.tryAcquire();
    const held = room.tryAcquire(weighJsonText(text));
    try {
      if (!seat || !held) throw new HawserError("overloaded", `"${service}" on ${machine} runs as many calls as it can; try again`);
      const request = bridgeProtocol.parseRequest(parseJsonText(text));
      if (request.method === "hello") throw new HawserError("unknown_method", "this bus has no hello; send call_tool");
      const { name, arguments: args } = request.params;
      await checkSource(name, args, text, ["params", "arguments"]);
      return await untilAborted(abort.signal, Promise.resolve(tools.call(name, args, createContext(message, reply, abort))));
    } catch (error) {
      const { code, message } = toHawserError(error);
      return { error: { message, type: errorTable[code].ipcType } };
    } finally {
      seat?.release();
      held?.release();
    }
  }

  function createContext(message: Msg, reply: string, abort: AbortController): ToolContext {
    let told = 0;
    // Only while it runs, and no more than a client can want: a loop that reports for ever must not fill the memory.
    const tell = (frame: object): void => {
      if (!running.has(reply) || abort.signal.aborted || told >= fleetLimits.fleetNoteEntries) return;
      told += 1;
      fleet.say(reply, toJsonText(frame));
    };
    return {
      signal: abort.signal,
      client: readClient(message),
      progress(...report) {
        const progress = toProgress(...report);
        if (progress) tell({ progress });
      },
      log: (message, level = "info") => tell({ log: { level, message: toBoundedText(message) } }),
    };
  }

  async function run(message: Msg, reply: string, abort: AbortController): Promise<void> {
    const startedAt = performance.now();
    fleet.say(reply);
    const beat = setInterval(() => fleet.say(reply), fleetLimits.fleetBeatMs);
    try {
      const frame = await answer(message, reply, abort);
      counts.requests += 1;
      counts.busyMs += performance.now() - startedAt;
      if ("error" in frame) {
        counts.errors += 1;
        counts.lastError = (frame.error as { message: string }).message;
      }
      fleet.say(reply, toSendable(frame, fleet.maxPayload));
    } finally {
      clearInterval(beat);
      running.delete(reply);
    }
  }

  function begin(message: Msg): void {
    const { reply } = message;
    // Without an inbox there is nowhere to answer; the same inbox twice is not a new call.
    if (!reply || running.has(reply)) return;
    const abort = new AbortController();
    const started = Promise.withResolvers<void>();
    running.set(reply, { abort, ended: started.promise });
    run(message, reply, abort)
      .catch((error: unknown) => logLine(`[hawser] fleet: an answer could not be sent: ${toHawserError(error).message}`))
      .finally(started.resolve);
  }

  const calls = fleet.listen(subjects.call(digest), begin, callQueue);
  const others = [
    fleet.listen(subjects.list(digest), (message) => message.respond(pages[Number(message.string())] ?? "[]"), callQueue),
    fleet.listen(subjects.who, () => announce()),
    fleet.listen(subjects.cancel, (message) =>
      running.get(message.string())?.abort.abort(new HawserError("cancelled", "the client cancelled the call or is gone")),
    ),
  ];
  const stopDrain = fleet.onDrain([service, id], drained.resolve);
  const endpoint = { name: "call", subject: subjects.call(digest), queueGroup: callQueue };
  const metadata = { kind: "tools", machine, tools: String(tools.schemas.length) };
  const description = `Tools of ${machine}, offered by Hawser`;
  const stopDiscovery = answerDiscovery(fleet, { name: service, id, version, description, metadata, endpoints: [endpoint] }, () => counts);
  const beat = setInterval(announce, fleetLimits.fleetAnnounceMs);
  let stopping: Promise<void> | undefined;

  async function stop(graceMs: number): Promise<void> {
    clearInterval(beat);
    announce(true);
    stopDiscovery();
    // What the server has sent already still comes.
    await fleet.drain(calls);
    const ended = (): Promise<unknown> => Promise.all(Array.from(running.values(), (call) => call.ended));
    await isSettledWithin(ended(), graceMs);
    for (const { abort } of running.values()) abort.abort(new HawserError("cancelled", `"${service}" on ${machine} is leaving`));
    await ended();
    for (const subscription of others) subscription.unsubscribe();
    stopDrain();
    await fleet.flush();
  }

  // Without a connection there are no callers.
  void connection.closed().then(() => {
    clearInterval(beat);
    for (const { abort } of running.values()) abort.abort(new HawserError("closed", "the connection to the fleet was closed"));
  });
  announce();
  await fleet.checkAllowed();
  return {
    id,
    names: tools.schemas.map(({ name }) => name),
    drained: drained.promise,
    stop: (graceMs = fleetLimits.fleetDrainMs) => (stopping ??= stop(graceMs)),
  };
}

/** A result that the server does not carry becomes an error that says so. */
function toSendable(frame: object, maxPayload: number): string {
  const refuse = (message: string): string => JSON.stringify({ error: { message, type: "IPCMessageSizeError" } });
  try {
    const text = toJsonText(frame);
    const bytes = Buffer.byteLength(text);
    if (bytes <= maxPayload) return text;
    return refuse(`the result has ${bytes} bytes, and the fleet's server carries ${maxPayload}; return less, or raise its max_payload`);
  } catch (error) {
    return refuse(`the result can't be sent: ${toHawserError(error).message}`);
  }
}
