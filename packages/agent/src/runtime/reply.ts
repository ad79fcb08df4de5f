// How requests are answered: in order, with exactly one end, and nothing after it. A slow host holds the next message
// back. What a host waits for (an end, a status, a question) goes before long answers, and those take turns.
//
// A turn's answers are numbered, and kept for a host that comes back (`subscribe`), bounded for all turns together: the
// oldest of the turn that holds most goes first. A silent turn gives a sign of life, unless only the user is awaited.

import { setImmediate as nextLoop } from "node:timers/promises";
import { HawserError, toErrorEvent, type AnyAgentResponse, type ErrorCode, type ResponseBody } from "@hawser/protocol/internal";
import { createOutbox, JsonText, taken, withIdSource, type Flight, type Outbox, type Transport } from "@hawser/wire/internal";
import { logLine } from "@hawser/wire/internal/node";
import { agentLimits } from "../limits.ts";
import { createAbortGuard } from "./abort-guard.ts";

type End = Extract<AnyAgentResponse, { type: "done" | "error" | "status" }>;
type DoneData = NonNullable<Extract<End, { type: "done" }>["data"]>;

export interface Reply {
  /** Resolves when the host can take more, and is `taken` when it can now. Ignored after the end. Rejects when the event can't be sent as it is. */
  emit(event: ResponseBody): Promise<void>;
  /** The last answer; only the first end counts. */
  end(event: ResponseBody<End>): Promise<void>;
  done(data?: DoneData): Promise<void>;
  fail(error: unknown): Promise<void>;
  /** The end is on its way; a host that doesn't read may keep it waiting. */
  readonly isOver: boolean;
  /** When the last response went out that hosts of the first contract know, on the monotonic clock. */
  readonly heardAt: number;
  /** Resolves once the end is written. */
  readonly ended: Promise<void>;
  /** For a turn: sends again what was sent after `seq`. Throws `too_large` when some of it is no longer kept. */
  sendAgain(seq: number): Promise<void>;
}

export interface ReplyOptions {
  readonly idSource: string;
  readonly flight: Flight;
  /** Only for a turn, whose events are numbered and kept. */
  readonly turn?:
    | {
        readonly heartbeatMs: number;
        /** What it says when it is silent; undefined while only the user is awaited. */
        signOfLife(): string | undefined;
      }
    | undefined;
}

/** The way out of one transport. */
export interface Replies {
  readonly outbox: Pick<Outbox<Message>, "isFull" | "whenRoom" | "whenSent">;
  open(options: ReplyOptions): Reply;
  ready(event: ResponseBody<Extract<AnyAgentResponse, { type: "ready" }>>): void;
  /** Answers a line that isn't a request, under the id that was read from it. */
  refuse(idSource: string, error: HawserError): void;
}

interface Message {
  readonly idSource: string | undefined;
  readonly event: ResponseBody & { readonly timestamp: number };
}

const urgent: ReadonlySet<string> = new Set(["done", "error", "status", "permission_request"]);
const unsendable: ReadonlySet<ErrorCode> = new Set(["too_large", "too_deep", "not_serializable"]);
/** Responses of a turn that a host knows without any of our additions. */
const contractTypes: ReadonlySet<string> = new Set(["token", "tool_use", "tool_result", "done", "error"]);

export function createReplies(transport: Transport): Replies {
  const openRecord = createReplay();
  const outbox = createOutbox<Message>({
    send: ({ idSource, event }) => transport.send(isNumberedToken(event) ? toTokenText(idSource, event) : withIdSource(idSource, event)),
    maxUnsent: agentLimits.agentUnsentMessages,
    laneOf: ({ idSource }) => idSource,
    isUrgent: ({ event }) => urgent.has(event.type),
    // A model that never waits would keep the process from reading until its last word.
    pause: (sent) => (sent >= agentLimits.agentSliceMessages ? nextLoop() : undefined),
  });

  /** Resolves when the host took it or is gone, which `closed` tells. Rejects when it can't be sent as it is. */
  function put(idSource: string | undefined, event: Message["event"]): Promise<void> {
    const sent = outbox.send({ idSource, event });
    return sent === taken ? taken : sent.catch(refuseUnsendable);
  }

  const putNow = (idSource: string | undefined, event: ResponseBody): Promise<void> => put(idSource, { ...event, timestamp: Date.now() });

  /** For an end that can't be sent: there is no other way left to say so. */
  const putError = (idSource: string, error: HawserError): Promise<void> =>
    putNow(idSource, toErrorEvent(error)).catch(() => logLine(`[hawser] agent: an answer can't be sent: ${error.message}`));

  function open({ idSource, flight, turn }: ReplyOptions): Reply {
    const ended = Promise.withResolvers<void>();
    const record = turn && openRecord();
    // A host that doesn't read must not keep a turn from ending.
    const guarded = turn && createAbortGuard(flight.signal);
    let heartbeat = turn && setTimeout(beat, turn.heartbeatMs).unref();
    let writtenAt = performance.now();
    let seq = 0;

    // Set anew only when it is due: doing so for every token would cost a good part of sending it.
    function beat(): void {
      if (!turn) return;
      const leftMs = writtenAt + turn.heartbeatMs - performance.now();
      heartbeat = setTimeout(beat, leftMs > 0 ? Math.ceil(leftMs) : turn.heartbeatMs).unref();
      // A host that doesn't read needs no sign of life.
      const message = leftMs <= 0 && outbox.unsent === 0 ? turn.signOfLife() : undefined;
      if (message !== undefined) write({ type: "progress", data: { message } }).catch(() => {});
    }

    function write(event: ResponseBody): Promise<void> {
      writtenAt = performance.now();
      if (contractTypes.has(event.type)) reply.heardAt = writtenAt;
      if (!record) return putNow(idSource, event);
      const numbered = { ...event, seq: ++seq, timestamp: Date.now() };
      record.add(numbered);
      return put(idSource, numbered);
    }

    // Plain members: an object with a getter stays until a full collection (decision 0031).
    const reply = {
      isOver: false,
      heardAt: performance.now(),
      ended: ended.promise,
      emit(event: ResponseBody): Promise<void> {
        if (reply.isOver) return taken;
        const written = write(event);
        return guarded && (written !== taken || flight.signal.aborted) ? guarded(written) : written;
      },
      async end(event: ResponseBody<End>): Promise<void> {
        if (reply.isOver || !flight.finish()) return;
        reply.isOver = true;
        clearTimeout(heartbeat);
        const sent = write(event);
        record?.close();
        await sent.catch((error: HawserError) => putError(idSource, error));
        ended.resolve();
      },
      done: (data?: DoneData) => reply.end({ type: "done", ...(data && { data }) }),
      fail: (error: unknown) => reply.end(toErrorEvent(error)),
      async sendAgain(since: number): Promise<void> {
        const events = record?.since(since);
        const message = "what the turn has sent since then is no longer held; load the conversation when it has ended";
        if (!events) throw new HawserError("too_large", message);
        await Promise.all(events.map((event) => put(idSource, event)));
      },
    };
    return reply;
  }

  return {
    outbox,
    open,
    ready: (event) => void putNow(undefined, event),
    refuse: (idSource, error) => void putError(idSource, error),
  };
}

type SentToken = SentEvent & { readonly type: "token" };

const isNumberedToken = (event: Message["event"]): event is SentToken => event.type === "token" && "seq" in event;

// By hand: by far the most frequent one, and each member is known.
const toTokenText = (idSource: string | undefined, { token, seq, timestamp }: SentToken): JsonText =>
  new JsonText(`{"id":${idSource},"type":"token","token":${JSON.stringify(token)},"seq":${seq},"timestamp":${timestamp}}`);

function refuseUnsendable(error: HawserError): void {
  if (unsendable.has(error.code)) throw error;
}

type SentEvent = Message["event"] & { readonly seq: number };

interface SentTurn {
  events: SentEvent[];
  bytes: number;
  lastSeq: number;
}

/** What the running turns have sent. */
function createReplay() {
  const turns = new Set<SentTurn>();
  let total = 0;

  function forgetOldest(): void {
    const largest = [...turns].reduce((most, turn) => (turn.bytes > most.bytes ? turn : most));
    // Half of it at once: forgetting one by one would look through all turns at every token.
    const gone = largest.events.splice(0, Math.ceil(largest.events.length / 2));
    const bytes = gone.reduce((sum, event) => sum + weigh(event), 0);
    largest.bytes -= bytes;
    total -= bytes;
  }

  return () => {
    const turn: SentTurn = { events: [], bytes: 0, lastSeq: 0 };
    turns.add(turn);
    return {
      add(event: SentEvent): void {
        const bytes = weigh(event);
        turn.events.push(event);
        turn.bytes += bytes;
        turn.lastSeq = event.seq;
        total += bytes;
        while (total > agentLimits.agentReplayBytes) forgetOldest();
      },
      /** What was sent after `seq`; undefined when some of it is forgotten. */
      since(seq: number): readonly SentEvent[] | undefined {
        const first = turn.events[0]?.seq ?? turn.lastSeq + 1;
        return seq + 1 < first ? undefined : turn.events.filter((event) => event.seq > seq);
      },
      /** The turn has ended: nothing is kept. */
      close(): void {
        turns.delete(turn);
        total -= turn.bytes;
        turn.events = [];
      },
    };
  };
}

// About what an event takes besides its text.
const eventBytes = 200;

function weigh(event: SentEvent): number {
  if (event.type === "token") return eventBytes + 2 * event.token.length;
  return eventBytes + 2 * JSON.stringify(("data" in event ? event.data : null) ?? null).length;
}
