// What carries lines between a host and an agent runtime: a child's pipes, a page's socket, the events of a desktop
// shell; and how a line becomes a response, and a request a line. A link may outlive a runtime: it then says `lost`,
// and the next runtime's `ready` follows.

import { agentProtocol, type AnyAgentRequest, type AnyAgentResponse, HawserError, toHawserError } from "@hawser/protocol";
import { toJsonText, wireLimits } from "@hawser/wire/internal";
import { agentHostLimits } from "./limits.ts";
import type { OpenRequest } from "./open-request.ts";

/** A line that the link has parsed already. */
export interface ParsedLine {
  readonly value: unknown;
  readonly text: string;
}

/** The runtime has ended and what it was asked is lost; another one may follow. */
export interface LostRuntime {
  readonly lost: HawserError;
}

export interface AgentLink {
  /** Takes one request, as JSON without a line feed, and its kind. A promise that it returns is awaited before the next one. */
  send(line: string, kind?: string): void | Promise<void>;
  /**
   * Everything that arrives, in order: JSON texts, or what they say. Not read further while the program that asked is
   * behind. Ends, or throws the reason, when no more will come.
   */
  readonly incoming: AsyncIterable<string | ParsedLine | LostRuntime>;
  /** Called once, when the client is closed. */
  close?(): void;
}

const endings: readonly unknown[] = ["done", "error", "status"];

/** Undefined for what a newer runtime may say and we need not know. An end that can't be read is still the end. */
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

export function toLine(message: AnyAgentRequest): string {
  const line = toJsonText(message);
  const max = wireLimits.maxMessageBytes;
  // A character takes three bytes at most, so most lines need no counting.
  const bytes = line.length * 3 <= max ? line.length : new TextEncoder().encode(line).length;
  if (bytes > max) throw new HawserError("too_large", `a request of ${bytes} bytes; the limit is ${max}. Send less, or a path to a file`);
  return line;
}

export function refusalOf(openCount: number, signal: AbortSignal | undefined): HawserError | undefined {
  if (signal?.aborted) return new HawserError("cancelled", "cancelled by the caller", { cause: signal.reason });
  if (openCount < agentHostLimits.hostPendingMessages) return undefined;
  return new HawserError("overloaded", `${openCount} requests wait for their end; wait for some of them before asking more`);
}

export type HeldLines = ReturnType<typeof createHeldLines>;

/** Responses whose turn is not known yet: while a `subscribe` is under way, the turn's events come before its name. */
export function createHeldLines() {
  const lines = new Map<string, { readonly value: Record<string, unknown>; readonly text: string }[]>();
  let chars = 0;
  return {
    keep(id: string, value: Record<string, unknown>, text: string): void {
      chars += text.length;
      const ofId = lines.get(id) ?? [];
      if (chars > agentHostLimits.hostUnreadChars) lines.clear();
      else lines.set(id, ofId).get(id)?.push({ value, text });
    },
    /** Throws `overloaded` when there was more than may be kept. */
    takeOf(id: string) {
      if (chars <= agentHostLimits.hostUnreadChars) return lines.get(id) ?? [];
      throw new HawserError("overloaded", "the running turn has sent more than can be kept; wait for its end and load the conversation");
    },
  };
}
