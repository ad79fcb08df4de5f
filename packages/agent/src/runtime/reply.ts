// How one request is answered: in order, numbered where it is a turn, exactly one end, and nothing after
// it. A silent turn gives a sign of life, unless only the user is awaited.

import { toHawserError, type Flight, type HawserError } from "@hawser/wire";
import { toErrorMembers } from "./error-members.ts";
import type { Outbox } from "./outbox.ts";
import type { TurnEvent, TurnRecord } from "./replay.ts";

export interface Reply {
  /** Resolves when the host can take more. Ignored after the end. Rejects when the event can't be sent as it is. */
  emit(event: TurnEvent): Promise<void>;
  /** The last answer; only the first end counts. */
  end(event: TurnEvent): Promise<unknown>;
  done(data?: object): Promise<unknown>;
  fail(error: unknown): Promise<unknown>;
  /** The end is on its way: a host that does not read may keep it waiting for long. */
  readonly isOver: boolean;
  /** When the last response went out that hosts of the first contract know, on the monotonic clock. */
  readonly heardAt: number;
  /** Resolves once the end is written. */
  readonly ended: Promise<void>;
}

export interface ReplyOptions {
  readonly outbox: Outbox;
  readonly idSource: string;
  readonly flight: Flight;
  /** For a turn: numbers its events and keeps them for a host that comes back. */
  readonly record?: TurnRecord | undefined;
  /** For a turn: what to say when it is silent; undefined while only the user is awaited. */
  signOfLife?(): string | undefined;
  readonly heartbeatMs?: number | undefined;
}

/** Responses of a turn that a host knows without any of our additions. */
const contractTypes: ReadonlySet<string> = new Set(["token", "tool_use", "tool_result", "done", "error"]);

export function createReply(options: ReplyOptions): Reply {
  const { outbox, idSource, flight, record, signOfLife } = options;
  const ended = Promise.withResolvers<void>();
  let seq = 0;
  let isOver = false;
  let heardAt = performance.now();

  const heartbeat = signOfLife && setInterval(beat, options.heartbeatMs).unref();

  function beat(): void {
    // A host that does not read needs no sign of life.
    const message = outbox.waiting === 0 ? signOfLife?.() : undefined;
    if (message !== undefined) void put({ type: "progress", data: { message } });
  }

  function put(event: TurnEvent): Promise<HawserError | undefined> {
    heartbeat?.refresh();
    if (contractTypes.has(event.type)) heardAt = performance.now();
    if (!record) return outbox.put(idSource, event);
    seq++;
    // With its time, so that what is sent again says when it was.
    const numbered = { ...event, seq, timestamp: Date.now() };
    record.add({ seq, event: numbered });
    return outbox.put(idSource, numbered);
  }

  function end(event: TurnEvent): Promise<unknown> {
    if (isOver || !flight.finish()) return Promise.resolve();
    isOver = true;
    clearInterval(heartbeat);
    const sent = put(event);
    record?.close();
    void sent.then(() => ended.resolve());
    return sent;
  }

  return {
    async emit(event) {
      const unsent = isOver ? undefined : await put(event);
      if (unsent) throw unsent;
    },
    end,
    done: (data) => end({ type: "done", ...(data && { data }) }),
    fail: (error) => end({ type: "error", ...toErrorMembers(toHawserError(error)) }),
    get isOver() {
      return isOver;
    },
    get heardAt() {
      return heardAt;
    },
    ended: ended.promise,
  };
}
