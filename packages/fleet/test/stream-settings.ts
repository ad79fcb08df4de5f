// The streams of a fleet as an operator may have made them: with a short lease, or with little room; and who leads them.

import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import { Kvm } from "@nats-io/kv";
import type { Fleet } from "../src/connect.ts";
import { journalStream, leaseBucket } from "../src/conversations/conversation-names.ts";

/** Before any runtime has made the bucket. */
export async function makeLeaseBucket({ connection }: Fleet, leaseMs: number): Promise<void> {
  const replicas = connection.info?.cluster === undefined ? 1 : 3;
  await new Kvm(jetstream(connection)).create(leaseBucket, { ttl: leaseMs, markerTTL: 1_000, history: 1, replicas });
}

/** How many more bytes the journal takes; undefined for as many as there are. */
export async function setJournalRoom({ connection }: Fleet, bytes: number | undefined): Promise<void> {
  const { streams } = await jetstreamManager(connection);
  const { config, state } = await streams.info(journalStream);
  await streams.update(journalStream, { ...config, max_bytes: bytes === undefined ? -1 : state.bytes + bytes });
}

/** The index of the server that leads the journal's stream, in a cluster of our own. */
export async function findJournalLeader({ connection }: Fleet): Promise<number> {
  const { streams } = await jetstreamManager(connection);
  const { cluster } = await streams.info(journalStream);
  return Number(cluster?.leader?.replace("server-", "")) - 1;
}
