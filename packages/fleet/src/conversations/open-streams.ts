// The streams and the bucket in which a fleet keeps its conversations. They are made at first use and taken as they are found: an
// operator may have made them with other replicas or sizes. A full journal refuses, it never drops what was acknowledged.

import { DiscardPolicy, jetstream, jetstreamManager, StorageType } from "@nats-io/jetstream";
import { Kvm } from "@nats-io/kv";
import { describeThrown, HawserError } from "@hawser/protocol";
import { nanos } from "@nats-io/transport-node";
import type { Fleet } from "../connect.ts";
import { ensureStream, isMissingStream, replicasAt } from "../ensure-stream.ts";
import { fleetLimits } from "../limits.ts";
import { eventStream, eventSubjects, journalStream, journalSubjects, leaseBucket } from "./conversation-names.ts";

export type Streams = Awaited<ReturnType<typeof openStreams>>;

/** Throws `usage` where the server has no JetStream, or does not let this account use it. */
export async function openStreams(fleet: Fleet) {
  const { connection } = fleet;
  const timeout = fleetLimits.fleetAnswerMs;
  try {
    const manager = await jetstreamManager(connection, { timeout });
    const client = jetstream(connection, { timeout });
    await ensureStream(manager, connection, {
      name: journalStream,
      subjects: [journalSubjects],
      storage: StorageType.File,
      discard: DiscardPolicy.New,
    });
    await ensureStream(manager, connection, {
      name: eventStream,
      subjects: [eventSubjects],
      storage: StorageType.Memory,
      discard: DiscardPolicy.Old,
      max_age: nanos(fleetLimits.fleetEventMs),
      max_bytes: fleetLimits.fleetEventBytes,
      no_ack: true,
    });
    const buckets = new Kvm(client);
    const lease = { ttl: fleetLimits.fleetLeaseMs, markerTTL: fleetLimits.fleetLeaseMs, history: 1, replicas: replicasAt(connection) };
    const leases = await buckets.open(leaseBucket).then(async (bucket) => {
      const isThere = await bucket.status().then(
        () => true,
        (error: unknown) => {
          if (!isMissingStream(error)) throw error;
          return false;
        },
      );
      return isThere ? bucket : buckets.create(leaseBucket, lease);
    });
    // The bucket says how long a lease is, so that all machines mean the same.
    const { ttl: leaseMs } = await leases.status();
    /** How far to read ahead: a server that could not send all that was asked for would drop the connection. */
    const readAhead = () => ({ max_bytes: Math.max(fleetLimits.fleetReadBytes, 2 * fleet.maxPayload) });
    return { client, manager, leases, leaseMs, readAhead };
  } catch (error) {
    if (HawserError.isInstance(error)) throw error;
    const message = `the server at ${fleet.servers} keeps no conversations: ${describeThrown(error)}. It needs JetStream, and an account that may use it`;
    throw new HawserError("usage", message, { cause: error });
  }
}
