// The events of a conversation as one host sees them: live, and what was missed from the stream, each once and in order. What a machine
// says that another one has overtaken is dropped.

import { DeliverPolicy } from "@nats-io/jetstream";
import type { Msg, MsgHdrs, Subscription } from "@nats-io/transport-node";
import { logLine } from "@hawser/wire/internal/node";
import { toHawserError } from "@hawser/protocol";
import type { Fleet } from "../connect.ts";
import { fleetLimits } from "../limits.ts";
import { isEnding, readObject } from "./bus-line.ts";
import { eventStream, header, toEventSubject } from "./conversation-names.ts";
import { createEventOrder, type EventOrder } from "./event-order.ts";
import type { Streams } from "./open-streams.ts";
import { createPartJoiner, type PartMessage } from "./parts.ts";

export interface ReadEvent {
  readonly value: Readonly<Record<string, unknown>>;
  /** As it was said, but for its number where a turn began anew. */
  readonly text: string;
}

interface RawEvent {
  readonly value: Readonly<Record<string, unknown>>;
  readonly text: string;
  readonly epoch: number;
}

export type FollowedEvents = ReturnType<typeof followEvents>;

export function followEvents(fleet: Fleet, streams: Streams, conversationId: string, onEvent: (event: ReadEvent) => void) {
  const subject = toEventSubject(conversationId);
  let order = createEventOrder(fleetLimits.fleetKnownEntries);
  const join = createPartJoiner();
  /** Live events that wait while the stream is read. */
  let held: RawEvent[] | undefined;

  function take(raw: RawEvent, mayMiss: boolean): void {
    const placed = placeEvent(order, raw, mayMiss);
    if (placed === "gap") void catchUp();
    else if (placed) onEvent(placed);
  }

  const live = (message: Msg): void => {
    const raw = readEvent(join, message.headers, message.data);
    if (!raw) return;
    if (held) held.push(raw);
    else take(raw, false);
  };
  const subscription: Subscription = fleet.connection.subscribe(subject, {
    callback: (error, message) => void (error === null && live(message)),
  });

  /** Runs `read` while what comes live waits, and takes that afterwards. One at a time. */
  let reading: Promise<unknown> = Promise.resolve();
  function whileHeld<Result>(read: () => Promise<Result>): Promise<Result> {
    const result = reading.then(async () => {
      held = [];
      try {
        return await read();
      } finally {
        const waiting = held;
        held = undefined;
        // What the stream did not have either is lost.
        for (const raw of waiting) take(raw, true);
      }
    });
    reading = result.catch(() => {});
    return result;
  }

  /** What was missed comes now. */
  const catchUp = (): Promise<void> =>
    whileHeld(async () => {
      for (const raw of await readStream(streams, subject)) take(raw, true);
    }).catch((error: unknown) => logLine(`[hawser] fleet: missed events can't be read: ${toHawserError(error).message}`));

  return {
    catchUp,
    /** What the running turn has said after `since`, before anything that comes later; its id, if one runs. */
    repeat: (since: number, tell: (event: ReadEvent) => void): Promise<string | undefined> =>
      whileHeld(async () => {
        const fresh = createEventOrder(fleetLimits.fleetKnownEntries);
        const events = (await readStream(streams, subject)).flatMap((raw) => {
          const placed = placeEvent(fresh, raw, true);
          return placed && placed !== "gap" ? [placed] : [];
        });
        order = fresh;
        const running = fresh.running.at(-1);
        for (const event of events) if (event.value["id"] === running && Number(event.value["seq"] ?? 0) > since) tell(event);
        return running;
      }),
    close: (): void => subscription.unsubscribe(),
  };
}

function placeEvent(order: EventOrder, { value, text, epoch }: RawEvent, mayMiss: boolean): ReadEvent | "gap" | undefined {
  const { id, seq } = value;
  if (typeof id !== "string") return undefined;
  const number = typeof seq === "number" ? seq : undefined;
  const placed = order.place({ id, epoch, seq: number, isEnd: isEnding(value) }, mayMiss);
  if (placed === "gap") return placed;
  if (placed === "drop") return undefined;
  if (placed.seq === number) return { value, text };
  const renumbered = { ...value, seq: placed.seq };
  return { value: renumbered, text: JSON.stringify(renumbered) };
}

function readEvent(
  join: (message: PartMessage) => string | undefined,
  headers: MsgHdrs | undefined,
  data: Uint8Array,
): RawEvent | undefined {
  const text = join({ headers, data });
  const value = text === undefined ? undefined : readObject(text);
  return value && text !== undefined ? { value, text, epoch: Number(headers?.get(header.epoch) ?? 0) || 0 } : undefined;
}

/** Everything that the stream holds of a conversation. */
async function readStream({ client, manager }: Streams, subject: string): Promise<RawEvent[]> {
  const last = await manager.streams.getMessage(eventStream, { last_by_subj: subject });
  if (!last) return [];
  const consumer = await client.consumers.get(eventStream, { filter_subjects: subject, deliver_policy: DeliverPolicy.All });
  const messages = await consumer.consume({ max_messages: fleetLimits.fleetReadMessages });
  const join = createPartJoiner();
  const events: RawEvent[] = [];
  try {
    for await (const message of messages) {
      const raw = readEvent(join, message.headers, message.data);
      if (raw) events.push(raw);
      if (message.seq >= last.seq) break;
    }
  } finally {
    messages.stop();
  }
  return events;
}
