// Serves the agent protocol on one transport. The reader never waits for a turn: turns go to their lane,
// everything else is answered at once. It stops only while too many answers are on their way. Every
// request that can be attributed ends exactly once; what can't is a line in the log. A line that is refused under
// the id of a request in flight ends nothing: that request's own `progress` says so.

import {
  AGENT_CAPABILITIES,
  AGENT_PROTOCOL_VERSION,
  agentProtocol,
  createInFlightTable,
  HawserError,
  limits,
  memberSource,
  toHawserError,
  weighJsonText,
  whenAborted,
  type AnyAgentRequest,
  type Incoming,
  type Transport,
} from "@hawser/wire";
import type { Lifecycle } from "@hawser/wire/node";
import { turnLimits, type AgentParts } from "./agent-parts.ts";
import { createControlAnswers, type ControlRequest } from "./control-requests.ts";
import { toErrorMembers } from "./error-members.ts";
import { createOpenConversations } from "./open-conversations.ts";
import { createOutbox } from "./outbox.ts";
import { createQuestions } from "./questions.ts";
import { createRefusalLog } from "./refusal-log.ts";
import { createReply, type Reply } from "./reply.ts";
import { defaultConversation, readMetadata } from "./request-metadata.ts";
import { createTurns } from "./turns.ts";

export interface ServeAgentOptions {
  /** Ends the serving from outside, as a process does when it is told to stop. */
  readonly lifecycle?: Lifecycle | undefined;
}

/** Resolves when no more will be read, everything accepted has ended, and the history is closed. */
export async function serveAgent(transport: Transport, parts: AgentParts, options: ServeAgentOptions = {}): Promise<void> {
  const { stopping, cancelling } = options.lifecycle ?? {};
  const startedAt = performance.now();
  const over = new AbortController();
  const gone = new AbortController();
  const noMore = AbortSignal.any([gone.signal, stopping, cancelling].filter((signal) => signal !== undefined));
  const outbox = createOutbox(transport);
  const inFlight = createInFlightTable();
  const conversations = createOpenConversations(parts.store);
  const questions = createQuestions(turnLimits(parts));
  const turns = createTurns({ parts, outbox, inFlight, conversations, questions });
  const refusals = createRefusalLog();
  /** By the id of their request, until their end is written. */
  const replies = new Map<string, Reply>();
  const isStopping = (): boolean => noMore.aborted;
  let answering = 0;
  let onAnswered = (): void => {};
  let lastConversation = defaultConversation;
  const controls = { parts, turns, inFlight, conversations, questions, startedAt, isStopping, lastConversation: () => lastConversation };
  const answerControl = createControlAnswers(controls);
  cancelling?.addEventListener("abort", () => inFlight.cancelAll(cancelling.reason as HawserError), { once: true, signal: over.signal });
  // A host that is gone reads no answers: what runs for it is of no use any more.
  void transport.closed.then((reason) => {
    gone.abort(reason ?? new HawserError("closed", "the connection was closed"));
    inFlight.cancelAll(gone.signal.reason as HawserError);
  });

  function read(item: Incoming): void {
    const idSource = readIdSource(item);
    try {
      if (item.kind === "refused") throw item.error;
      const request = agentProtocol.parseRequest(item.value);
      if (request.id.length > limits.agentIdChars)
        throw new HawserError("invalid_message", `"id" is longer than ${limits.agentIdChars} characters`);
      if (inFlight.has(request.id)) throw new HawserError("duplicate_id", `id ${request.id} is in flight; use a fresh one`);
      accept(request, idSource as string, item.text);
    } catch (error) {
      refuse(item, idSource, toHawserError(error));
    }
  }

  function accept(request: AnyAgentRequest, idSource: string, text: string): void {
    const { metadata } = request as { readonly metadata?: Readonly<Record<string, unknown>> };
    if (metadata?.["answersPermissions"] === true) questions.trustHost();
    if (request.kind !== "user_message") {
      checkControlLength(text);
      return void control(request, idSource);
    }
    noMore.throwIfAborted();
    follow(request.id, turns.accept(request, idSource, weighMessage(text)));
    lastConversation = readMetadata(request).conversationId;
  }

  function follow(id: string, reply: Reply): void {
    replies.set(id, reply);
    void reply.ended.then(() => replies.get(id) === reply && replies.delete(id));
  }

  async function control(request: ControlRequest, idSource: string): Promise<void> {
    const reply = createReply({ outbox, idSource, flight: inFlight.begin(request.id) });
    follow(request.id, reply);
    answering++;
    await answerControl(request, reply).catch((error: unknown) => reply.fail(error));
    answering--;
    onAnswered();
  }

  // Neither answers that nobody reads nor requests that are being answered may pile up.
  async function catchUp(): Promise<void> {
    while (outbox.waiting > limits.agentUnsentMessages) await outbox.whenFewer();
    while (answering > limits.agentUnsentMessages) await new Promise<void>((resolve) => (onAnswered = resolve));
  }

  function refuse({ position }: Incoming, idSource: string | undefined, error: HawserError): void {
    refusals.note(position, error.message);
    if (idSource === undefined) return;
    const inTheWay = idSource.startsWith('"') ? replies.get(JSON.parse(idSource) as string) : undefined;
    const { error: text, code } = toErrorMembers(error);
    if (!inTheWay || inTheWay.isOver) void outbox.put(idSource, { type: "error", error: text, code });
    // An `error` would be a second end under this id.
    else void inTheWay.emit({ type: "progress", data: { message: `another request with this id was refused: ${text}` } }).catch(() => {});
  }

  async function readAll(): Promise<void> {
    for await (const item of transport.incoming) {
      read(item);
      if (outbox.waiting > limits.agentUnsentMessages || answering > limits.agentUnsentMessages) await catchUp();
    }
    questions.close("the input has ended, and nobody can answer");
  }

  try {
    const { current: model } = parts.models;
    const ready = { version: AGENT_PROTOCOL_VERSION, capabilities: AGENT_CAPABILITIES, build: parts.build, model };
    void outbox.put(undefined, { type: "ready", ...ready });
    await Promise.race([readAll(), whenAborted(stopping, over.signal)]);
    await inFlight.whenEmpty();
    await conversations.close();
    await outbox.whenSent();
  } finally {
    // The lifecycle may outlive this transport by far; our listeners on it must not.
    over.abort();
    refusals.close();
  }
}

/** Hundreds of them may be answered at the same time, each with what it came with. */
function checkControlLength({ length }: string): void {
  const { agentControlChars } = limits;
  if (length <= agentControlChars) return;
  throw new HawserError("too_large", `${length} characters; a request that is no message has at most ${agentControlChars}`);
}

/** What it takes in memory, about: a text with a character beyond Latin-1 takes two bytes for each. */
function weighMessage(text: string): number {
  const weight = weighJsonText(text);
  return text.length > limits.agentLightBytes && /[^\0-\xff]/.test(text) ? 2 * weight : weight;
}

/** The id as it was written; undefined where there is none to answer to. */
function readIdSource(item: Incoming): string | undefined {
  const source = item.kind === "message" ? (idInHead(item) ?? memberSource(item.text, "id")) : memberSource(item.head, "id");
  if (source === undefined || source === "null" || source === '""') return undefined;
  // A copy: a part of a text keeps the whole of it in memory, here for as long as its turn takes.
  return Buffer.from(source).toString();
}

const headChars = 1_024;

/** Most hosts write it first, and megabytes need not be looked through then. Where it comes again further on, the last one counts. */
function idInHead({ text, value }: Extract<Incoming, { kind: "message" }>): string | undefined {
  if (text.length <= headChars) return undefined;
  const source = memberSource(text.slice(0, headChars), "id");
  return source?.startsWith('"') && JSON.parse(source) === (value as { id: unknown }).id ? source : undefined;
}
