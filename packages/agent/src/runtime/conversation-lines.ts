// A conversation as lines that stay far below the limit: many short messages share a line, a long one is
// spread over several, and a reader joins the parts of one `messageId` again.

import { agentLimits } from "../limits.ts";
import { splitText, type ConversationMessage, type MessagePart } from "@hawser/protocol/internal";

export interface ConversationLine {
  readonly messages: ConversationMessage[];
  /** The last message of this line, when another line follows. */
  readonly next?: string;
}

export function* toConversationLines(messages: readonly ConversationMessage[]): Generator<ConversationLine> {
  let line: ConversationMessage[] = [];
  let chars = 0;
  for (const message of messages) {
    for (const piece of toPieces(message)) {
      const pieceChars = JSON.stringify(piece).length;
      if (line.length > 0 && chars + pieceChars > agentLimits.agentLineChars) {
        yield { messages: line, next: (line.at(-1) as ConversationMessage).messageId };
        line = [];
        chars = 0;
      }
      line.push(piece);
      chars += pieceChars;
    }
  }
  yield { messages: line };
}

/** The message itself, or several of the same `messageId` with a share of its parts each. */
function* toPieces(message: ConversationMessage): Generator<ConversationMessage> {
  const parts = message.parts.flatMap(toShortParts);
  let share: MessagePart[] = [];
  let chars = 0;
  for (const part of parts) {
    const partChars = JSON.stringify(part).length;
    if (share.length > 0 && chars + partChars > agentLimits.agentLineChars) {
      yield { ...message, parts: share };
      share = [];
      chars = 0;
    }
    share.push(part);
    chars += partChars;
  }
  yield { ...message, parts: share };
}

function toShortParts(part: MessagePart): MessagePart[] {
  if (part.type !== "text" || part.text.length <= agentLimits.agentLineChars) return [part];
  return Array.from(splitText(part.text, agentLimits.agentLineChars), (text) => ({ type: "text", text }));
}
