// Who has which conversation, for `hawser fleet status`.

import { listLeases, type Fleet, type FoundService, type ListedLease } from "@hawser/fleet/internal";

export interface ListedConversation extends ListedLease {
  /** Whether the runtime answers; one that does not is dead or stands still, and loses it with its lease. */
  readonly isThere: boolean;
}

export async function listConversations(fleet: Fleet, services: readonly FoundService[]): Promise<readonly ListedConversation[]> {
  const there = new Set(services.map(({ id }) => id));
  // A server without JetStream keeps no conversations.
  const leases = await listLeases(fleet).catch(() => []);
  return leases.map((lease) => ({ ...lease, isThere: there.has(lease.runtime) }));
}

/** The rows below their heads. */
export const toConversationRows = (conversations: readonly ListedConversation[]): readonly (readonly string[])[] =>
  conversations.map(({ conversationId, machine, runtime, leftMs, isThere }) => [
    conversationId,
    machine,
    runtime,
    `${(leftMs / 1_000).toFixed(1)} s${isThere ? "" : ", does not answer"}`,
  ]);

export const conversationHeads: readonly string[] = ["CONVERSATION", "MACHINE", "RUNTIME", "LEASE"];
