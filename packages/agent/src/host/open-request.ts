// One request from its first response to its end. It ends once: with the runtime's `done`, `error` or
// `status`, or given up from here, by the program, by silence, after the longest time that it may take, or because nobody
// takes what comes. Silence does not count while a question waits for the user, or while we ourselves have stopped reading.

import { errorTable, HawserError, limits, startDeadline, type AnyAgentRequest, type AnyAgentResponse, type ErrorCode } from "@hawser/wire";
import { createEventQueue } from "./event-queue.ts";

export type PermissionRequest = Extract<AnyAgentResponse, { type: "permission_request" }>["data"];
export type Decision = Extract<AnyAgentRequest, { kind: "permission_response" }>["decision"];

/** A decision, and how the user made it, for the audit log: `click`, `key`, `shortcut` or `word`. */
export interface PermissionAnswer {
  readonly decision: Decision;
  readonly via?: string | undefined;
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
  readonly isFull: boolean;
  readonly unreadChars: number;
  readonly iterator: AsyncIterator<AgentEvent, undefined>;
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

export interface OpenRequestOptions {
  readonly id: string;
  readonly kind: string;
  readonly idleMs?: number | undefined;
  readonly totalMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onPermission?: OnPermission | undefined;
  /** Another program began it: who merely stops to look on does not end it. */
  readonly isAdopted: boolean;
  /** Silence is not the runtime's fault. */
  isReadingPaused(): boolean;
  onRead(): void;
  /** Called once. `isGivenUp`: the runtime does not know yet. */
  onEnd(request: OpenRequest, isGivenUp: boolean): void;
  answer(permissionId: string, answer: PermissionAnswer): void;
}

export function createOpenRequest(options: OpenRequestOptions): OpenRequest {
  const { id, kind, signal, idleMs = limits.hostIdleMs, totalMs = limits.hostTotalMs } = options;
  const questions = new Map<string, { toolId: string; over: AbortController }>();
  const queue = createEventQueue<AgentEvent>({ onRead: options.onRead, onReturn: () => end(!options.isAdopted) });
  let lastSeq = 0;
  let isEnded = false;
  let deadline = startIdleClock();
  const cap = startDeadline({ totalMs, onExpire: (cause) => giveUp(timedOut(`the agent did not end it within ${totalMs} ms`, cause)) });

  function startIdleClock(): ReturnType<typeof startDeadline> {
    return startDeadline({ idleMs, onExpire });
  }

  function onExpire(error: HawserError): void {
    if (questions.size > 0 || options.isReadingPaused()) deadline = startIdleClock();
    else giveUp(timedOut(`the agent was silent for ${idleMs} ms`, error));
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
    queue.fail(error, true);
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
      .catch(() => undefined);
    if (settleQuestion(data.permissionId)) options.answer(data.permissionId, toAnswer(given));
  }

  function receive(response: AnyAgentResponse, chars: number): void {
    deadline.touch();
    // What comes again after a `subscribe` is not news.
    const seq = "seq" in response ? response.seq : undefined;
    if (seq !== undefined && seq <= lastSeq) return;
    lastSeq = seq ?? lastSeq;
    if (response.type === "error") {
      queue.fail(toAgentError(response));
      return end(false);
    }
    if (response.type === "ready") return;
    queue.put(response, chars);
    if (response.type === "permission_request") void ask(response.data);
    if (response.type === "tool_result") closeQuestionsOf(response.data.toolId);
    if (response.type === "done" || response.type === "status") {
      queue.end();
      end(false);
    }
  }

  function closeQuestionsOf(toolId: string): void {
    for (const [permissionId, question] of [...questions]) if (question.toolId === toolId) settleQuestion(permissionId);
  }

  const request: OpenRequest = {
    id,
    kind,
    get isFull() {
      return queue.unread > limits.maxUnreadMessages || queue.unreadChars > limits.maxUnreadChars;
    },
    get unreadChars() {
      return queue.unreadChars;
    },
    iterator: queue.iterator,
    receive,
    touch: () => deadline.touch(),
    fail(error) {
      queue.fail(error);
      end(false);
    },
    giveUp,
    settleQuestion,
  };
  signal?.addEventListener("abort", onAbort, { once: true });
  return request;
}

const toAnswer = (given: Decision | PermissionAnswer = "deny"): PermissionAnswer =>
  typeof given === "string" ? { decision: given } : given;

/** A runtime that speaks only the contract gives no code. */
function toAgentError({ id, error, code }: Extract<AnyAgentResponse, { type: "error" }>): HawserError {
  const known = code !== undefined && Object.hasOwn(errorTable, code) ? (code as ErrorCode) : "internal";
  return new HawserError(known, error, { facts: { id } });
}
