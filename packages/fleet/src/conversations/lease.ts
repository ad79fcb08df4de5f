// Who has a conversation, for others to see: one key of the bucket, which goes away by itself when it is not renewed. It tells other
// machines when they may try; that two of them never write is the journal's doing, whatever a clock says.

import { JetStreamApiError } from "@nats-io/jetstream";
import type { KvEntry } from "@nats-io/kv";
import { HawserError, quoteShort } from "@hawser/protocol/internal";
import { readObject } from "../message-text.ts";
import { toToken } from "./conversation-names.ts";
import type { Streams } from "./open-streams.ts";

export interface LeaseHolder {
  /** The runtime's id. */
  readonly runtime: string;
  readonly machine: string;
  readonly conversationId: string;
}

export interface HeldLease {
  /** False when its time is over by our own clock, counted from before it was asked for. */
  readonly isCurrent: boolean;
  /** Renews it now. Rejects when another machine has it. */
  renew(): Promise<void>;
  release(): Promise<void>;
}

/** How often it is renewed within its time. */
const renewals = 3;

/** Throws `overloaded`, with the holder's name in `facts`, while another runtime has it. */
export async function takeLease(streams: Streams, holder: LeaseHolder, onLost: () => void): Promise<HeldLease> {
  const { leases, leaseMs } = streams;
  const key = toToken(holder.conversationId);
  const value = JSON.stringify(holder);
  let [revision, renewedAt, isOver] = [0, 0, false];

  /** By whatever means is left: the next revision, or a new key where it has gone away. */
  async function renew(): Promise<void> {
    const from = performance.now();
    try {
      revision = revision > 0 ? await leases.update(key, value, revision) : await leases.create(key, value);
    } catch (error) {
      if (!(error instanceof JetStreamApiError)) throw error;
      const found = await leases.get(key);
      const isFree = found === null || found.operation !== "PUT";
      if (!isFree && readHolder(found)?.runtime !== holder.runtime) throw heldElsewhere(holder, found);
      revision = isFree ? await leases.create(key, value) : await leases.update(key, value, found.revision);
    }
    renewedAt = from;
  }

  let renewing: Promise<void> | undefined;
  const renewOnce = (): Promise<void> => (renewing ??= renew().finally(() => (renewing = undefined)));

  await renewOnce();
  const timer = setInterval(() => {
    renewOnce().catch((error: unknown) => {
      // Where no server answers, the journal decides.
      if (isOver || !HawserError.isInstance(error)) return;
      clearInterval(timer);
      onLost();
    });
  }, leaseMs / renewals);
  timer.unref();

  return {
    get isCurrent() {
      return performance.now() - renewedAt < leaseMs;
    },
    renew: renewOnce,
    async release() {
      if (isOver) return;
      isOver = true;
      clearInterval(timer);
      await renewing?.catch(() => {});
      // One that can't be let go ends by itself.
      await leases.delete(key, { previousSeq: revision }).catch(() => {});
    },
  };
}

function heldElsewhere({ conversationId }: LeaseHolder, entry: KvEntry): HawserError {
  const { runtime = "", machine = "another machine" } = readHolder(entry) ?? {};
  const message = `conversation ${quoteShort(conversationId, 60)} is with ${machine}; ask there, or wait until it is let go`;
  return new HawserError("overloaded", message, { facts: { owner: runtime } });
}

/** Undefined for a key that is gone, or that something else has written. */
export function readHolder(entry: KvEntry | null): LeaseHolder | undefined {
  if (entry?.operation !== "PUT") return undefined;
  const { runtime, machine, conversationId } = readObject(entry.string()) ?? {};
  if (typeof runtime !== "string" || typeof machine !== "string" || typeof conversationId !== "string") return undefined;
  return { runtime, machine, conversationId };
}
