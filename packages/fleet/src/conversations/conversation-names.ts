// Where the conversations of a fleet are kept and spoken about. A conversation's id may hold anything, so a digest of it stands in the
// names; the id itself is in a header of every message.

import { createHash } from "node:crypto";

/** The streams and the bucket, as `nats stream ls` and `nats kv ls` show them. */
export const journalStream = "HAWSER_JOURNAL";
export const eventStream = "HAWSER_EVENTS";
export const leaseBucket = "HAWSER_LEASES";

const journalRoot = "hawser.journal";
const eventRoot = "hawser.events";
export const journalSubjects = `${journalRoot}.*`;
export const eventSubjects = `${eventRoot}.*`;

export const toJournalSubject = (conversationId: string): string => `${journalRoot}.${toToken(conversationId)}`;
export const toEventSubject = (conversationId: string): string => `${eventRoot}.${toToken(conversationId)}`;

/** As UTF-16: in UTF-8 all halves of surrogate pairs would be one and the same character. */
export const toToken = (conversationId: string): string =>
  createHash("sha256").update(Buffer.from(conversationId, "utf16le")).digest("hex").slice(0, 40);

/** Lines for any free runtime, and for one of them. */
export const anyRuntimeSubject = "hawser.agents.any";
export const toRuntimeSubject = (runtimeId: string): string => `hawser.agents.at.${runtimeId}`;
export const runtimeQueue = "hawser";
/** As discovery and `hawser fleet drain` name all runtimes. */
export const runtimeService = "agents";

export const header = {
  /** The conversation, as `toHeaderText` writes it. */
  conversation: "Hawser-Conversation",
  /** The one write that a message belongs to, so that its writer knows it again. */
  record: "Hawser-Record",
  /** `2/3`: a text that is larger than the server carries comes in parts. */
  part: "Hawser-Part",
  /** Where the journal begins that this write is a part of. */
  base: "Hawser-Base",
  /** The claim under which an event was said. */
  epoch: "Hawser-Epoch",
  /** Which line this is of the answer to one request, from 1 on: a host that misses one does not take the end for the end. */
  line: "Hawser-Line",
  /** The program that asked. Without it nothing is repeated. */
  host: "Hawser-Host",
  /** Asks for the end of this turn, of which the host has not the request itself. */
  turn: "Hawser-Turn",
  /** Where answers go that belong to one request. */
  inbox: "Hawser-Inbox",
} as const;
