// Texts that are larger than one message of the server: cut into parts, each with its number, and put together again. A text of which
// the last part has not come was not sent.

import { headers, type MsgHdrs } from "@nats-io/transport-node";
import { HawserError } from "@hawser/protocol";
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

/** What every part of a text is sent with. */
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

/** For the messages of one sender in their order. Returns a text when its last part has come. */
export function createPartJoiner(): (message: PartMessage) => string | undefined {
  let pieces: Uint8Array[] = [];
  let record = "";
  return ({ headers: given, data }) => {
    const [, at, count] = /^(\d+)\/(\d+)$/.exec(given?.get(header.part) ?? "") ?? ["", "1", "1"];
    const from = given?.get(header.record) ?? "";
    if (at === "1") [pieces, record] = [[], from];
    // The beginning of it was lost, or belongs to a text that was not sent to its end.
    if (from !== record || pieces.length !== Number(at) - 1) return undefined;
    pieces.push(data);
    if (pieces.length > fleetLimits.fleetPartEntries)
      throw new HawserError("too_large", `a text in ${count} parts; at most ${fleetLimits.fleetPartEntries} are taken`);
    if (at !== count) return undefined;
    const text = Buffer.concat(pieces).toString("utf8");
    pieces = [];
    return text;
  };
}
