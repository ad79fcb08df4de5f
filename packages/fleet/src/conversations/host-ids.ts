// The ids of a host on the bus, where those of all hosts meet. One that is a UUID stays as it is; another one, as `1`, gets the host's own
// name in front of it, which the host never sees. A turn under an id that the host uses again has another one there:
// who has a conversation would take it for the earlier one, asked for twice.

import { randomUUID } from "node:crypto";
import { isRecord, type AnyAgentRequest } from "@hawser/protocol/internal";
import { createRecentMap, withIdSource } from "@hawser/wire/internal";
import { fleetLimits } from "../limits.ts";

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
/** Members of a request that name another one. */
const naming = ["target", "steerId", "requestId"] as const;
/** In the data of an answer: the lists whose entries name requests, and by what. */
const namingInLists = { requests: ["id"], changes: ["requestId", "undoes"], messages: ["requestId"] } as const;

export function createHostIds(host: string) {
  /** How the host wrote its ids, by what they are on the bus. */
  const sources = createRecentMap<string>(fleetLimits.fleetKnownEntries);
  /** What those of its last turns are on the bus that it has used again. */
  const again = createRecentMap<string>(fleetLimits.fleetKnownEntries);
  const toBusId = (id: string): string => again.get(id) ?? (uuid.test(id) ? id : `${host}.${id}`);

  return {
    /** `hasEnded`: whether a runtime has ended what has this id on the bus. Where it is not known what became of a turn, its id asks for that. */
    toBus(request: AnyAgentRequest, idSource: string, hasEnded: (id: string) => boolean): AnyAgentRequest {
      if (request.kind === "user_message" && hasEnded(toBusId(request.id))) again.set(request.id, `${host}.${randomUUID()}`);
      const id = toBusId(request.id);
      const changed: Record<string, unknown> = { ...request, id };
      if (id !== request.id) sources.set(id, idSource);
      for (const member of naming) {
        const named = changed[member];
        if (typeof named === "string" && sources.get(toBusId(named)) !== undefined) changed[member] = toBusId(named);
      }
      return changed as AnyAgentRequest;
    },
    /** The value itself where nothing of it, written as `text`, is ours to change. */
    toHost(value: Readonly<Record<string, unknown>>, text: string): unknown {
      if (!text.includes(`"${host}.`)) return value;
      const { id, data, ...rest } = value;
      const source = typeof id === "string" ? sources.get(id) : undefined;
      return withIdSource(source ?? JSON.stringify(id), { ...rest, ...(data !== undefined && { data: toHostData(data) }) });
    },
  };

  function toHostId(id: unknown): unknown {
    const source = typeof id === "string" ? sources.get(id) : undefined;
    return source === undefined ? id : JSON.parse(source);
  }

  function toHostData(data: unknown): unknown {
    if (!isRecord(data)) return data;
    const changed = withHostIds(data, ["running"]);
    for (const [list, members] of Object.entries(namingInLists)) {
      const entries = data[list];
      if (Array.isArray(entries)) changed[list] = entries.map((entry) => (isRecord(entry) ? withHostIds(entry, members) : entry));
    }
    return changed;
  }

  function withHostIds(value: Record<string, unknown>, members: readonly string[]): Record<string, unknown> {
    const changed = { ...value };
    for (const member of members) {
      const named = value[member];
      if (named !== undefined) changed[member] = Array.isArray(named) ? named.map(toHostId) : toHostId(named);
    }
    return changed;
  }
}
