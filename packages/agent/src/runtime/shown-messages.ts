// The messages of a conversation as a host is told them: with the kinds of parts that it knows, and those that it asks for by name.

import type { ConversationMessage, MessagePart } from "@hawser/protocol";
import type { HistorySummary } from "../history/record.ts";

/** What every host knows. */
const contract: ReadonlySet<string> = new Set(["text", "attachment", "tool_use", "tool_result"] satisfies MessagePart["type"][]);

/** A summary is told as a part, where what it stands for ends. */
export function* toShownMessages(
  messages: readonly ConversationMessage[],
  summaries: readonly HistorySummary[],
  include: readonly string[],
): Generator<ConversationMessage> {
  const asked = new Set(include);
  const ends = Map.groupBy(asked.has("summary") ? summaries : [], ({ through }) => through);
  for (const message of messages) yield toShown(message, asked, ends.get(message.messageId) ?? []);
}

function toShown(message: ConversationMessage, asked: ReadonlySet<string>, summaries: readonly HistorySummary[]): ConversationMessage {
  const { parts } = message;
  if (summaries.length === 0 && parts.every(({ type }) => contract.has(type))) return message;
  const shown: MessagePart[] = [];
  const tell = (at: number): void => {
    for (const summary of summaries) if (Math.min(summary.parts ?? parts.length, parts.length) === at) shown.push(toPart(summary));
  };
  for (const [at, part] of parts.entries()) {
    tell(at);
    const last = shown.at(-1);
    if (!contract.has(part.type) && !asked.has(part.type)) continue;
    // What stood between them is not told, and a host takes two texts in a row for one that was cut.
    if (part.type === "text" && last?.type === "text") shown[shown.length - 1] = { type: "text", text: last.text + part.text };
    else shown.push(part);
  }
  tell(parts.length);
  return { ...message, parts: shown };
}

const toPart = ({ text, messages, tokensBefore, tokensAfter, timestamp }: HistorySummary): MessagePart => ({
  type: "summary",
  text,
  messages,
  tokensBefore,
  tokensAfter,
  timestamp,
});
