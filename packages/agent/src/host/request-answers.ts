// What a request came to, once it has ended: all that was said, or the one answer that is wanted; and a turn as its reader sees it.

import { HawserError, type TurnEvent } from "@hawser/protocol";
import type { RequestBody } from "./exchange.ts";
import type { AgentEvent, OpenRequest, SendOptions } from "./open-request.ts";

/**
 * Can be read once. Throws a HawserError for the runtime's `error`, for silence, and when the runtime ends.
 * Leaving the loop early cancels the turn.
 */
export interface AgentTurn extends AsyncIterable<TurnEvent> {
  /** For `cancel` and `steer`. */
  readonly id: string;
}

// A turn gets no other events: `status` and the rest answer requests of their own.
export const toTurn = ({ id, events }: OpenRequest): AgentTurn => ({
  id,
  [Symbol.asyncIterator]: () => events.items[Symbol.asyncIterator]() as AsyncIterator<TurnEvent>,
});

export async function allOf({ events }: OpenRequest): Promise<AgentEvent[]> {
  const all: AgentEvent[] = [];
  for await (const event of events.items) all.push(event);
  return all;
}

export const endOf = async (request: OpenRequest): Promise<EventOf<"done">> => theOne(await allOf(request), "done");

/** What a runtime that can do this answers: the one event that is wanted. */
export type AskOne = <const Type extends AgentEvent["type"]>(
  capability: string,
  body: RequestBody,
  type: Type,
  options?: SendOptions,
) => Promise<EventOf<Type>>;

type EventOf<Type> = Extract<AgentEvent, { type: Type }>;

export function theOne<const Type extends AgentEvent["type"]>(events: readonly AgentEvent[], type: Type): EventOf<Type> {
  const found = events.find((event): event is EventOf<Type> => event.type === type);
  if (!found) throw withoutAnswer(type);
  return found;
}

export const withoutAnswer = (type: string): HawserError =>
  new HawserError("invalid_message", `the agent ended its answer without \`${type}\``);
