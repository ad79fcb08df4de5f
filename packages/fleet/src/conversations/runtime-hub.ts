// The lines of all hosts of a fleet, as one transport for a runtime. A line about a conversation reaches the runtime only once the
// conversation is its own; the host is told where it is otherwise. Events of a turn go to the conversation's subject, with the claim under
// which they were said; answers to one request go to its host. What a runtime says of a conversation that it has lost is dropped.

import { randomUUID } from "node:crypto";
import type { Msg, Subscription } from "@nats-io/transport-node";
import { HawserError, toHawserError, type ConversationMessage } from "@hawser/protocol";
import { createMemoryPair, type Transport } from "@hawser/wire";
import { createRecentMap, createSemaphore, JsonText, type Semaphore } from "@hawser/wire/internal";
import { logLine } from "@hawser/wire/internal/node";
import type { Fleet } from "../connect.ts";
import { fleetLimits } from "../limits.ts";
import { fromHeaderText, readObject, toHeaderText } from "../message-text.ts";
import { isEnding, namedConversation, toErrorLine, type LineReply } from "./bus-line.ts";
import { anyRuntimeSubject, header, runtimeQueue, toEventSubject, toRuntimeSubject } from "./conversation-names.ts";
import { toPartHeaders, toParts } from "./parts.ts";
import { watchStalls } from "./stalls.ts";

/** A conversation as the hub needs it; while it is open, it belongs to this runtime. */
interface OpenConversation {
  /** It is not ours any more, and still has to be let go. */
  readonly isStale: boolean;
  readonly messages: readonly ConversationMessage[];
  /** Whether the end of this answer is not written. */
  isUnfinished(messageId: string): boolean;
  close(): Promise<void>;
}

export interface HubOptions {
  readonly runtime: string;
  /** Takes the conversation for this runtime. Throws `overloaded`, with the owner in `facts`, while another one has it. */
  open(conversationId: string): Promise<OpenConversation>;
  /** The claim under which it is ours; undefined when it is not. */
  epochOf(conversationId: string): number | undefined;
}

interface Asked {
  readonly kind: unknown;
  readonly conversationId: string | undefined;
  readonly epoch: number;
  /** Where the answer goes; a turn's events go to its conversation. */
  readonly inbox: string;
  /** Lines that were said there. */
  lines: number;
  close(): void;
}

export function createRuntimeHub(fleet: Fleet, { runtime, open, epochOf }: HubOptions) {
  const { connection } = fleet;
  const [inner, outer] = createMemoryPair();
  /** What the runtime works at, by the id of the request. */
  const asked = new Map<string, Asked>();
  /** What was said to a turn, and may become a turn of its own. */
  const steers = createRecentMap<Asked>(fleetLimits.fleetKnownEntries);
  /** Lines of one conversation one after the other, as they have come. */
  const lanes = new Map<string, Semaphore>();
  const counts = { requests: 0, errors: 0, busyMs: 0, lastError: "" };
  const stalls = watchStalls(fleetLimits.fleetAskMs);
  let ready = "";
  let isLeaving = false;

  function publish(subject: string, text: string, values: Readonly<Record<string, string>>): void {
    if (connection.isClosed()) return;
    const parts = toParts(text, fleet.maxPayload);
    const record = parts.length > 1 ? { [header.record]: randomUUID() } : {};
    for (const [index, part] of parts.entries())
      connection.publish(subject, part, { headers: toPartHeaders({ ...values, ...record }, index, parts.length) });
  }

  function publishEvent(conversationId: string, epoch: number, text: string): void {
    publish(toEventSubject(conversationId), text, { [header.epoch]: String(epoch), [header.conversation]: toHeaderText(conversationId) });
  }

  /** What the runtime says. */
  function tell(value: Readonly<Record<string, unknown>>, text: string): void {
    const { id, type, data } = value;
    if (type === "ready") ready = text;
    if (typeof id !== "string") return;
    const request = asked.get(id) ?? beginSteered(id);
    if (!request) return;
    const { kind, conversationId, epoch, inbox } = request;
    if (kind === "steer") expectSteered(request, data);
    if (kind !== "user_message") {
      if (inbox !== "") publish(inbox, text, { [header.line]: String((request.lines += 1)) });
    } else if (conversationId !== undefined && epochOf(conversationId) === epoch) publishEvent(conversationId, epoch, text);
    if (!isEnding(value)) return;
    if (type === "error") [counts.errors, counts.lastError] = [counts.errors + 1, String(value["error"])];
    asked.delete(id);
    request.close();
  }

  /** The turn that a steer has become: from its first event on it is one as any other. */
  function beginSteered(id: string): Asked | undefined {
    const turn = steers.get(id);
    if (turn) asked.set(id, turn);
    steers.delete(id);
    return turn;
  }

  /** What was said to a turn may become a turn of its own, under the id that the answer names. */
  function expectSteered({ conversationId, epoch }: Asked, data: unknown): void {
    const { steerId } = (data ?? {}) as { steerId?: unknown };
    if (typeof steerId !== "string") return;
    steers.set(steerId, { kind: "user_message", conversationId, epoch, inbox: "", lines: 0, close() {} });
  }

  async function speak(): Promise<void> {
    let unflushed = 0;
    for await (const item of outer.incoming) {
      if (item.kind === "message") tell(item.value as Record<string, unknown>, item.text);
      // A server that can't keep up, or is away, holds the runtime back.
      if (++unflushed % fleetLimits.fleetUnflushedMessages === 0) await fleet.flush();
    }
  }

  async function take(message: Msg): Promise<void> {
    const answer = (reply: LineReply): void => void message.respond(JSON.stringify(reply));
    const named = message.headers?.get(header.conversation);
    if (message.data.length === 0 && !named) return void message.respond(ready);
    // After a standstill, what comes has waited: its host may have asked another runtime meanwhile.
    if (isLeaving || stalls.isAfterStall()) return answer({ isLeaving: true });
    const text = message.string();
    const request = readObject(text) ?? {};
    const conversationId = (named && fromHeaderText(named)) || namedConversation(request);
    if (conversationId === undefined) {
      await forward(message, request, text);
      return answer({ accepted: true, runtime });
    }
    if (request["kind"] === "user_message" && hasEnough(conversationId)) return answer({ isFull: true });
    const lane = lanes.get(conversationId) ?? createSemaphore(1, { maxWaiting: fleetLimits.fleetCalls });
    lanes.set(conversationId, lane);
    try {
      answer(await lane.run(() => takeOwned(message, request, { text, conversationId })));
    } finally {
      if (lane.used === 0 && lane.waiting === 0) lanes.delete(conversationId);
    }
  }

  /** Whether a turn of this conversation would be one more than the runtime answers at the same time. Nothing is claimed for it then. */
  function hasEnough(conversationId: string): boolean {
    const busy = new Set(lanes.keys());
    for (const { kind, conversationId: of } of asked.values()) if (kind === "user_message" && of !== undefined) busy.add(of);
    return busy.size >= fleetLimits.fleetBusyLanes && !busy.has(conversationId);
  }

  async function takeOwned(
    message: Msg,
    request: Record<string, unknown>,
    line: { text: string; conversationId: string },
  ): Promise<LineReply> {
    const { text, conversationId } = line;
    const accepted = { accepted: true, runtime } as const;
    let conversation: OpenConversation;
    try {
      conversation = await open(conversationId);
    } catch (error) {
      return refuse(message, request["id"], toHawserError(error));
    }
    if (conversation.isStale) {
      await conversation.close();
      return { isLeaving: true };
    }
    const close = (): void => void conversation.close().catch(() => {});
    const id =
      message.headers?.get(header.turn) || (request["kind"] === "user_message" && message.headers?.get(header.host) && request["id"]);
    // Without a host's name nothing is known to be a repetition.
    if (typeof id === "string") {
      const end = asked.has(id) ? undefined : recordedEnd(conversation, conversationId, id);
      if (end) publish(message.headers?.get(header.inbox) ?? "", JSON.stringify(end), {});
      if (end || asked.has(id)) {
        close();
        return accepted;
      }
    }
    if (text === "") close();
    else await forward(message, request, text, { conversationId, close });
    return accepted;
  }

  /** The line does not reach the runtime: only who has a conversation knows what was asked in it before. */
  function refuse(message: Msg, id: unknown, error: HawserError): LineReply {
    const { owner, isRefused } = error.facts;
    if (typeof owner === "string") return { owner };
    // Something else than us has failed, a server that is away for example: the host tries again.
    if (error.cause !== undefined && isRefused !== true) return { isLeaving: true };
    const inbox = message.headers?.get(header.inbox);
    if (typeof id === "string" && inbox) publish(inbox, JSON.stringify({ id, ...toErrorLine(error) }), {});
    return { accepted: true, runtime };
  }

  async function forward(
    message: Msg,
    { id, kind }: Record<string, unknown>,
    text: string,
    { conversationId, close }: { conversationId?: string; close(): void } = { close() {} },
  ): Promise<void> {
    if (typeof id !== "string") return close();
    counts.requests += 1;
    const epoch = (conversationId !== undefined && epochOf(conversationId)) || 0;
    const request = { kind, conversationId, epoch, inbox: message.headers?.get(header.inbox) ?? "", lines: 0, close };
    // A second one under the same id is refused by the runtime, and ends nothing of the first.
    if (asked.has(id)) close();
    else asked.set(id, request);
    await outer.send(new JsonText(text)).catch((error: unknown) => {
      if (asked.get(id) === request) asked.delete(id);
      close();
      publish(request.inbox, JSON.stringify({ id, ...toErrorLine(error) }), {});
    });
  }

  const onMessage = (message: Msg): void => {
    take(message).catch((cause: unknown) => logLine(`[hawser] fleet: a line could not be taken: ${toHawserError(cause).message}`));
  };
  const subscriptions: Subscription[] = [];
  void speak();

  return {
    /** For the runtime. */
    transport: inner satisfies Transport,
    counts,
    /** From now on hosts are served. */
    async begin(): Promise<void> {
      subscriptions.push(fleet.listen(anyRuntimeSubject, onMessage, runtimeQueue), fleet.listen(toRuntimeSubject(runtime), onMessage));
      await connection.flush();
    },
    /** Another machine has taken it: its turns are ended here, unheard. */
    lose(conversationId: string): void {
      for (const [target, { kind, conversationId: of }] of asked) {
        if (kind !== "user_message" || of !== conversationId) continue;
        const id = randomUUID();
        void outer.send({ id, kind: "cancel", target }).catch(() => {});
      }
    },
    /** The end of a turn whose machine has died in the middle of it. */
    tellInterrupted(conversationId: string, answer: ConversationMessage): void {
      const epoch = epochOf(conversationId);
      if (epoch === undefined || answer.requestId === undefined) return;
      publishEvent(conversationId, epoch, JSON.stringify({ id: answer.requestId, ...toInterruption(answer) }));
    },
    /** Nothing new is taken; hosts look elsewhere. */
    async leave(): Promise<void> {
      isLeaving = true;
      if (subscriptions[0]) await fleet.drain(subscriptions[0]);
    },
    async close(): Promise<void> {
      stalls.stop();
      await outer.close();
      for (const subscription of subscriptions) subscription.unsubscribe();
      await fleet.flush();
    },
  };
}

/** What a turn that is in the journal has ended with; undefined when it is not there, or not over. */
function recordedEnd({ messages, isUnfinished }: OpenConversation, conversationId: string, id: string): object | undefined {
  const at = messages.findLastIndex(({ role, requestId }) => role === "assistant" && requestId === id);
  const answer = messages[at];
  if (!answer) return undefined;
  if (answer.interrupted !== undefined || isUnfinished(answer.messageId)) return { id, ...toInterruption(answer) };
  const userMessageId = messages.findLast(({ role }, index) => index < at && role === "user")?.messageId ?? "";
  const data = { conversationId, userMessageId, assistantMessageId: answer.messageId };
  return { id, type: "done", data, timestamp: Date.now() };
}

const toInterruption = ({ interrupted = "it ended early" }: ConversationMessage): object =>
  toErrorLine(new HawserError("connection_lost", `${interrupted}; what was said and done until then is in the conversation`));
