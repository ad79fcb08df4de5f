// The two streams of batches, and writing to them. They are made on first use; where an operator has made them, with other sizes or more
// replicas, they are used as they are. A write is repeated until it is known whether it counts: what was refused for lack of room or
// time waits, and what another one was quicker with is told by `fenced`.

import { setTimeout as sleep } from "node:timers/promises";
import { jetstream, JetStreamApiError, jetstreamManager } from "@nats-io/jetstream";
import type { JetStreamClient, JetStreamManager, MsgRequest } from "@nats-io/jetstream";
import { HawserError, tooLarge } from "@hawser/protocol/internal";
import { logLine } from "@hawser/wire/internal/node";
import type { Fleet } from "../connect.ts";
import { ensureStream, isWrongSequence } from "../ensure-stream.ts";
import { toFleetError } from "../fault.ts";
import { fleetLimits } from "../limits.ts";
import { itemStream, itemStreamSubjects, resultStream, resultStreamSubjects } from "./batch-names.ts";

export interface BatchStreams {
  readonly fleet: Fleet;
  readonly client: JetStreamClient;
  readonly manager: JetStreamManager;
}

/** A full stream refuses; nothing that was acknowledged is dropped. */
const kept = { storage: "file", discard: "new" } as const;

/** Throws `usage` for a server that can't hold batches. */
export async function openBatchStreams(fleet: Fleet): Promise<BatchStreams> {
  try {
    const manager = await jetstreamManager(fleet.connection);
    await ensureStream(manager, fleet.connection, {
      ...kept,
      name: itemStream,
      subjects: [...itemStreamSubjects],
      retention: "workqueue",
      max_bytes: fleetLimits.batchItemBytes,
    });
    await ensureStream(manager, fleet.connection, {
      ...kept,
      name: resultStream,
      subjects: [...resultStreamSubjects],
      retention: "limits",
      max_bytes: fleetLimits.batchResultBytes,
      max_age: fleetLimits.batchKeptMs * 1e6,
    });
    return { fleet, client: jetstream(fleet.connection), manager };
  } catch (error) {
    throw toStreamError(error, fleet);
  }
}

function toStreamError(error: unknown, fleet: Fleet): HawserError {
  const { name, message } = error as Error;
  if (name === "JetStreamNotEnabled" || /jetstream not enabled/i.test(message))
    return new HawserError("usage", `the server at ${fleet.servers} keeps no streams, which a batch needs; switch JetStream on`, {
      cause: error,
    });
  if (error instanceof JetStreamApiError)
    return new HawserError("usage", `the server at ${fleet.servers} can't hold the streams of batches: ${message}`, { cause: error });
  return toFleetError(error, fleet.servers);
}

/** The server may take it later: no room in the stream, in the account or on the disk, no leader. */
const unavailableStatus = 503;

/** Another process has written in the meantime: whatever was meant to follow does not count. */
const fenced = (): HawserError => new HawserError("closed", "another process goes on with it", { facts: { isFenced: true } });
export const isFenced = (error: unknown): boolean => HawserError.isInstance(error) && error.facts["isFenced"] === true;

export interface FencedWrite {
  readonly stream: string;
  readonly subject: string;
  readonly text: string;
  /** Tells this write from all others; by it a write whose answer was lost is found again. */
  readonly id: string;
  /** The sequence of the last message of `fence`, or of the subject itself; 0 for none. */
  readonly after: number;
  /** Another subject of the stream, on which nothing may have been written since. */
  readonly fence?: string;
  readonly signal?: AbortSignal | undefined;
}

/** Resolves with its sequence. Rejects with `isFenced`, with the signal's reason, or with `closed` when the connection is. */
export async function writeFenced(streams: BatchStreams, write: FencedWrite): Promise<number> {
  const { client, fleet } = streams;
  const { stream, subject, text, id, after, fence, signal } = write;
  const expect = { lastSubjectSequence: after, ...(fence !== undefined && { lastSubjectSequenceSubject: fence }) };
  const bytes = Buffer.byteLength(text);
  if (bytes > fleet.maxPayload) throw tooLarge("message", bytes, fleet.maxPayload);
  let isTold = false;
  for (;;) {
    try {
      return (await client.publish(subject, text, { msgID: id, expect })).seq;
    } catch (error) {
      if (fleet.connection.isClosed()) throw new HawserError("closed", "the connection to the fleet was closed", { cause: error });
      if (isWrongSequence(error)) {
        const last = await readLast(streams, stream, subject);
        if (last?.id === id) return last.sequence;
        throw fenced();
      }
      if (error instanceof JetStreamApiError && error.status !== unavailableStatus) throw toStreamError(error, fleet);
      if (!isTold) logLine(`[hawser] fleet: ${stream} takes nothing now (${(error as Error).message}); tries again`);
      isTold = true;
      await sleep(fleetLimits.batchRetryMs, undefined, { signal });
    }
  }
}

export interface StoredMessage {
  readonly sequence: number;
  readonly subject: string;
  /** Of its write. */
  readonly id: string;
  readonly text: string;
}

/** The last message of a subject, which may have wildcards, as the stream's leader has it; undefined where there is none. */
export const readLast = (streams: BatchStreams, stream: string, subject: string): Promise<StoredMessage | undefined> =>
  getMessage(streams, stream, { last_by_subj: subject });

/** The first message of a subject from a sequence on, in the same way. */
export const readNext = (streams: BatchStreams, stream: string, subject: string, from: number): Promise<StoredMessage | undefined> =>
  // The library's type lacks what the server knows.
  getMessage(streams, stream, { seq: from, next_by_subj: subject } as MsgRequest);

async function getMessage({ manager }: BatchStreams, stream: string, query: MsgRequest): Promise<StoredMessage | undefined> {
  const message = await manager.streams.getMessage(stream, query);
  if (!message) return undefined;
  return { sequence: message.seq, subject: message.subject, id: message.header.get("Nats-Msg-Id"), text: message.string() };
}
