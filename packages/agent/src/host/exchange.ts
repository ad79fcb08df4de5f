// Requests out, responses in, over any link. Responses go to the request whose id they carry; what belongs
// to none (late, doubled, invented) changes nothing. Reading pauses when every program that asked something
// is behind, so that a link with backpressure slows the runtime; while anybody still waits for an answer,
// reading goes on, and who is furthest behind is given up before memory is.

import { agentProtocol, describeThrown, HawserError, isRecord, isSettledWithin, limits, parseJsonText, toHawserError } from "@hawser/wire";
import type { AnyAgentRequest, AnyAgentResponse } from "@hawser/wire";
import type { AgentLink, ParsedLine } from "./agent-link.ts";
import { parseResponse, refusalOf, toLine } from "./exchange-lines.ts";
import { createHolds, type Hold } from "./hold.ts";
import { createOpenRequest, type OnPermission, type OpenRequest, type PermissionAnswer } from "./open-request.ts";

/** What a runtime says about itself in `ready`. */
export interface AgentInfo {
  /** Of the protocol; a runtime that speaks only the first form of the contract does not say. */
  readonly version?: string | undefined;
  readonly capabilities: readonly string[];
  readonly build?: string | undefined;
  readonly model?: string | undefined;
}

export interface ExchangeOptions {
  /** Silence after which a request is given up. */
  readonly idleMs?: number | undefined;
  /** Time after which a request is given up although the runtime still speaks; `Infinity` for never. */
  readonly totalMs?: number | undefined;
  readonly onPermission?: OnPermission | undefined;
  /** A line that is no response; reading goes on. */
  onNoise?(reason: string): void;
  /** Every message, for a protocol log. */
  onMessage?(direction: "SEND" | "RECV", message: Readonly<Record<string, unknown>>): void;
}

export interface RequestOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onPermission?: OnPermission | undefined;
  readonly idleMs?: number | undefined;
  readonly totalMs?: number | undefined;
}

type RequestBody<Kind> = Kind extends AnyAgentRequest ? Omit<Kind, "id"> : never;

export interface Exchange {
  /** Of the first runtime; rejects when there will be none. */
  readonly ready: Promise<AgentInfo>;
  /** Of the present runtime; undefined until it is ready. */
  readonly info: AgentInfo | undefined;
  /** Sends it as soon as the runtime is ready. */
  begin(request: RequestBody<AnyAgentRequest>, options?: RequestOptions): OpenRequest;
  /** Follows a turn that another program began; `hold` has kept what came of it so far. */
  adopt(id: string, hold: Hold, options: RequestOptions): OpenRequest;
  /** Keeps responses of unknown ids, until it is let go. */
  hold(): Hold;
  isOpen(id: string): boolean;
  /** The question is answered by other means than the callback. */
  settleQuestion(permissionId: string): void;
  answerQuestion(permissionId: string, answer: PermissionAnswer): OpenRequest;
  giveUp(id: string, error: HawserError): void;
  close(reason: HawserError): Promise<void>;
}

export function createExchange(link: AgentLink, options: ExchangeOptions): Exchange {
  const open = new Map<string, OpenRequest>();
  const holds = createHolds();
  const first = Promise.withResolvers<AgentInfo>();
  let readiness = first;
  let info: AgentInfo | undefined;
  let closedBy: HawserError | undefined;
  let lastSend: Promise<void> = Promise.resolve();
  let wakeReader: (() => void) | undefined;
  // Nobody may be waiting for it.
  first.promise.catch(() => {});

  const isReadingPaused = (): boolean => wakeReader !== undefined;

  function isEveryoneBehind(): boolean {
    for (const { isFull } of open.values()) if (!isFull) return false;
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

  /** Whether somebody has now more than enough to read. */
  function receive(item: string | ParsedLine): boolean {
    try {
      return dispatch(typeof item === "string" ? { value: parseJsonText(item), text: item } : item);
    } catch (error) {
      options.onNoise?.(describeThrown(error));
      return false;
    }
  }

  function dispatch(line: ParsedLine): boolean {
    const { value, text } = line;
    if (!isRecord(value)) throw new HawserError("invalid_message", "not a JSON object");
    options.onMessage?.("RECV", value);
    if (value["type"] === "ready") {
      onReady(agentProtocol.parseResponse(value) as ReadyMessage);
      return false;
    }
    const id = value["id"];
    const request = typeof id === "string" ? open.get(id) : undefined;
    if (!request) {
      if (typeof id === "string") holds.keep(id, line);
      return false;
    }
    const response = parseResponse(value, request);
    if (response) request.receive(response, text.length);
    if (!request.isFull) return false;
    giveUpFurthestBehind();
    return true;
  }

  function giveUpFurthestBehind(): void {
    const requests = [...open.values()];
    if (requests.reduce((sum, { unreadChars }) => sum + unreadChars, 0) <= limits.hostUnreadChars) return;
    const furthest = requests.reduce((most, each) => (each.unreadChars > most.unreadChars ? each : most));
    furthest.giveUp(
      new HawserError("overloaded", "what the agent sent was not taken in time; read the events, or leave the loop", {
        facts: { id: furthest.id, unreadChars: furthest.unreadChars },
      }),
    );
  }

  function onReady({ version, capabilities = [], build, model }: ReadyMessage): void {
    // A runtime says it once: this is another one.
    if (info) settleAll(new HawserError("connection_lost", "the agent was started again; what it was asked before is lost"));
    info = { version, capabilities, build, model };
    first.resolve(info);
    readiness.resolve(info);
  }

  function settleAll(error: HawserError): void {
    if (info) readiness = Promise.withResolvers<AgentInfo>();
    readiness.promise.catch(() => {});
    info = undefined;
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
    if (isGivenUp && request.kind === "user_message" && info?.capabilities.includes("cancel") && !closedBy) {
      begin({ kind: "cancel", target: request.id });
    }
  }

  function create(id: string, kind: string, requestOptions: RequestOptions, isAdopted = false): OpenRequest {
    const { signal, idleMs = options.idleMs, totalMs = options.totalMs, onPermission = options.onPermission } = requestOptions;
    const answer = (permissionId: string, given: PermissionAnswer): void => void answerQuestion(permissionId, given);
    const onRead = (): void => (isReadingPaused() ? wake() : undefined);
    return createOpenRequest({ id, kind, signal, idleMs, totalMs, onPermission, isReadingPaused, onRead, onEnd, answer, isAdopted });
  }

  function answerQuestion(permissionId: string, { decision, via }: PermissionAnswer): OpenRequest {
    const isNoted = via !== undefined && info?.capabilities.includes("permission_via");
    return begin({ kind: "permission_response", permissionId, decision, ...(isNoted && { via }) });
  }

  function begin(body: RequestBody<AnyAgentRequest>, requestOptions: RequestOptions = {}): OpenRequest {
    const id = crypto.randomUUID();
    const request = create(id, body.kind, requestOptions);
    const refusal = closedBy ?? refusalOf(open.size, requestOptions.signal);
    open.set(id, request);
    wake();
    if (refusal) request.fail(refusal);
    else void deliver(request, { id, ...body });
    return request;
  }

  // Written at once, so that what the program does with it afterwards changes nothing.
  async function deliver(request: OpenRequest, message: AnyAgentRequest): Promise<void> {
    try {
      const line = toLine(message);
      if (!info) await readiness.promise;
      const sent = lastSend.then(() => {
        if (open.get(message.id) !== request) return undefined;
        options.onMessage?.("SEND", message);
        return link.send(line);
      });
      lastSend = sent.then(
        () => {},
        () => {},
      );
      await sent;
    } catch (error) {
      request.fail(toHawserError(error, "connection_lost"));
    }
  }

  void readAll();

  return {
    ready: first.promise,
    get info() {
      return info;
    },
    begin,
    adopt(id, hold, requestOptions) {
      const request = create(id, "user_message", requestOptions, true);
      open.set(id, request);
      for (const line of hold.takeOf(id)) receive(line);
      wake();
      return request;
    },
    hold: holds.open,
    isOpen: (id) => open.has(id),
    settleQuestion(permissionId) {
      for (const request of open.values()) request.settleQuestion(permissionId);
    },
    answerQuestion,
    giveUp: (id, error) => open.get(id)?.giveUp(error),
    async close(reason) {
      if (closedBy) return;
      // A runtime that is told so ends its turns now, and not when it has finished them.
      const turns = [...open.values()].filter(({ kind }) => kind === "user_message");
      for (const turn of turns) turn.giveUp(reason);
      await isSettledWithin(lastSend, limits.closeFlushMs);
      shut(reason);
    },
  };
}

type ReadyMessage = Extract<AnyAgentResponse, { type: "ready" }>;
