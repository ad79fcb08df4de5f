// Serves the agent protocol on one transport. The reader never waits for a turn; it stops only while too many answers are
// on their way. Every request with an id ends exactly once; a line without one goes to the log. A line that is refused
// under the id of a request in flight ends nothing: that request's own `progress` says so.

import {
  AGENT_CAPABILITIES,
  AGENT_PROTOCOL_VERSION,
  agentProtocol,
  defaultConversation,
  HawserError,
  toHawserError,
  toErrorEvent,
  type AnyAgentRequest,
} from "@hawser/protocol/internal";
import { createInFlightTable, createSemaphore, memberSource, weighJsonText, type Incoming, type Transport } from "@hawser/wire/internal";
import { createNoMore, logLine, serve, type Lifecycle } from "@hawser/wire/internal/node";
import { agentLimits } from "../limits.ts";
import { turnLimits, type AgentParts } from "./agent-parts.ts";
import { createControlAnswers, type ControlRequest } from "./control-requests.ts";
import { createQuestions } from "./questions.ts";
import { createRecentConversations } from "./recent-conversations.ts";
import { createReplies, type Reply } from "./reply.ts";
import { answersPermissions, readMetadata } from "./turn-metadata.ts";
import { createTurns } from "./turns.ts";

export interface ServeAgentOptions {
  /** Ends the serving from outside, as a process does when it is told to stop. */
  readonly lifecycle?: Lifecycle | undefined;
}

/** Resolves when no more will be read, everything accepted has ended, and the history is closed. */
export async function serveAgent(transport: Transport, parts: AgentParts, options: ServeAgentOptions = {}): Promise<void> {
  const { lifecycle } = options;
  const startedAt = performance.now();
  const noMore = createNoMore(transport, lifecycle);
  const replies = createReplies(transport);
  const { outbox } = replies;
  const inFlight = createInFlightTable();
  const conversations = createRecentConversations(parts.store);
  const questions = createQuestions(turnLimits(parts));
  const isStopping = (): boolean => noMore.aborted;
  /** By the id of their request, until their end is written. */
  const unended = new Map<string, Reply>();
  const turns = createTurns({ parts, replies, inFlight, conversations, questions, isStopping, onBegin: follow });
  const refusals = createRefusalLog();
  const answering = createSemaphore(agentLimits.agentUnsentMessages, { maxWaiting: 0 });
  let lastConversation = defaultConversation;
  const controls = { parts, turns, inFlight, conversations, questions, startedAt, isStopping, lastConversation: () => lastConversation };
  const answerControl = createControlAnswers(controls);

  function read(item: Incoming): Promise<undefined> | undefined {
    readOne(item);
    return outbox.isFull || answering.isFull ? catchUp() : undefined;
  }

  function readOne(item: Incoming): void {
    const idSource = readIdSource(item);
    try {
      if (item.kind === "refused") throw item.error;
      const request = agentProtocol.parseRequest(item.value);
      if (request.id.length > agentLimits.agentIdChars)
        throw new HawserError("invalid_message", `"id" is longer than ${agentLimits.agentIdChars} characters`);
      if (inFlight.has(request.id)) throw new HawserError("duplicate_id", `id ${request.id} is in flight; use a fresh one`);
      accept(request, idSource as string, item.text);
    } catch (error) {
      refuse(item, idSource, toHawserError(error));
    }
  }

  function accept(request: AnyAgentRequest, idSource: string, text: string): void {
    if (answersPermissions(request)) questions.trustHost();
    if (request.kind !== "user_message") {
      const { agentControlChars } = agentLimits;
      // Hundreds of them may be answered at the same time, each with what it came with.
      if (text.length <= agentControlChars) return void control(request, idSource);
      throw new HawserError("too_large", `${text.length} characters; a request other than a message has at most ${agentControlChars}`);
    }
    noMore.throwIfAborted();
    if (turns.accept(request, idSource, weighMessage(text))) lastConversation = readMetadata(request).conversationId;
  }

  function follow(id: string, reply: Reply): void {
    unended.set(id, reply);
    void reply.ended.then(() => unended.get(id) === reply && unended.delete(id));
  }

  async function control(request: ControlRequest, idSource: string): Promise<void> {
    const flight = inFlight.begin(request.id);
    const reply = replies.open({ idSource, flight });
    follow(request.id, reply);
    const seat = answering.tryAcquire();
    await answerControl(request, reply, flight.signal).catch((error: unknown) => reply.fail(error));
    seat?.release();
  }

  /** Neither unread answers nor requests that are being answered may pile up. */
  async function catchUp(): Promise<undefined> {
    await outbox.whenRoom();
    await answering.whenRoom();
  }

  function refuse({ position }: Incoming, idSource: string | undefined, error: HawserError): void {
    refusals.note(position, error.message);
    if (idSource === undefined) return;
    const inTheWay = idSource.startsWith('"') ? unended.get(JSON.parse(idSource) as string) : undefined;
    if (!inTheWay || inTheWay.isOver) return replies.refuse(idSource, error);
    // An `error` would be a second end under this id.
    const message = `another request with this id was refused: ${toErrorEvent(error).error}`;
    inTheWay.emit({ type: "progress", data: { message } }).catch(() => {});
  }

  async function finish(): Promise<void> {
    await inFlight.whenEmpty();
    await conversations.close();
    await outbox.whenSent();
  }

  const { current: model } = parts.models;
  const isMissing = {
    changes: !parts.workspaces.home.changes,
    settings: !parts.settings,
    settings_edit: !parts.settings,
    search: parts.store.canSearch === false,
  };
  const capabilities = AGENT_CAPABILITIES.filter((name) => !Object.hasOwn(isMissing, name) || !isMissing[name as keyof typeof isMissing]);
  const ready = { version: AGENT_PROTOCOL_VERSION, capabilities, build: parts.build, model };
  replies.ready({ type: "ready", ...ready });
  const onInputEnd = (): void => questions.close("the input has ended, so no answer can come");
  await serve({ transport, lifecycle, read, onInputEnd, cancelAll: inFlight.cancelAll, finish }).finally(refusals.close);
}

/** What it takes in memory, about: a text with a character beyond Latin-1 takes two bytes for each. */
function weighMessage(text: string): number {
  const weight = weighJsonText(text);
  return text.length > agentLimits.agentLightBytes && /[^\0-\xff]/.test(text) ? 2 * weight : weight;
}

/** The id as it was written; undefined where an answer has no address. */
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

export function createRefusalLog(log: (line: string) => void = logLine, namedLines = agentLimits.agentRefusedMessages) {
  let [count, counted] = [0, 0];

  return {
    /** `position`: the line's number in the input. */
    note(position: number, reason: string): void {
      count++;
      if (count <= namedLines) {
        counted = count;
        return log(`[hawser] agent: line ${position} was refused: ${reason}`);
      }
      if (count < 2 * counted) return;
      counted = count;
      log(`[hawser] agent: ${count} lines were refused until now; the last is line ${position}: ${reason}`);
    },
    /** Says how many there were, if the log does not tell so already. */
    close(): void {
      if (count > counted) log(`[hawser] agent: ${count} lines were refused in all`);
      counted = count;
    },
  };
}
