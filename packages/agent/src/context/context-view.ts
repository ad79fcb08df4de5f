// What a model is told of a conversation: the last summary, and the messages after what it stands for. A summary may end
// within an answer that was still being made; then the message that is being answered stays as it was written.

import type { ConversationMessage } from "@hawser/protocol";
import type { Conversation } from "../history/conversation-store.ts";
import type { HistorySummary } from "../history/record.ts";

export interface ContextView {
  readonly summary: string | undefined;
  readonly messages: readonly ConversationMessage[];
}

/** Where a summary ends. */
export type Cut = Pick<HistorySummary, "through" | "parts">;

export const toContextView = ({ summaries, messages }: Pick<Conversation, "summaries" | "messages">): ContextView => {
  const last = summaries.at(-1);
  return { summary: last?.text, messages: last ? messagesAfter(messages, last) : messages };
};

export function messagesAfter(messages: readonly ConversationMessage[], { through, parts }: Cut): readonly ConversationMessage[] {
  const at = messages.findLastIndex(({ messageId }) => messageId === through);
  const last = messages[at];
  if (parts === undefined || last === undefined) return messages.slice(at + 1);
  const rest = { ...last, parts: last.parts.slice(parts) };
  return [...messages.slice(askedAt(messages, at), at), rest, ...messages.slice(at + 1)];
}

/** Where the messages begin that the answer at this place answers: what waited is answered together with what came after it. */
export function askedAt(messages: readonly ConversationMessage[], at: number): number {
  let from = at;
  while (messages[from - 1]?.role === "user") from--;
  return from;
}
