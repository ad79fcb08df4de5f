// What hosts and runtimes of a fleet say to each other around the lines of the agent protocol, which stay as they are.

import { HawserError, isRecord, toErrorEvent } from "@hawser/protocol/internal";
import { readObject } from "../message-text.ts";

/** How a runtime answers a line that it was sent. */
export type LineReply =
  /** It answers the request, or has done so. */
  | { readonly accepted: true; readonly runtime: string }
  /** The conversation is with another runtime. */
  | { readonly owner: string }
  /** It ends, and takes nothing new. */
  | { readonly isLeaving: true }
  /** It has enough to do; another one may have room. */
  | { readonly isFull: true };

export function readReply(text: string): LineReply | undefined {
  const value = readObject(text);
  const { accepted, runtime, owner, isLeaving, isFull } = value ?? {};
  if (accepted === true && typeof runtime === "string") return { accepted, runtime };
  if (typeof owner === "string") return { owner };
  if (isFull === true) return { isFull };
  return isLeaving === true ? { isLeaving } : undefined;
}

/** The conversation that a request names itself. */
export function namedConversation(request: Readonly<Record<string, unknown>>): string | undefined {
  const { metadata, conversationId } = request;
  const named = isRecord(metadata) ? metadata["conversationId"] : conversationId;
  return typeof named === "string" && named !== "" ? named : undefined;
}

/** A failure as a runtime says it. */
export const toErrorLine = (error: unknown) => ({ ...toErrorEvent(error), timestamp: Date.now() });

const endings: ReadonlySet<unknown> = new Set(["done", "error", "status"]);

export const isEnding = ({ type }: Readonly<Record<string, unknown>>): boolean => endings.has(type);

export const gone = (): HawserError =>
  new HawserError("connection_lost", "the machine that was asked is gone before it has answered; ask again");
