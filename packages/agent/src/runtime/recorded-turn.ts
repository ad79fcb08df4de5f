// What every turn does with the history, whether a model or an agent answers: the user's message and the answer are on disk before and
// while they are made, and however the turn ends, the history holds what was said and done until then.

import { randomUUID } from "node:crypto";
import { toHawserError, type ConversationMessage, type MessagePart, type UserMessageRequest } from "@hawser/protocol/internal";
import type { Semaphore } from "@hawser/wire/internal";
import { logLine } from "@hawser/wire/internal/node";
import type { Conversation } from "../history/conversation-store.ts";
import type { Used } from "../history/record.ts";
import { toLostResult } from "../history/transcript.ts";
import { agentLimits } from "../limits.ts";
import type { AgentParts, Workspace } from "./agent-parts.ts";
import type { TurnScope } from "./tool-runner.ts";
import type { TurnShare } from "./turn-memory.ts";

/** What `done` says of a turn. */
export interface TurnOutcome {
  readonly conversationId: string;
  readonly userMessageId: string;
  readonly assistantMessageId: string;
}

/** What a turn needs, of a model and of an agent. */
export interface TurnBasics {
  readonly request: UserMessageRequest;
  readonly parts: AgentParts;
  readonly conversation: Conversation;
  readonly workspace: Workspace;
  readonly scope: TurnScope;
  /** One seat for all conversations: a large value is copied several times on its way to the disk, and many at once would fill the memory. */
  readonly largeWrites: Semaphore;
  /** What the turn holds of the memory that all turns share. */
  readonly share: TurnShare;
}

interface RecordedTurn extends TurnBasics {
  /** As models are named. */
  readonly answeredBy: string;
  /** Of an agent with a memory of its own, where it is known before the turn begins. */
  readonly sessionId?: string | undefined;
  /** What the turn has used until now. */
  used(): Used;
}

/** What the turn has used since it was last written; to be written now, so that it counts also when the process is killed in the middle. */
export type TakeUsed = () => Used;

/** Throws why the turn has failed or was cancelled. `answer` writes the parts of the message with this id. */
export async function recordTurn(
  options: RecordedTurn,
  answer: (messageId: string, takeUsed: TakeUsed) => Promise<void>,
): Promise<TurnOutcome> {
  const { request, conversation, answeredBy: model, sessionId } = options;
  const takeUsed = createUsedTaker(options.used);
  const user = toUserMessage(request);
  const message: ConversationMessage = {
    messageId: randomUUID(),
    role: "assistant",
    parts: [],
    timestamp: Date.now(),
    requestId: request.id,
    model,
  };
  const session = sessionId === undefined ? undefined : { agent: model, sessionId, through: message.messageId };
  await writeLarge(request.message.length, options, () => conversation.add(user, message, session));
  try {
    await answer(message.messageId, takeUsed);
  } catch (error) {
    await conversation
      .finish(message.messageId, toHawserError(error).message, takeUsed())
      .catch((cause: unknown) => logLine(`[hawser] agent: the end of a turn could not be written: ${toHawserError(cause).message}`));
    throw error;
  }
  await conversation.finish(message.messageId, undefined, takeUsed());
  return { conversationId: conversation.conversationId, userMessageId: user.messageId, assistantMessageId: message.messageId };
}

function createUsedTaker(used: () => Used): TakeUsed {
  let taken: Used = { tokens: 0, usd: 0, ms: 0 };
  return () => {
    const now = used();
    const more = (name: keyof Used): number => Math.max(0, now[name] - taken[name]);
    const since = { tokens: more("tokens"), usd: more("usd"), ms: more("ms") };
    taken = { tokens: taken.tokens + since.tokens, usd: taken.usd + since.usd, ms: taken.ms + since.ms };
    return since;
  };
}

export function toUserMessage({
  id,
  message,
  attachments = [],
}: Pick<UserMessageRequest, "id" | "message" | "attachments">): ConversationMessage {
  const files = attachments.map(({ path, mime }): MessagePart => ({ type: "attachment", path, mime }));
  const parts: MessagePart[] = message === "" ? files : [{ type: "text", text: message }, ...files];
  return { messageId: randomUUID(), role: "user", parts, timestamp: Date.now(), requestId: id };
}

export const writeLarge = (chars: number, { largeWrites }: Pick<TurnBasics, "largeWrites">, write: () => Promise<void>): Promise<void> =>
  chars > agentLimits.agentTokenChars ? largeWrites.run(write) : write();

/** The length of a text is close enough; writing it out as JSON only to measure it would cost as much as keeping it. */
export const charsOf = (value: unknown): number => (typeof value === "string" ? value : (JSON.stringify(value) ?? "")).length;

/** A use that was announced and will have no result gets one that says so, so that the two stay together. */
export const toNotRun = (call: { readonly toolId: string; readonly toolName: string }, error: unknown): MessagePart =>
  toLostResult(call, `the turn ended before the tool did: ${toHawserError(error).message}`);

/** The ids that uses of tools have had in this conversation. */
export function toolIdsIn({ messages }: Conversation): Set<string> {
  return new Set(messages.flatMap(({ parts }) => parts.flatMap((part) => (part.type === "tool_use" ? [part.toolId] : []))));
}
