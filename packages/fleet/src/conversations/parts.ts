// Texts that are larger than one message of the server: cut into parts, each with its number, and put together again. A text of which
// the last part has not come was not sent.

import { headers, type MsgHdrs } from "@nats-io/transport-node";
import { createRecentMap } from "@hawser/wire/internal";
import { fleetLimits } from "../limits.ts";
import { header } from "./conversation-names.ts";

// For our headers, the longest id of a conversation in them, and the server's own.
const headerBytes = 32_768;

export function toParts(text: string, maxPayload: number): Buffer[] {
  const bytes = Buffer.from(text);
  const size = Math.max(1_024, maxPayload - Math.min(headerBytes, maxPayload / 2));
  const count = Math.max(1, Math.ceil(bytes.length / size));
  return Array.from({ length: count }, (_, index) => bytes.subarray(index * size, (index + 1) * size));
}

/** What a part of a text is sent with. */
export function toPartHeaders(values: Readonly<Record<string, string>>, index: number, count: number): MsgHdrs {
  const made = headers();
  for (const [name, value] of Object.entries(values)) made.set(name, value);
  if (count > 1) made.set(header.part, `${index + 1}/${count}`);
  return made;
}

export interface PartMessage {
  readonly headers?: MsgHdrs | undefined;
  readonly data: Uint8Array;
}

/** Returns a text when its last part has come. Of texts that never end, those that began first are forgotten. */
export function createPartJoiner(): (message: PartMessage) => string | undefined {
  const begun = createRecentMap<Uint8Array[]>(fleetLimits.fleetPartedEntries);
  return ({ headers: given, data }) => {
    const [, at, count] = /^(\d+)\/(\d+)$/.exec(given?.get(header.part) ?? "") ?? [];
    if (at === undefined || count === undefined) return Buffer.from(data).toString("utf8");
    const record = given?.get(header.record) ?? "";
    const pieces = begun.get(record) ?? [];
    begun.delete(record);
    // Its beginning was lost.
    if (pieces.length !== Number(at) - 1) return undefined;
    pieces.push(data);
    if (at === count) return Buffer.concat(pieces).toString("utf8");
    begun.set(record, pieces);
    return undefined;
  };
}
