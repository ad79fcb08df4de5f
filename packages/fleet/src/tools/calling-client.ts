// The MCP client that a call comes from, in a header of its message: the function learns it as it does on one machine. The
// contract's message stays as it is, and machines that don't know the header leave it alone. It is a claim, not a proof.

import { headers, type Msg, type MsgHdrs } from "@nats-io/transport-node";
import type { ToolContext } from "@hawser/tools";
import { fleetLimits } from "../limits.ts";
import { fromHeaderText, toHeaderText } from "../message-text.ts";

export interface CallingClient {
  readonly name: string;
  readonly version?: string | undefined;
}

const headerName = "Hawser-Client";
/** `NATS/1.0`, the name of the header, and the ends of lines. */
const frameBytes = `NATS/1.0\r\n${headerName}: \r\n\r\n`.length;

/** Undefined where the client is not known. What it says of itself may hold anything, also ends of lines. */
export function toClientHeaders(client: CallingClient | undefined): { headers: MsgHdrs; encodedBytes: number } | undefined {
  if (!client) return undefined;
  const cut = (text: string): string => toHeaderText(text.slice(0, fleetLimits.fleetClientChars));
  const value = client.version === undefined ? cut(client.name) : `${cut(client.name)}/${cut(client.version)}`;
  const made = headers();
  made.set(headerName, value);
  return { headers: made, encodedBytes: frameBytes + value.length };
}

/** Undefined for a call without one, or with one that isn't of this form. */
export function readClient(message: Msg): ToolContext["client"] {
  const value = message.headers?.get(headerName) ?? "";
  // Each character of the original has at most nine here.
  if (value === "" || value.length > fleetLimits.fleetClientChars * 20) return undefined;
  const texts = value.split("/", 2).map(fromHeaderText);
  if (texts.includes(undefined)) return undefined;
  const [name = "", version] = texts;
  return version === undefined ? { name } : { name, version };
}
