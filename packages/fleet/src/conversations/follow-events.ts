// The events of a conversation as one host sees them: live, and what was missed from the stream, each once and in order. What a machine
// says that another one has overtaken is dropped.

import { setTimeout as sleep } from "node:timers/promises";
import { DeliverPolicy, type JsMsg } from "@nats-io/jetstream";
import type { Msg, MsgHdrs } from "@nats-io/transport-node";
import type { ByteBudget, Lease, Semaphore } from "@hawser/wire/internal";
import { logLine } from "@hawser/wire/internal/node";
import { toHawserError } from "@hawser/protocol";
import type { Fleet } from "../connect.ts";
import { fleetLimits } from "../limits.ts";
import { readObject } from "../message-text.ts";
import { isEnding } from "./bus-line.ts";
import { eventStream, header, toEventSubject } from "./conversation-names.ts";
import { createEventOrder, type EventOrder } from "./event-order.ts";
import type { Streams } from "./open-streams.ts";
import { createPartJoiner, type PartMessage } from "./parts.ts";
import { readMessages } from "./read-messages.ts";

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

export interface FollowOptions {
  /** What live events may take together, of all conversations of a host, while the stream is read. */
  readonly held: ByteBudget;
  /** One of all conversations of a host is read at a time: together they could be more than the server keeps for one connection. */
  readonly inTurn: Semaphore;
  onEvent(event: ReadEvent): void;
  /** Resolves when the host may be told more of what is read. */
  whenRoom(): Promise<void>;
}

export function followEvents(fleet: Fleet, streams: Streams, conversationId: string, { held, inTurn, onEvent, whenRoom }: FollowOptions) {
  const subject = toEventSubject(conversationId);
  let order = createEventOrder(fleetLimits.fleetKnownEntries);
  const join = createPartJoiner();
  /** The last event that was read from the stream. */
  let readTo: Place | undefined;
  /** Live events that wait while the stream is read. */
  let waiting: { readonly raw: RawEvent; readonly lease: Lease }[] | undefined;
  /** The last live event of each claim for which there was no room: the stream has it, or will have it in a moment. */
  const leftOut = new Map<number, string>();
  /** Of the turn that was repeated last, what its host has already. */
  let repeated: { readonly id: string; readonly upTo: number } | undefined;
  /** That have not ended. */
  let reads = 0;
  /** That has not begun. */
  let catchingUp: Promise<void> | undefined;
  let isClosed = false;

  /** False when something before it is missing, and it was not taken. */
  function take(raw: RawEvent, mayMiss: boolean): boolean {
    const placed = placeEvent(order, raw, mayMiss);
    if (placed === "gap") return false;
    if (placed && !isRepeated(placed)) onEvent(placed);
    return true;
  }

  const isRepeated = ({ value }: ReadEvent): boolean =>
    repeated !== undefined && value["id"] === repeated.id && Number(value["seq"] ?? Infinity) <= repeated.upTo;

  function hold(raw: RawEvent): void {
    // What comes after one that was left out is read again with it.
    const lease = leftOut.size > 0 ? undefined : held.tryAcquire(raw.text.length);
    if (lease) waiting?.push({ raw, lease });
    else leftOut.set(raw.epoch, markOf(raw));
  }

  function noteRead(raw: RawEvent): void {
    if (leftOut.get(raw.epoch) === markOf(raw)) leftOut.delete(raw.epoch);
  }

  const live = (message: Msg): void => {
    const raw = readEvent(join, message.headers, message.data);
    if (!raw) return;
    if (waiting) return hold(raw);
    if (take(raw, false)) return;
    // It may lie before what was read last: in parts between those of another machine.
    readTo = undefined;
    void catchUp();
    hold(raw);
  };
  const subscription = fleet.listen(subject, live);

  /** What has come into the stream since it was read last. */
  async function readMissed(): Promise<void> {
    for await (const { raw, place } of readStream(streams, subject, { after: readTo })) {
      if (isClosed) return;
      noteRead(raw);
      take(raw, true);
      readTo = place;
      await whenRoom();
    }
  }

  /** Runs `read` while what comes live waits, from now on, and takes that afterwards. */
  async function whileHeld<Result>(read: () => Promise<Result>): Promise<Result> {
    waiting ??= [];
    reads += 1;
    try {
      const found = await inTurn.run(read);
      await readOn();
      return found;
    } finally {
      reads -= 1;
      if (reads === 0) {
        leftOut.clear();
        // What the stream did not have either is lost.
        takeWaiting(true);
        waiting = undefined;
      }
    }
  }

  /** Until all that came live was told, or has no predecessor any more: an event may come live before the stream has it. */
  async function readOn(): Promise<void> {
    let lagMs = 0;
    while (!isClosed && lagMs < fleetLimits.fleetLagMs) {
      if (takeWaiting(false) && leftOut.size === 0) return;
      const before = readTo;
      // In a turn of its own each time: other conversations, which wait for theirs, may hold all of the room, and free it only then.
      await inTurn.run(readMissed);
      if (readTo !== before) {
        lagMs = 0;
        continue;
      }
      lagMs += fleetLimits.fleetRetryMs;
      await sleep(fleetLimits.fleetRetryMs);
    }
  }

  /** Whether all could be taken. */
  function takeWaiting(mayMiss: boolean): boolean {
    for (let first = waiting?.[0]; first; first = waiting?.[0]) {
      if (!isClosed && !take(first.raw, mayMiss)) return false;
      first.lease.release();
      waiting?.shift();
    }
    return true;
  }

  /** Reads what was missed. A call that comes before the read has begun shares it. */
  function catchUp(): Promise<void> {
    catchingUp ??= whileHeld(() => {
      catchingUp = undefined;
      return readMissed();
    }).catch((error: unknown) => logLine(`[hawser] fleet: missed events can't be read: ${toHawserError(error).message}`));
    return catchingUp;
  }

  return {
    catchUp,
    /** What the running turn has said after `since`, before anything that comes later; its id, if one runs. */
    repeat: (since: number, tell: (event: ReadEvent) => void): Promise<string | undefined> =>
      whileHeld(async () => {
        // Read twice, since which turn runs is known at the end only, and all that was said until then may be large.
        let fresh = createEventOrder(fleetLimits.fleetKnownEntries);
        let last: Place | undefined;
        for await (const { raw, place } of readStream(streams, subject)) {
          noteRead(raw);
          placeEvent(fresh, raw, true);
          last = place;
        }
        const running = fresh.running.at(-1);
        if (running !== undefined) {
          fresh = createEventOrder(fleetLimits.fleetKnownEntries);
          for await (const { raw } of readStream(streams, subject, { upTo: last?.seq ?? 0 })) {
            const event = placeEvent(fresh, raw, true);
            if (event && event !== "gap" && event.value["id"] === running && Number(event.value["seq"] ?? 0) > since) tell(event);
            await whenRoom();
          }
        }
        [order, readTo] = [fresh, last];
        repeated = running === undefined ? undefined : { id: running, upTo: since };
        return running;
      }),
    close(): void {
      isClosed = true;
      subscription.unsubscribe();
    },
  };
}

const markOf = ({ value, text }: RawEvent): string => `${String(value["id"])} ${String(value["seq"])} ${text.length}`;

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

/** A message in the stream. */
interface Place {
  readonly seq: number;
  readonly time: number;
}

/** What the stream holds of a conversation now, after one message and up to another where they are named, each with its place there. */
async function* readStream(
  streams: Streams,
  subject: string,
  { after, upTo }: { readonly after?: Place | undefined; readonly upTo?: number } = {},
): AsyncGenerator<{ raw: RawEvent; place: Place }> {
  const { manager } = streams;
  const last = upTo ?? (await manager.streams.getMessage(eventStream, { last_by_subj: subject }))?.seq;
  if (last === undefined) return;
  // The stream is in memory: after a restart of the servers its numbers begin anew, and another message has the place, or none.
  const isThere = after !== undefined && (await manager.streams.getMessage(eventStream, { seq: after.seq }))?.time.getTime() === after.time;
  if (isThere && after.seq >= last) return;
  const from = isThere
    ? { deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: after.seq + 1 }
    : { deliver_policy: DeliverPolicy.All };
  const isLast = ({ seq, info }: JsMsg): boolean => seq >= last || info.pending === 0;
  const join = createPartJoiner();
  for await (const message of readMessages(streams, eventStream, { filter_subjects: subject, ...from }, isLast)) {
    if (message.seq > last) return;
    const raw = readEvent(join, message.headers, message.data);
    if (raw) yield { raw, place: { seq: message.seq, time: message.time.getTime() } };
  }
}
