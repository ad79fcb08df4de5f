// Answers questions about which services there are, as every NATS micro service does: `nats micro ls` and other
// tools see ours. Written by hand: a few subjects, and the library for it wants another version of its core.

import { NoRespondersError, RequestError, type NatsConnection } from "@nats-io/transport-node";
import { isRecord } from "@hawser/protocol/internal";
import type { Fleet } from "./connect.ts";
import { fleetLimits } from "./limits.ts";
import { readObject } from "./message-text.ts";

export interface ServiceFacts {
  readonly name: string;
  readonly id: string;
  /** Three numbers with dots. */
  readonly version: string;
  readonly description: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly endpoints: readonly {
    readonly name: string;
    readonly subject: string;
    readonly queueGroup: string;
    readonly metadata?: Readonly<Record<string, string>>;
  }[];
}

export interface ServiceCounts {
  readonly requests: number;
  readonly errors: number;
  /** Of all requests together. */
  readonly busyMs: number;
  readonly lastError: string;
}

/** Answers until it is told to stop. */
export function answerDiscovery(fleet: Fleet, facts: ServiceFacts, count: () => ServiceCounts): () => void {
  const { name, id, version, metadata, description } = facts;
  const identity = { name, id, version, metadata };
  const started = new Date().toISOString();
  const endpoints = facts.endpoints.map((endpoint) => ({
    name: endpoint.name,
    subject: endpoint.subject,
    queue_group: endpoint.queueGroup,
    ...(endpoint.metadata && { metadata: endpoint.metadata }),
  }));
  const answers: Readonly<Record<string, () => object>> = {
    PING: () => ({ type: "io.nats.micro.v1.ping_response", ...identity }),
    INFO: () => ({ type: "io.nats.micro.v1.info_response", ...identity, description, endpoints }),
    STATS: () => ({
      type: "io.nats.micro.v1.stats_response",
      ...identity,
      started,
      endpoints: endpoints.map((one) => ({ ...one, ...toStats(count()) })),
    }),
  };
  const subscriptions = Object.entries(answers).flatMap(([verb, answer]) =>
    ["", `.${name}`, `.${name}.${id}`].map((end) =>
      fleet.listen(`$SRV.${verb}${end}`, (message) => void message.respond(JSON.stringify(answer()))),
    ),
  );
  return () => {
    for (const subscription of subscriptions) subscription.unsubscribe();
  };
}

// Durations are in nanoseconds there.
function toStats({ requests, errors, busyMs, lastError }: ServiceCounts): object {
  const processing = Math.round(busyMs * 1e6);
  return {
    num_requests: requests,
    num_errors: errors,
    last_error: lastError,
    processing_time: processing,
    average_processing_time: requests === 0 ? 0 : Math.round(processing / requests),
  };
}

/** A service as its machine describes it; what is not of that form is left out. */
export interface FoundService {
  readonly name: string;
  readonly id: string;
  readonly version: string;
  readonly description: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly requests: number;
  readonly errors: number;
}

/** Every service that answers in time, sorted by name: those of other programs too. */
export async function findServices({ connection }: Fleet): Promise<readonly FoundService[]> {
  const [infos, stats] = await Promise.all(["INFO", "STATS"].map((verb) => ask(connection, `$SRV.${verb}`)));
  const countsOf = new Map((stats ?? []).map((one) => [String(one["id"]), toCounts(one)]));
  const found = (infos ?? []).flatMap((info): FoundService[] => {
    const { name, id, version, description, metadata } = info;
    if (typeof name !== "string" || typeof id !== "string") return [];
    const counts = countsOf.get(id) ?? { requests: 0, errors: 0 };
    return [
      {
        name,
        id,
        version: toText(version),
        description: toText(description),
        metadata: toTexts(metadata),
        ...counts,
      },
    ];
  });
  return found.toSorted((a, b) => (a.name === b.name ? (a.id < b.id ? -1 : 1) : a.name < b.name ? -1 : 1));
}

const toText = (value: unknown): string => (typeof value === "string" ? value : "");

const toTexts = (value: unknown): Record<string, string> =>
  Object.fromEntries(
    Object.entries(isRecord(value) ? value : {}).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );

function toCounts({ endpoints }: Record<string, unknown>): { requests: number; errors: number } {
  const all = Array.isArray(endpoints) ? endpoints.filter(isRecord) : [];
  const sum = (member: string): number => all.reduce((total, one) => total + (Number(one[member]) || 0), 0);
  return { requests: sum("num_requests"), errors: sum("num_errors") };
}

/** All answers that come before nothing has come for a while. */
async function ask(connection: NatsConnection, subject: string): Promise<Record<string, unknown>[]> {
  const options = { strategy: "stall", maxWait: fleetLimits.fleetAskMs, maxMessages: fleetLimits.fleetListedEntries } as const;
  const answers: Record<string, unknown>[] = [];
  try {
    for await (const message of await connection.requestMany(subject, "", options)) {
      const value = readObject(message.string());
      if (value) answers.push(value);
    }
  } catch (error) {
    // A bus without any service.
    const isWithoutServices = error instanceof RequestError ? error.isNoResponders() : error instanceof NoRespondersError;
    if (!isWithoutServices) throw error;
  }
  return answers;
}
