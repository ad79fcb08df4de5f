// The conversations whose events one host follows: those that it used last.

import { createByteBudget, createRecentMap, createSemaphore } from "@hawser/wire/internal";
import type { Fleet } from "../connect.ts";
import { fleetLimits } from "../limits.ts";
import { followEvents, type FollowedEvents, type ReadEvent } from "./follow-events.ts";
import type { Streams } from "./open-streams.ts";

export interface FollowedOptions {
  onEvent(event: ReadEvent, conversationId: string): void;
  /** Resolves when the host may be told more of what is read. */
  whenRoom(): Promise<void>;
}

export function createFollowedConversations(fleet: Fleet, streams: Streams, { onEvent, whenRoom }: FollowedOptions) {
  const held = createByteBudget(fleetLimits.fleetHeldEventChars);
  const inTurn = createSemaphore(1);
  const followed = createRecentMap<FollowedEvents>(fleetLimits.fleetFollowedEntries, (_, events) => events.close());

  function follow(conversationId: string): FollowedEvents {
    const options = { held, inTurn, whenRoom, onEvent: (event: ReadEvent) => onEvent(event, conversationId) };
    const events = followed.get(conversationId) ?? followEvents(fleet, streams, conversationId, options);
    followed.set(conversationId, events);
    return events;
  }

  return {
    follow,
    repeat: (conversationId: string, since: number, tell: (event: ReadEvent) => void): Promise<string | undefined> =>
      follow(conversationId).repeat(since, tell),
    /** After the connection was lost for a while. */
    catchUp(): void {
      for (const [, events] of followed.entries()) void events.catchUp();
    },
    close(): void {
      for (const [, events] of followed.entries()) events.close();
    },
  };
}
