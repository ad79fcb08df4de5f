// One request from its first response to its end. It ends once: with the runtime's `done`, `error` or `status`, or
// given up from here, by the program, after silence, after the longest time that it may take, or because what comes is
// not read. Silence does not count while a question waits for the user, or while we ourselves have stopped reading.

import { agentHostLimits } from "./limits.ts";
import { createMailbox, startDeadline, wireLimits, type Deadline, type Mailbox } from "@hawser/wire/internal";
import { errorTable, HawserError, type AnyAgentRequest, type AnyAgentResponse, type ErrorCode } from "@hawser/protocol";

export type PermissionRequest = Extract<AnyAgentResponse, { type: "permission_request" }>["data"];
export type Decision = Extract<AnyAgentRequest, { kind: "permission_response" }>["decision"];

/** A decision, and how the user made it, for the audit log: `click`, `key`, `shortcut` or `word`. */
export interface PermissionAnswer {
  readonly decision: Decision;
  readonly via?: string | undefined;
  /** Which of the question's `options`, where it has some. */
  readonly optionId?: string | undefined;
}

/** Asks the user. The signal aborts when the question is no longer open: answered elsewhere, expired, or the turn has ended. */
export type OnPermission = (
  request: PermissionRequest,
  context: { readonly signal: AbortSignal },
) => Decision | PermissionAnswer | Promise<Decision | PermissionAnswer>;

/** Every response but `ready`, which belongs to no request, and `error`, which is thrown. */
export type AgentEvent = Exclude<AnyAgentResponse, { type: "ready" | "error" }>;

export interface OpenRequest {
  readonly id: string;
  readonly kind: string;
  /** Another program began it, or this one before it lost its link. */
  readonly isAdopted: boolean;
  /** What has come and was not read yet. */
  readonly events: Pick<Mailbox<AgentEvent>, "items" | "isFull" | "unreadWeight">;
  receive(response: AnyAgentResponse, chars: number): void;
  /** Any sign of life. */
  touch(): void;
  /** Ends it from outside; what is unread is still delivered. */
  fail(error: HawserError): void;
  /** Ends it from here; the runtime may still be at it. */
  giveUp(error: HawserError): void;
  /** Whether this question was open; it is not any more. */
  settleQuestion(permissionId: string): boolean;
}

export interface SendOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onPermission?: OnPermission | undefined;
  readonly idleMs?: number | undefined;
  readonly totalMs?: number | undefined;
}

export interface FollowOptions extends SendOptions {
  /** The last `seq` that arrived; 0 unless given. */
  readonly since?: number | undefined;
}

export interface OpenRequestOptions extends SendOptions {
  readonly id: string;
  readonly kind: string;
  /** The last `seq` that arrived of an adopted request. Leaving the loop of one does not cancel it. */
  readonly adoptedSince: number | undefined;
  /** Silence is not the runtime's fault. */
  isReadingPaused(): boolean;
  onRead(): void;
  /** Called once. `isGivenUp`: the runtime does not know yet. */
  onEnd(request: OpenRequest, isGivenUp: boolean): void;
  answer(permissionId: string, answer: PermissionAnswer): unknown;
}

/** What an event costs besides its text. */
const eventChars = 64;

export function createOpenRequest(options: OpenRequestOptions): OpenRequest {
  const { id, kind, signal, idleMs = agentHostLimits.hostIdleMs, totalMs = agentHostLimits.hostTotalMs } = options;
  const isAdopted = options.adoptedSince !== undefined;
  const questions = new Map<string, { toolId: string; over: AbortController }>();
  let arrivingChars = 0;
  const events = createMailbox<AgentEvent>({
    maxItems: wireLimits.maxUnreadMessages,
    maxWeight: wireLimits.maxUnreadChars,
    weigh: () => arrivingChars + eventChars,
    maxReads: Infinity,
    onRead: options.onRead,
    onReturn: () => end(!isAdopted),
  });
  const takeInOrder = createSequence(options.adoptedSince, deliver);
  let isEnded = false;
  let deadline = startIdleClock();
  const cap = startDeadline({ totalMs, onExpire: (cause) => giveUp(timedOut(`the agent did not end it within ${totalMs} ms`, cause)) });

  function startIdleClock(): Deadline {
    return startDeadline({
      idleMs,
      onExpire(error) {
        if (questions.size > 0 || options.isReadingPaused()) deadline = startIdleClock();
        else giveUp(timedOut(`the agent was silent for ${idleMs} ms`, error));
      },
    });
  }

  const timedOut = (reason: string, cause: HawserError): HawserError =>
    new HawserError("timeout", `${reason}; the request was given up`, { cause, facts: { id } });

  function end(isGivenUp: boolean): void {
    if (isEnded) return;
    isEnded = true;
    deadline.clear();
    cap.clear();
    signal?.removeEventListener("abort", onAbort);
    for (const permissionId of [...questions.keys()]) settleQuestion(permissionId);
    options.onEnd(request, isGivenUp);
  }

  function giveUp(error: HawserError): void {
    events.fail(error, true);
    end(true);
  }

  const onAbort = (): void => giveUp(new HawserError("cancelled", "cancelled by the caller", { cause: signal?.reason, facts: { id } }));

  function settleQuestion(permissionId: string): boolean {
    const question = questions.get(permissionId);
    questions.delete(permissionId);
    question?.over.abort();
    deadline.touch();
    return question !== undefined;
  }

  async function ask(data: PermissionRequest): Promise<void> {
    const over = new AbortController();
    questions.set(data.permissionId, { toolId: data.toolId, over });
    if (!options.onPermission) return;
    // A callback that throws means deny.
    const given = await Promise.resolve(data)
      .then((asked) => options.onPermission?.(asked, { signal: over.signal }))
      .catch(() => undefined)
      .then((answer) => answer ?? "deny");
    if (settleQuestion(data.permissionId)) options.answer(data.permissionId, typeof given === "object" ? given : { decision: given });
  }

  function deliver(response: AnyAgentResponse, chars: number): void {
    if (response.type === "error") {
      events.fail(toAgentError(response));
      return end(false);
    }
    if (response.type === "ready") return;
    arrivingChars = chars;
    events.put([response]);
    if (response.type === "permission_request") void ask(response.data);
    if (response.type === "tool_result") {
      for (const [permissionId, { toolId }] of [...questions]) if (toolId === response.data.toolId) settleQuestion(permissionId);
    }
    if (response.type === "done" || response.type === "status") {
      events.end();
      end(false);
    }
  }

  const request: OpenRequest = {
    id,
    kind,
    isAdopted,
    events,
    receive(response, chars) {
      deadline.touch();
      takeInOrder(response, chars);
    },
    touch: () => deadline.touch(),
    fail(error) {
      events.fail(error);
      end(false);
    },
    giveUp,
    settleQuestion,
  };
  signal?.addEventListener("abort", onAbort, { once: true });
  return request;
}

type Deliver = (response: AnyAgentResponse, chars: number) => void;

/**
 * Every response once: what is sent again after a `subscribe` is dropped when it was seen. Of an adopted turn, live
 * events and those that are sent again may mix, so they are put in order: what comes early waits for what is missing.
 * The end waits for nothing.
 */
function createSequence(adoptedSince: number | undefined, deliver: Deliver): Deliver {
  const early = new Map<number, Parameters<Deliver>>();
  let last = adoptedSince ?? 0;
  return (response, chars) => {
    const seq = "seq" in response ? response.seq : undefined;
    if (seq !== undefined && seq <= last) return;
    const isEnd = response.type === "done" || response.type === "error";
    if (adoptedSince !== undefined && seq !== undefined && seq !== last + 1 && !isEnd) {
      if (early.size < agentHostLimits.hostEarlyEntries) early.set(seq, [response, chars]);
      return;
    }
    if (isEnd) for (const seqOfEarly of [...early.keys()].toSorted((one, other) => one - other)) deliverEarly(seqOfEarly);
    last = seq ?? last;
    deliver(response, chars);
    while (early.has(last + 1)) deliverEarly(++last);
  };

  function deliverEarly(seq: number): void {
    const call = early.get(seq);
    early.delete(seq);
    if (call) deliver(...call);
  }
}

/** A runtime that speaks only the contract gives no code. `saidByAgent` tells its `connection_lost`, of a model, from that of our link. */
function toAgentError({ id, error, code }: Extract<AnyAgentResponse, { type: "error" }>): HawserError {
  const known = code !== undefined && Object.hasOwn(errorTable, code) ? (code as ErrorCode) : "internal";
  return new HawserError(known, error, { facts: { id, saidByAgent: true } });
}
