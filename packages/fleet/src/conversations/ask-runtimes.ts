// Brings a host's lines to the runtime that has their conversation, or to any free one, and says when that runtime is gone. What may be
// repeated is sent again, to the runtime that is there then: a turn, since its id tells a repetition, and what only reads. Everything
// else ends.

import { setTimeout as sleep } from "node:timers/promises";
import { RequestError, TimeoutError } from "@nats-io/transport-node";
import { HawserError, tooLarge } from "@hawser/protocol/internal";
import type { Fleet } from "../connect.ts";
import { fleetLimits } from "../limits.ts";
import { toHeaderText } from "../message-text.ts";
import { readReply, type LineReply } from "./bus-line.ts";
import { anyRuntimeSubject, header, toRuntimeSubject, toToken } from "./conversation-names.ts";
import { readHolder } from "./lease.ts";
import type { Streams } from "./open-streams.ts";
import { toPartHeaders } from "./parts.ts";

export interface BusRequest {
  /** Empty: only whose conversation it is, and the end of `turn`. */
  readonly text: string;
  readonly conversationId: string | undefined;
  /** Whether it may be sent again when it is not known what became of it. */
  readonly mayRepeat: boolean;
  readonly turn?: string | undefined;
  readonly signal: AbortSignal;
}

export type AskRuntimes = ReturnType<typeof createAskRuntimes>;

export function createAskRuntimes(fleet: Fleet, streams: Streams, { host, inbox }: { readonly host: string; readonly inbox: string }) {
  const { connection } = fleet;

  /** Undefined when no runtime has it, or that can't be seen now. */
  async function ownerOf(conversationId: string): Promise<string | undefined> {
    const entry = await streams.leases.get(toToken(conversationId)).catch(() => null);
    return readHolder(entry)?.runtime;
  }

  /** `none`: it has not reached a runtime. `unknown`: it may have. */
  async function sendTo(
    runtime: string | undefined,
    { text, conversationId, turn, mayRepeat }: BusRequest,
  ): Promise<LineReply | "none" | "unknown"> {
    const values = {
      [header.host]: host,
      [header.inbox]: inbox,
      ...(conversationId !== undefined && { [header.conversation]: toHeaderText(conversationId) }),
      ...(turn !== undefined && { [header.turn]: turn }),
    };
    const subject = runtime === undefined ? anyRuntimeSubject : toRuntimeSubject(runtime);
    try {
      // What may be repeated need not wait for a machine that stands still.
      const timeout = mayRepeat ? fleetLimits.fleetAskMs : fleetLimits.fleetAnswerMs;
      const options = { headers: toPartHeaders(values, 0, 1), timeout };
      const reply = await connection.request(subject, text, options);
      return readReply(reply.string()) ?? "unknown";
    } catch (error) {
      if (error instanceof RequestError && error.isNoResponders()) return "none";
      if (error instanceof RequestError || error instanceof TimeoutError) return "unknown";
      throw error;
    }
  }

  return {
    ownerOf,
    /** Whether a runtime answers. */
    async isThere(runtime: string): Promise<boolean> {
      return connection.request(toRuntimeSubject(runtime), "", { timeout: fleetLimits.fleetAnswerMs }).then(
        () => true,
        () => false,
      );
    },
    /** What a runtime says of itself; undefined when none is there. */
    async hello(): Promise<string | undefined> {
      const reply = await connection.request(anyRuntimeSubject, "", { timeout: fleetLimits.fleetAnswerMs }).catch(() => undefined);
      return reply?.string() || undefined;
    },
    /** Resolves to the runtime that answers it. Throws why none does. */
    async deliver(request: BusRequest): Promise<string> {
      const bytes = Buffer.byteLength(request.text);
      if (bytes > fleet.maxPayload) throw tooLarge("message", bytes, fleet.maxPayload);
      const startedAt = performance.now();
      let next: string | undefined;
      let fullReplies = 0;
      for (;;) {
        request.signal.throwIfAborted();
        const runtime = next ?? (request.conversationId === undefined ? undefined : await ownerOf(request.conversationId));
        const reply = await sendTo(runtime, request);
        if (reply === "unknown" && !request.mayRepeat) throw unknown();
        if (typeof reply === "object" && "accepted" in reply) return reply.runtime;
        next = typeof reply === "object" && "owner" in reply && reply.owner !== runtime ? reply.owner : undefined;
        const isFull = typeof reply === "object" && "isFull" in reply;
        const waitedMs = performance.now() - startedAt;
        if (isFull && waitedMs > fleetLimits.fleetRoomMs) throw noRoom();
        if (waitedMs > fleetLimits.fleetPatienceMs) throw reply === "none" ? noRuntime() : unknown();
        // One that was named is asked at once; otherwise a lease has to end, or a runtime to come or to have room. Where many wait for
        // room, each asks less and less often.
        if (isFull) fullReplies += 1;
        const pauseMs = Math.min(fleetLimits.fleetRetryMs * Math.max(fullReplies, 1), fleetLimits.fleetAskMs);
        if (next === undefined) await sleep(pauseMs, undefined, { signal: request.signal });
      }
    },
  };
}

const unknown = (): HawserError =>
  new HawserError(
    "unknown_outcome",
    "no runtime of the fleet has said what became of the request; it may have been done. Load the conversation before you ask again",
  );

const noRoom = (): HawserError =>
  new HawserError("overloaded", "all runtimes of the fleet have enough to do; start another one, or ask again when a turn has ended");

export const noRuntime = (): HawserError =>
  new HawserError("connection_failed", "no runtime of the fleet is there; start one with: hawser agent --fleet <servers>");
