// A stretch of the conversation. Messages are drawn in groups, so that a change in the last one costs the
// same in a conversation of two thousand as in one of two: the groups before it are neither looked through
// by React nor laid out by the browser.

import { memo } from "react";
import { PlainText } from "../markdown/plain-text.tsx";
import { textOf } from "../session/actions.ts";
import type { Message } from "../state/page-state.ts";
import { AssistantMessage } from "./assistant-message.tsx";
import { Fallback } from "./fallback.tsx";
import { UserMessage } from "./user-message.tsx";

const groupSize = 40;

interface MessageGroupProps {
  readonly messages: readonly Message[];
  readonly isLast: boolean;
}

export const MessageGroup = memo(function MessageGroup({ messages, isLast }: MessageGroupProps) {
  return (
    <div className={`space-y-6 ${isLast ? "" : "lazy-paint-group"}`}>
      {messages.map((message) => (
        <Fallback key={message.key} instead={() => <PlainText text={textOf(message)} />}>
          {message.role === "user" ? (
            <UserMessage message={message} />
          ) : (
            <AssistantMessage message={message} isLast={isLast && message === messages.at(-1)} />
          )}
        </Fallback>
      ))}
    </div>
  );
}, isSameGroup);

function isSameGroup(before: MessageGroupProps, after: MessageGroupProps): boolean {
  const { messages } = after;
  return (
    before.isLast === after.isLast &&
    before.messages.length === messages.length &&
    before.messages.every((message, at) => message === messages[at])
  );
}

/** Cut from the beginning, so that what comes at the end changes no group but the last. */
export function toGroups(messages: readonly Message[]): readonly (readonly Message[])[] {
  return Array.from({ length: Math.ceil(messages.length / groupSize) }, (_, at) => messages.slice(at * groupSize, (at + 1) * groupSize));
}
