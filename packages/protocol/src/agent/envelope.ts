// What the messages of the agent protocol share: the id, the time and the number of an answer, the conversation, and how examples
// are written.

import * as v from "valibot";
import { idText, number, text } from "../described.ts";

export const requestId = idText("Chosen by the host, unique among requests in flight; every answer carries it.");
export const conversationId = text("Which conversation.");
/** How the description of a part begins that hosts of the first form do not know: only a host that names its type in `include` gets it. */
export const askedFor = "Asked for by `include`.";

export const timestamp = number("Unix time in milliseconds.");
export const seq = v.exactOptional(number("Additive. Counts the answers of one `user_message` from 1, without gaps."));

const id = idText("Of the request that is answered.");

export const answer = <const Type extends string>(type: Type) => ({ type: v.literal(type), id, timestamp });

export const exampleTime = 1234567890000;

/** An answer to the request of that number, so many milliseconds after the first one. */
export const example = (type: string, request: number, ms: number, members: object = {}) => ({
  type,
  id: `req-uuid-${request}`,
  ...members,
  timestamp: exampleTime + ms,
});
