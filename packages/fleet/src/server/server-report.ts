// What a NATS server says about itself on its monitoring port. The port needs no credentials, so it is often closed to others:
// what can't be read is undefined, with the reason.

import { describeThrown, HawserError } from "@hawser/protocol";
import { isRecord } from "@hawser/protocol/internal";
import { fleetLimits } from "../limits.ts";

/** Throws `connection_failed` when nothing answers there, and `invalid_message` when it isn't a server's report. */
export async function readReport(monitor: string, path: string): Promise<Record<string, unknown>> {
  const url = new URL(path, monitor);
  let text: string;
  try {
    text = await readBounded(await fetch(url, { signal: AbortSignal.timeout(fleetLimits.fleetReportMs), redirect: "error" }));
  } catch (cause) {
    throw HawserError.isInstance(cause)
      ? cause
      : new HawserError("connection_failed", `${url.origin} did not answer: ${describeThrown(reasonOf(cause))}`, { cause });
  }
  try {
    const value: unknown = JSON.parse(text);
    if (isRecord(value)) return value;
  } catch {
    // Said below.
  }
  throw new HawserError("invalid_message", `${url.origin} is not the monitoring port of a NATS server`);
}

/** `fetch` hides the reason in a cause. */
const reasonOf = (error: unknown): unknown => (error instanceof TypeError && error.cause !== undefined ? error.cause : error);

async function readBounded(response: Response): Promise<string> {
  if (!response.ok) throw new HawserError("invalid_message", `${new URL(response.url).origin} answered with status ${response.status}`);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > fleetLimits.fleetReportBytes) throw new HawserError("too_large", "the server's report is larger than expected");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
