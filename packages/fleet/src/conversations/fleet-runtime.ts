// One runtime of a fleet, around a server of the agent protocol that is handed in: where its conversations are kept, the lines of all
// hosts, and how the others see it and tell it to leave.

import { whenAborted } from "@hawser/wire/internal";
import type { Transport } from "@hawser/wire";
import type { ConversationMessage, HawserError } from "@hawser/protocol";
import { logLine } from "@hawser/wire/internal/node";
import type { Fleet } from "../connect.ts";
import { answerDiscovery } from "../discovery.ts";
import { createConversationLogs, type ConversationLogs } from "./conversation-logs.ts";
import { anyRuntimeSubject, runtimeQueue, runtimeService } from "./conversation-names.ts";
import { openStreams } from "./open-streams.ts";
import { createRuntimeHub, type HubOptions } from "./runtime-hub.ts";

export interface FleetRuntimeOptions<Store> {
  readonly id: string;
  /** For lists: the machine's name, and the product's version. */
  readonly machine: string;
  readonly version: string;
  /** The history over these logs. `onInterrupted` is told of an answer that a dead machine has left without an end. */
  toStore(logs: ConversationLogs, onInterrupted: (conversationId: string, answer: ConversationMessage) => void): Store;
}

export interface FleetRuntime<Store> {
  readonly store: Store;
  /** Lines of all hosts, for the server. */
  readonly transport: Transport;
  /** Resolves when somebody has told this runtime to leave. */
  readonly drained: Promise<void>;
  /** From now on hosts are served; once `stopping` is aborted nothing new is taken. */
  begin(stopping: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** Throws `usage` where the fleet's servers can't keep conversations. */
export async function openFleetRuntime<Store extends Pick<HubOptions, "open">>(
  fleet: Fleet,
  { id, machine, version, toStore }: FleetRuntimeOptions<Store>,
): Promise<FleetRuntime<Store>> {
  const streams = await openStreams(fleet);
  const logs = createConversationLogs(fleet, streams, { runtime: id, machine, onLost: (conversationId) => hub.lose(conversationId) });
  const store = toStore(logs, (conversationId, answer) => hub.tellInterrupted(conversationId, answer));
  const hub = createRuntimeHub(fleet, { runtime: id, open: (conversationId) => store.open(conversationId), epochOf: logs.epochOf });
  const drained = Promise.withResolvers<void>();
  const stopDrain = fleet.onDrain([id, runtimeService], drained.resolve);
  const facts = {
    name: runtimeService,
    id,
    version,
    description: `Agent runtime on ${machine}, by Hawser`,
    metadata: {
      kind: "agent",
      machine,
      get conversations() {
        return String(logs.held.length);
      },
    },
    endpoints: [{ name: "lines", subject: anyRuntimeSubject, queueGroup: runtimeQueue }],
  };
  let stopDiscovery = (): void => {};
  let stopMending = (): void => {};

  return {
    store,
    transport: hub.transport,
    drained: drained.promise,
    async begin(stopping) {
      // A server that was started again has lost what it held in memory only.
      stopMending = fleet.onReconnect(
        () => void openStreams(fleet).catch((error: HawserError) => logLine(`[hawser] fleet: ${error.message}`)),
      );
      await hub.begin();
      stopDiscovery = answerDiscovery(fleet, facts, () => hub.counts);
      void whenAborted(stopping).then(() => hub.leave());
    },
    async close() {
      stopDiscovery();
      stopDrain();
      stopMending();
      await hub.close();
    },
  };
}
