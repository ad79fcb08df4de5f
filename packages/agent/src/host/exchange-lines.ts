// What goes through an exchange, at its edges: a line that came as a response, a request as a line, and
// what is refused before it is sent.

import { agentProtocol, HawserError, limits, toHawserError, toJsonText } from "@hawser/wire";
import type { AnyAgentRequest, AnyAgentResponse } from "@hawser/wire";
import type { OpenRequest } from "./open-request.ts";

const endings: readonly unknown[] = ["done", "error", "status"];

/** Undefined for what a newer runtime may say and we need not know. An end that can't be read is the end nevertheless. */
export function parseResponse(value: Record<string, unknown>, request: OpenRequest): AnyAgentResponse | undefined {
  // By far the most frequent one.
  if (value["type"] === "token" && typeof value["token"] === "string") return value as AnyAgentResponse;
  try {
    return agentProtocol.parseResponse(value);
  } catch (error) {
    const { code, message } = toHawserError(error);
    request.touch();
    if (code === "unknown_method") return undefined;
    if (endings.includes(value["type"])) request.fail(new HawserError("invalid_message", `the agent's last answer is invalid: ${message}`));
    throw error;
  }
}

export function refusalOf(openCount: number, signal: AbortSignal | undefined): HawserError | undefined {
  if (signal?.aborted) return new HawserError("cancelled", "cancelled by the caller", { cause: signal.reason });
  if (openCount < limits.hostPendingMessages) return undefined;
  return new HawserError("overloaded", `${openCount} requests wait for their end; wait for some of them before asking more`);
}

export function toLine(message: AnyAgentRequest): string {
  const line = toJsonText(message);
  const max = limits.maxMessageBytes;
  // No text has more than three bytes per unit, so that most need no counting.
  const bytes = line.length * 3 <= max ? line.length : new TextEncoder().encode(line).length;
  if (bytes > max) throw new HawserError("too_large", `a request of ${bytes} bytes; the limit is ${max}. Send less, or a path to a file`);
  return line;
}
