// One host of a fleet: speaks the agent protocol with it, unchanged, and has the runtimes of the fleet answer. Every request with an id
// ends once. The host need not know which runtime answers, nor that it may change in the middle of a conversation.

import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Msg } from "@nats-io/transport-node";
import { agentProtocol, HawserError, toHawserError, type AnyAgentRequest } from "@hawser/protocol";
import type { Incoming, Transport } from "@hawser/wire";
import {
  createByteBudget,
  createInFlightTable,
  createRecentMap,
  JsonText,
  memberSource,
  untilAborted,
  withIdSource,
} from "@hawser/wire/internal";
import { createNoMore, logLine, serve, type Lifecycle } from "@hawser/wire/internal/node";
import type { Fleet } from "../connect.ts";
import { fleetLimits } from "../limits.ts";
import { readObject } from "../message-text.ts";
import { createAskRuntimes, noRuntime, type AskRuntimes } from "./ask-runtimes.ts";
import { isEnding, toErrorLine } from "./bus-line.ts";
import { createFollowedConversations } from "./followed-conversations.ts";
import { header } from "./conversation-names.ts";
import type { ReadEvent } from "./follow-events.ts";
import { createHostRequests } from "./host-requests.ts";
import { createHostIds } from "./host-ids.ts";
import { openStreams, type Streams } from "./open-streams.ts";
import { createPartJoiner } from "./parts.ts";
import { createRequestPlaces } from "./request-places.ts";

type Kinds = ReadonlySet<AnyAgentRequest["kind"]>;

/** What only reads may be asked again when it is not known what became of it. */
const readingKinds: Kinds = new Set([
  "get_status",
  "list_conversations",
  "load_conversation",
  "list_models",
  "list_options",
  "list_queue",
  "list_changes",
  "search_conversations",
  "list_files",
  "list_folders",
]);

/** About the runtime's own machine, keys among it: they never go onto the bus. */
const machineKinds: Kinds = new Set(["get_settings", "set_settings", "set_key", "test_key", "restart_server", "switch_tool"]);

export interface FleetHost {
  /** Resolves when no more will be read and everything that was asked has ended. */
  serve(transport: Transport, lifecycle: Lifecycle): Promise<void>;
}

/** Throws `usage` where the fleet keeps no conversations, and `connection_failed` where no runtime is there. */
export async function openFleetHost(fleet: Fleet): Promise<FleetHost> {
  const streams = await openStreams(fleet);
  const host = randomUUID();
  const inbox = fleet.createInbox();
  const ask = createAskRuntimes(fleet, streams, { host, inbox });
  const ready = await findRuntime(ask.hello);
  return { serve: (transport, lifecycle) => serveHost({ fleet, streams, host, inbox, ask, ready }, transport, lifecycle) };
}

interface Place {
  readonly fleet: Fleet;
  readonly streams: Streams;
  readonly host: string;
  readonly inbox: string;
  readonly ask: AskRuntimes;
  /** What a runtime says of itself. */
  readonly ready: string;
}

async function serveHost({ fleet, streams, host, inbox, ask, ready }: Place, transport: Transport, lifecycle: Lifecycle): Promise<void> {
  const { connection } = fleet;
  const noMore = createNoMore(transport, lifecycle);
  const ids = createHostIds(host);
  const places = createRequestPlaces();
  const requests = createHostRequests({ ask, onFailed: fail });
  /** Every `subscribe`: it is answered here, by no runtime. */
  const repeating = createInFlightTable();
  /** Requests that have their end: one that was heard, or one of ours where none was. */
  const ended = createRecentMap<"heard" | "failed">(fleetLimits.fleetKnownEntries);
  /** Holds back only the reading of what was missed. */
  const unread = createByteBudget(fleetLimits.fleetHeldEventChars);
  const unreadShare = unread.openShare();
  const followed = createFollowedConversations(fleet, streams, { onEvent: hear, whenRoom: unread.whenRoom });

  let unsentChars = 0;
  /** A host that never reads is left before what waits for it fills the memory. */
  function send(message: unknown, chars: number): void {
    unreadShare.set((unsentChars += chars));
    if (unsentChars > fleetLimits.fleetUnreadChars)
      void transport.close(new HawserError("overloaded", "the host does not read what the fleet says"));
    void transport
      .send(message)
      .catch(() => {})
      .finally(() => unreadShare.set((unsentChars -= chars)));
  }

  /** To the host, under the id as it wrote it. */
  function say(value: Readonly<Record<string, unknown>>, text = JSON.stringify(value)): void {
    const told = ids.toHost(value, text);
    send(told === value ? new JsonText(text) : told, text.length);
  }

  /** From a runtime: an event of a conversation, or the answer to one request. Nothing after its end, which may come on both ways. */
  function hear(
    { value, text }: { readonly value: Readonly<Record<string, unknown>>; readonly text: string },
    conversationId?: string,
  ): void {
    const { id } = value;
    if (typeof id !== "string" || ended.get(id)) return;
    places.learn(value, conversationId);
    requests.touch(id);
    if (isEnding(value)) {
      ended.set(id, "heard");
      requests.close(id);
    }
    say(value, text);
  }

  const join = createPartJoiner();
  function onAnswer(message: Msg): void {
    const text = join(message);
    const value = text === undefined ? undefined : readObject(text);
    const id = value?.["id"];
    if (!value || text === undefined || typeof id !== "string" || !requests.has(id)) return;
    const line = Number(message.headers?.get(header.line) || 0);
    if (line === 0 || requests.isNext(id, line)) hear({ value, text });
  }
  const answers = fleet.listen(inbox, onAnswer);

  function fail(id: string, error: unknown): void {
    ended.set(id, "failed");
    say({ id, ...toErrorLine(error) });
  }

  async function subscribe({ id, conversationId, since = 0 }: Extract<AnyAgentRequest, { kind: "subscribe" }>): Promise<void> {
    const flight = repeating.begin(id);
    function tell({ value, text }: ReadEvent): void {
      if (flight.signal.aborted) return;
      // It runs, whatever the host was told of it.
      ended.delete(String(value["id"]));
      places.learn(value, conversationId);
      say(value, text);
    }
    try {
      const running = await untilAborted(flight.signal, followed.repeat(conversationId, since, tell));
      // It may have come to its end meanwhile.
      if (running !== undefined && ended.get(running) !== "heard" && !requests.has(running)) {
        ended.delete(running);
        requests.begin({ id: running, conversationId, text: "", mayRepeat: true, isTurn: true });
      }
      say({ id, type: "done", ...(running !== undefined && { data: { running } }), timestamp: Date.now() });
    } catch (error) {
      say({ id, ...toErrorLine(error) });
    } finally {
      flight.finish();
    }
  }

  function accept(given: AnyAgentRequest, idSource: string): void {
    if (machineKinds.has(given.kind))
      throw new HawserError("unknown_method", `${given.kind} is about the runtime's machine; do it there, where it was started`);
    const request = places.complete(ids.toBus(given, idSource, (busId) => ended.get(busId) === "heard"));
    const { id, kind } = request;
    if (requests.has(id) || repeating.has(id)) throw new HawserError("duplicate_id", `id ${given.id} is in flight; use a fresh one`);
    if (requests.size + repeating.size >= fleetLimits.fleetHostMessages) throw toOverloaded();
    if (kind === "user_message") noMore.throwIfAborted();
    if (kind === "subscribe") return void subscribe(request);
    const conversationId = places.placeOf(request);
    const isTurn = kind === "user_message";
    // An id may be used again after its end.
    ended.delete(id);
    if (conversationId !== undefined) {
      places.note(id, conversationId);
      followed.follow(conversationId);
    }
    requests.begin({ id, conversationId, text: JSON.stringify(request), mayRepeat: isTurn || readingKinds.has(kind), isTurn });
  }

  function read(item: Incoming): undefined {
    const source = item.kind === "message" ? memberSource(item.text, "id") : memberSource(item.head, "id");
    const idSource = source === "null" || source === '""' ? undefined : source;
    try {
      if (item.kind === "refused") throw item.error;
      accept(agentProtocol.parseRequest(item.value), idSource ?? "");
    } catch (error) {
      const refusal = toHawserError(error);
      logLine(`[hawser] fleet: line ${item.position} was refused: ${refusal.message}`);
      if (idSource !== undefined) send(withIdSource(idSource, toErrorLine(refusal)), idSource.length);
    }
    return undefined;
  }

  function cancelAll(reason: HawserError): void {
    requests.failAll(reason);
    repeating.cancelAll(reason);
  }

  async function finish(): Promise<void> {
    await Promise.race([Promise.all([requests.whenEmpty(), repeating.whenEmpty()]), connection.closed()]);
    requests.stop();
    followed.close();
    answers.unsubscribe();
    await fleet.close();
  }

  // What was said while the server was away.
  fleet.onReconnect(followed.catchUp);
  send(new JsonText(ready), ready.length);
  await serve({ transport, lifecycle, read, cancelAll, finish });
}

const toOverloaded = (): HawserError =>
  new HawserError("overloaded", `${fleetLimits.fleetHostMessages} requests wait for their end; wait for some of them`);

/** What a runtime says of itself. Throws `connection_failed` when none comes in time. */
async function findRuntime(hello: () => Promise<string | undefined>): Promise<string> {
  const deadline = performance.now() + fleetLimits.fleetConnectMs;
  for (;;) {
    const ready = await hello();
    if (ready !== undefined) return ready;
    if (performance.now() > deadline) throw noRuntime();
    await sleep(fleetLimits.fleetRetryMs);
  }
}
