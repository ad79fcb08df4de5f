// A conversation as lines that stay far below the limit: many short messages share a line, a long one is
// spread over several, and a reader joins the parts of one `messageId` again.

import { splitText, type ConversationMessage, type MessagePart } from "@hawser/protocol/internal";
import { agentLimits } from "../limits.ts";

export interface ConversationLine {
  readonly messages: ConversationMessage[];
  /** The last message of this line, when another line follows. */
  readonly next?: string;
}

export function* toConversationLines(messages: Iterable<ConversationMessage>): Generator<ConversationLine> {
  let line: ConversationMessage[] = [];
  for (const following of inShares(toPieces(messages))) {
    const last = line.at(-1);
    if (last) yield { messages: line, next: last.messageId };
    line = following;
  }
  yield { messages: line };
}

/** Each message itself, or several of the same `messageId` with a share of its parts each. */
function* toPieces(messages: Iterable<ConversationMessage>): Generator<ConversationMessage> {
  for (const message of messages) for (const parts of inShares(message.parts.flatMap(toShortParts))) yield { ...message, parts };
}

/** At least one share; each as long as a line may be, or a single item. */
function* inShares<Item>(items: Iterable<Item>): Generator<Item[]> {
  let share: Item[] = [];
  let chars = 0;
  for (const item of items) {
    const itemChars = JSON.stringify(item).length;
    if (share.length > 0 && chars + itemChars > agentLimits.agentLineChars) {
      yield share;
      share = [];
      chars = 0;
    }
    share.push(item);
    chars += itemChars;
  }
  yield share;
}

function toShortParts(part: MessagePart): MessagePart[] {
  if ((part.type !== "text" && part.type !== "reasoning") || part.text.length <= agentLimits.agentLineChars) return [part];
  const { type } = part;
  return Array.from(splitText(part.text, agentLimits.agentLineChars), (text) => ({ type, text }));
}
