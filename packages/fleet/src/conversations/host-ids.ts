// The ids of a host on the bus, where those of all hosts meet. One that is a UUID stays as it is; another one, as `1`, gets the host's own
// name in front of it, which the host never sees.

import type { AnyAgentRequest } from "@hawser/protocol";
import { withIdSource } from "@hawser/wire/internal";
import { fleetLimits } from "../limits.ts";
import { createRecentMap } from "./recent-map.ts";

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
/** Members of a request that name another one. */
const naming = ["target", "steerId", "requestId"] as const;

export function createHostIds(host: string) {
  /** How the host wrote its ids, by what they are on the bus. */
  const sources = createRecentMap<string>(fleetLimits.fleetKnownEntries);
  const toBusId = (id: string): string => (uuid.test(id) ? id : `${host}.${id}`);

  return {
    toBus(request: AnyAgentRequest, idSource: string): AnyAgentRequest {
      const changed: Record<string, unknown> = { ...request, id: toBusId(request.id) };
      if (changed["id"] !== request.id) sources.set(toBusId(request.id), idSource);
      for (const member of naming) {
        const named = changed[member];
        if (typeof named === "string" && sources.get(toBusId(named)) !== undefined) changed[member] = toBusId(named);
      }
      return changed as AnyAgentRequest;
    },
    /** The value itself where nothing of it is ours to change. */
    toHost(value: Readonly<Record<string, unknown>>): unknown {
      const { id, ...rest } = value;
      const source = typeof id === "string" ? sources.get(id) : undefined;
      const running = toNamed(rest["data"]);
      if (source === undefined && running === undefined) return value;
      const data = running === undefined ? rest["data"] : { ...(rest["data"] as object), running };
      return withIdSource(source ?? JSON.stringify(id), { ...rest, ...(data !== undefined && { data }) });
    },
  };

  /** The running turn that `subscribe` names, as the host knows it. */
  function toNamed(data: unknown): string | undefined {
    const { running } = (data ?? {}) as { running?: unknown };
    const source = typeof running === "string" ? sources.get(running) : undefined;
    return source === undefined ? undefined : (JSON.parse(source) as string);
  }
}
