// A conversation as models take it: what the user said while an answer was made stands in the history inside of that answer, and
// for a model it is a message of the user between two of its own.

import type { ConversationMessage, MessagePart } from "@hawser/protocol";

/** The same list where there is nothing to part. Why an answer ended early belongs to its last piece. */
export function withSteersApart(messages: readonly ConversationMessage[]): readonly ConversationMessage[] {
  return messages.some(hasSteer) ? messages.flatMap((message) => (hasSteer(message) ? [...toPieces(message)] : [message])) : messages;
}

const hasSteer = ({ parts }: ConversationMessage): boolean => parts.some(({ type }) => type === "steer");

function* toPieces(message: ConversationMessage): Generator<ConversationMessage> {
  const { interrupted: _, ...piece } = message;
  let parts: MessagePart[] = [];
  for (const part of message.parts) {
    if (part.type !== "steer") {
      parts.push(part);
      continue;
    }
    if (parts.length > 0) yield { ...piece, parts };
    parts = [];
    yield { messageId: part.steerId, role: "user", parts: [{ type: "text", text: part.message }], timestamp: message.timestamp };
  }
  if (parts.length > 0 || message.interrupted !== undefined) yield { ...message, parts };
}
