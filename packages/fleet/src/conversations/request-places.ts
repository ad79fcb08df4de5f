// Which conversation a request of a host is about, where it does not say so itself: it names a turn, a steer or a question that came up
// before, or means the conversation of its last message.

import { defaultConversation, isRecord, type AnyAgentRequest } from "@hawser/protocol/internal";
import { createRecentMap } from "@hawser/wire/internal";
import { fleetLimits } from "../limits.ts";
import { namedConversation } from "./bus-line.ts";

export function createRequestPlaces() {
  /** By the ids of turns, steers and questions. */
  const known = createRecentMap<string>(fleetLimits.fleetKnownEntries);
  let last = defaultConversation;

  return {
    /** With the conversation that it means, where a runtime would think of its own last one. */
    complete(request: AnyAgentRequest): AnyAgentRequest {
      const { kind } = request;
      if (kind !== "user_message" && kind !== "clear_history" && kind !== "get_status") return request;
      const conversationId = namedConversation({ metadata: {}, ...request }) ?? (kind === "user_message" ? defaultConversation : last);
      if (kind === "user_message") {
        last = conversationId;
        known.set(request.id, conversationId);
      }
      return { ...request, metadata: { ...request.metadata, conversationId } };
    },
    /** Undefined where it is about none, or about one that is not known here. */
    placeOf(request: AnyAgentRequest): string | undefined {
      const named = namedConversation(request);
      if (named !== undefined) return named;
      const { target, steerId, permissionId } = request as { target?: unknown; steerId?: unknown; permissionId?: unknown };
      const name = target ?? steerId ?? permissionId;
      return typeof name === "string" ? known.get(name) : undefined;
    },
    /** What a response of this conversation names. */
    learn({ id, data }: Readonly<Record<string, unknown>>, conversationId: string | undefined): void {
      if (!isRecord(data)) return;
      const place = conversationId ?? (typeof id === "string" ? known.get(id) : undefined);
      const { permissionId, steerId } = data;
      for (const name of [permissionId, steerId]) if (typeof name === "string" && place !== undefined) known.set(name, place);
    },
    /** Of a request that is under way. */
    note: (id: string, conversationId: string): void => known.set(id, conversationId),
  };
}
