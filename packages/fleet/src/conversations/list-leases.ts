// Who has which conversation now, and since when its lease was not renewed.

import type { Fleet } from "../connect.ts";
import { fleetLimits } from "../limits.ts";
import { leaseBucket } from "./conversation-names.ts";
import { readHolder, type LeaseHolder } from "./lease.ts";
import { jetstream } from "@nats-io/jetstream";
import { Kvm } from "@nats-io/kv";

export interface ListedLease extends LeaseHolder {
  /** How long it still lasts unless it is renewed, by the clocks of the server and of this machine. */
  readonly leftMs: number;
}

/** Sorted by conversation; empty where the fleet keeps none. */
export async function listLeases({ connection }: Fleet): Promise<readonly ListedLease[]> {
  const leases = await new Kvm(jetstream(connection, { timeout: fleetLimits.fleetAnswerMs })).open(leaseBucket);
  const status = await leases.status().catch(() => undefined);
  if (!status) return [];
  const found: ListedLease[] = [];
  for await (const key of await leases.keys()) {
    const entry = await leases.get(key);
    const holder = readHolder(entry);
    if (entry && holder) found.push({ ...holder, leftMs: Math.max(0, entry.created.getTime() + status.ttl - Date.now()) });
    if (found.length === fleetLimits.fleetListedEntries) break;
  }
  return found.toSorted((one, other) => (one.conversationId < other.conversationId ? -1 : 1));
}
