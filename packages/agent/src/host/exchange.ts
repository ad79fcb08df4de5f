// Requests out, responses in, over any link. A response goes to the request whose id it carries; one that belongs to
// no request (late, doubled, invented) changes nothing. Reading pauses when the readers of all open requests are
// behind, so that a link with backpressure slows the runtime. While one of them still waits for an answer, reading goes
// on, and at the memory limit the request that is furthest behind is given up.

import { createOutbox, createRecentMap, isSettledWithin, parseJsonText, wireLimits } from "@hawser/wire/internal";
import {
  agentProtocol,
  type AnyAgentRequest,
  type AnyAgentResponse,
  describeThrown,
  HawserError,
  isRecord,
  toHawserError,
} from "@hawser/protocol/internal";
import { createHeldLines, parseResponse, refusalOf, toLine, type AgentLink, type HeldLines, type ParsedLine } from "./agent-link.ts";
import { agentHostLimits } from "./limits.ts";
import {
  createOpenRequest,
  type FollowOptions,
  type OnPermission,
  type OpenRequest,
  type PermissionAnswer,
  type SendOptions,
} from "./open-request.ts";

/** What a runtime says about itself in `ready`. */
export interface AgentInfo {
  /** Of the protocol; a runtime that speaks only the first form of the contract does not say. */
  readonly version?: string | undefined;
  readonly capabilities: readonly string[];
  readonly build?: string | undefined;
  readonly model?: string | undefined;
  /** By its own clock, in Unix milliseconds: tells one runtime from the next. */
  readonly startedAt: number;
}

export interface ExchangeOptions {
  /** Silence after which a request is given up. */
  readonly idleMs?: number | undefined;
  /** Time after which a request is given up although the runtime still speaks; `Infinity` for never. */
  readonly totalMs?: number | undefined;
  readonly onPermission?: OnPermission | undefined;
  /** Each time a runtime says `ready`: the first one, one that was started again, or the same one over a new link. */
  onReady?(info: AgentInfo): void;
  /** A line that is not a response; reading goes on. `line` is given when it isn't even a JSON object, which `onMessage` then does not get. */
  onNoise?(reason: string, line?: string): void;
  /** Every message, with its JSON text, for a protocol log. A request is logged once the link has taken it. */
  onMessage?(direction: "SEND" | "RECV", message: Readonly<Record<string, unknown>>, text: string): void;
}

type BodyOf<Request> = Request extends AnyAgentRequest ? Omit<Request, "id"> : never;
export type RequestBody = BodyOf<AnyAgentRequest>;

interface Outgoing {
  readonly request: OpenRequest;
  readonly message: AnyAgentRequest;
  readonly line: string;
}

/** What a runtime may work at, or wait for an answer to, after its caller has gone. */
const cancellable: ReadonlySet<string> = new Set(["user_message", "set_workspace"]);

/** A turn that the runtime may begin by itself, under an id that it has named. */
interface Expectation {
  readonly options: SendOptions;
  onBegin(request: OpenRequest): void;
}

export type Exchange = ReturnType<typeof createExchange>;

export function createExchange(link: AgentLink, options: ExchangeOptions) {
  const open = new Map<string, OpenRequest>();
  const expected = createRecentMap<Expectation>(agentHostLimits.hostPendingMessages);
  const holds = new Set<HeldLines>();
  const first = Promise.withResolvers<AgentInfo>();
  let readiness = first;
  let info: AgentInfo | undefined;
  let closedBy: HawserError | undefined;
  const outbox = createOutbox<Outgoing>({ send: sendOne, maxUnsent: Infinity });
  let wakeReader: (() => void) | undefined;
  // There may be no waiter.
  first.promise.catch(() => {});

  function isEveryoneBehind(): boolean {
    for (const { events } of open.values()) if (!events.isFull) return false;
    return open.size > 0;
  }

  function wake(): void {
    wakeReader?.();
    wakeReader = undefined;
  }

  async function readAll(): Promise<void> {
    try {
      for await (const item of link.incoming) {
        if (closedBy) return;
        if (typeof item === "object" && "lost" in item) settleAll(item.lost);
        else if (receive(item)) while (isEveryoneBehind()) await new Promise<void>((resolve) => (wakeReader = resolve));
      }
      shut(new HawserError("connection_lost", "the link to the agent has ended"));
    } catch (error) {
      shut(toHawserError(error, "connection_lost"));
    }
  }

  /** Whether a reader now has more than enough to read. */
  function receive(item: string | ParsedLine): boolean {
    const text = typeof item === "string" ? item : item.text;
    try {
      const value = typeof item === "string" ? parseJsonText(item) : item.value;
      if (!isRecord(value)) throw new HawserError("invalid_message", "not a JSON object");
      options.onMessage?.("RECV", value, text);
      return route(value, text);
    } catch (error) {
      options.onNoise?.(describeThrown(error), text);
      return false;
    }
  }

  function route(value: Record<string, unknown>, text: string): boolean {
    const { type, id } = value;
    try {
      if (type === "ready") onReady(agentProtocol.parseResponse(value) as ReadyMessage);
      if (type === "ready" || typeof id !== "string") return false;
      if (type === "steered" && isRecord(value["data"])) expected.delete(String(value["data"]["steerId"]));
      const request = open.get(id) ?? beginExpected(id);
      if (!request) for (const held of holds) held.keep(id, value, text);
      const response = request && parseResponse(value, request);
      if (response) request.receive(response, text.length);
      if (!request?.events.isFull) return false;
      giveUpFurthestBehind();
      return true;
    } catch (error) {
      options.onNoise?.(describeThrown(error));
      return false;
    }
  }

  function beginExpected(id: string): OpenRequest | undefined {
    const expectation = expected.get(id);
    if (!expectation) return undefined;
    expected.delete(id);
    const request = create(id, "user_message", expectation.options, 0);
    enter(request, expectation.options.signal);
    expectation.onBegin(request);
    return request;
  }

  function giveUpFurthestBehind(): void {
    const requests = [...open.values()];
    if (requests.reduce((sum, { events }) => sum + events.unreadWeight, 0) <= agentHostLimits.hostUnreadChars) return;
    const furthest = requests.reduce((most, each) => (each.events.unreadWeight > most.events.unreadWeight ? each : most));
    furthest.giveUp(
      new HawserError("overloaded", "what the agent sent was not taken in time; read the events, or leave the loop", {
        facts: { id: furthest.id, unreadChars: furthest.events.unreadWeight },
      }),
    );
  }

  function onReady({ version, capabilities = [], build, model, timestamp }: ReadyMessage): void {
    // A runtime says it once: this is another one.
    if (info) settleAll(new HawserError("connection_lost", "the agent was started again; what it was asked before is lost"));
    info = { version, capabilities, build, model, startedAt: timestamp };
    first.resolve(info);
    readiness.resolve(info);
    options.onReady?.(info);
  }

  function settleAll(error: HawserError): void {
    if (info) readiness = Promise.withResolvers<AgentInfo>();
    readiness.promise.catch(() => {});
    info = undefined;
    expected.clear();
    for (const request of [...open.values()]) request.fail(error);
  }

  function shut(reason: HawserError): void {
    if (closedBy) return;
    closedBy = reason;
    first.reject(reason);
    readiness.reject(reason);
    for (const request of [...open.values()]) request.fail(reason);
    wake();
    link.close?.();
  }

  function onEnd(request: OpenRequest, isGivenUp: boolean): void {
    open.delete(request.id);
    wake();
    if (isGivenUp && cancellable.has(request.kind) && info?.capabilities.includes("cancel") && !closedBy) {
      begin({ kind: "cancel", target: request.id });
    }
  }

  /** Whether it was taken; one that is refused has ended. */
  function enter(request: OpenRequest, signal: AbortSignal | undefined): boolean {
    const refusal = closedBy ?? refusalOf(open.size, signal);
    open.set(request.id, request);
    wake();
    if (refusal) request.fail(refusal);
    return !refusal;
  }

  function create(id: string, kind: string, requestOptions: SendOptions, adoptedSince?: number): OpenRequest {
    const { signal, idleMs = options.idleMs, totalMs = options.totalMs, onPermission = options.onPermission } = requestOptions;
    const isReadingPaused = (): boolean => wakeReader !== undefined;
    const given = { id, kind, signal, idleMs, totalMs, onPermission, adoptedSince };
    return createOpenRequest({ ...given, isReadingPaused, onRead: wake, onEnd, answer: answerQuestion });
  }

  function answerQuestion(permissionId: string, { decision, via, optionId }: PermissionAnswer): OpenRequest {
    const isNoted = via !== undefined && info?.capabilities.includes("permission_via");
    const answer = { permissionId, decision, ...(optionId !== undefined && { optionId }), ...(isNoted && { via }) };
    return begin({ kind: "permission_response", ...answer });
  }

  /** Sends it as soon as the runtime is ready. */
  function begin(body: RequestBody, requestOptions: SendOptions = {}): OpenRequest {
    const id = crypto.randomUUID();
    const request = create(id, body.kind, requestOptions);
    if (enter(request, requestOptions.signal)) void deliver(request, { id, ...body });
    return request;
  }

  // Turned into a line at once: what the program does with its object afterwards changes nothing.
  async function deliver(request: OpenRequest, message: AnyAgentRequest): Promise<void> {
    try {
      const line = toLine(message);
      if (!info) await readiness.promise;
      await outbox.send({ request, message, line });
    } catch (error) {
      request.fail(toHawserError(error, "connection_lost"));
    }
  }

  async function sendOne({ request, message, line }: Outgoing): Promise<void> {
    // Never before the caller has its request in hand.
    await Promise.resolve();
    if (open.get(message.id) !== request) return;
    try {
      const sending = link.send(line, message.kind);
      options.onMessage?.("SEND", message, line);
      await sending;
    } catch (error) {
      throw toHawserError(error, "connection_lost");
    }
  }

  void readAll();

  return {
    /** Of the first runtime; rejects when there will be none. */
    ready: first.promise,
    /** Of the present runtime; undefined until it is ready. */
    get info(): AgentInfo | undefined {
      return info;
    },
    begin,
    /** Follows a request that another program sent, or this one before it lost its link; `held` has kept what came of it so far. */
    adopt(id: string, { since = 0, ...requestOptions }: FollowOptions, held?: HeldLines): OpenRequest {
      const request = create(id, "user_message", requestOptions, since);
      enter(request, requestOptions.signal);
      for (const { value, text } of held?.takeOf(id) ?? []) route(value, text);
      return request;
    },
    /** Begins a request of its own with the first response under this id, of which `held` has kept what came so far. Not expected for ever: the oldest goes first. */
    expect(id: string, expectation: Expectation, held: HeldLines): void {
      expected.set(id, expectation);
      for (const { value, text } of held.takeOf(id)) route(value, text);
    },
    /** Keeps responses of unknown ids while `work` runs. */
    async holding<Result>(work: (held: HeldLines) => Promise<Result>): Promise<Result> {
      const held = createHeldLines();
      holds.add(held);
      return work(held).finally(() => holds.delete(held));
    },
    isOpen: (id: string): boolean => open.has(id),
    /** The question is answered by other means than the callback. */
    settleQuestion(permissionId: string): void {
      for (const request of open.values()) request.settleQuestion(permissionId);
    },
    answerQuestion,
    giveUp: (id: string, error: HawserError): void => open.get(id)?.giveUp(error),
    async close(reason: HawserError): Promise<void> {
      if (closedBy) return;
      // A runtime that is told so ends our turns now, and not when it has finished them.
      const turns = [...open.values()].filter(({ kind, isAdopted }) => kind === "user_message" && !isAdopted);
      for (const turn of turns) turn.giveUp(reason);
      await isSettledWithin(outbox.whenSent(), wireLimits.closeFlushMs);
      shut(reason);
    },
  };
}

type ReadyMessage = Extract<AnyAgentResponse, { type: "ready" }>;
