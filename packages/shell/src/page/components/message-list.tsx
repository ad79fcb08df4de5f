// The conversation. What is far from the screen is neither laid out nor painted. A screen reader is told of
// changes elsewhere, not per token.

import { useEffect, memo } from "react";
import { usePage } from "../session/page-context.ts";
import { EmptyState } from "./empty-state.tsx";
import { Button } from "./icon.tsx";
import { jumpEvent } from "./keys.tsx";
import { useStickToBottom } from "./use-stick-to-bottom.ts";
import { PlainText } from "../markdown/plain-text.tsx";
import { textOf } from "../session/actions.ts";
import type { Message } from "../state/page-state.ts";
import { AssistantMessage } from "./assistant-message.tsx";
import { Fallback } from "./fallback.tsx";
import { UserMessage } from "./user-message.tsx";

export function MessageList() {
  const thread = usePage(({ threads, currentId }) => threads[currentId]);
  const currentId = usePage((state) => state.currentId);
  const messages = thread?.messages ?? [];
  const isEmpty = messages.length === 0;
  const { scroller, content, isAway, jump, onScroll } = useStickToBottom(currentId, isEmpty);
  const sentCount = messages.filter(({ role }) => role === "user").length;
  // After sending, the user wants to see the answer.
  useEffect(jump, [jump, sentCount]);
  useEffect(() => {
    addEventListener(jumpEvent, jump);
    return () => removeEventListener(jumpEvent, jump);
  }, [jump]);
  const groups = toGroups(messages);
  return (
    <div className="relative min-h-0 flex-1">
      <div
        ref={scroller}
        role="log"
        aria-label="Conversation"
        aria-live="off"
        aria-busy={thread?.load === "needed"}
        tabIndex={0}
        // Texts for screen readers are placed: without a place here they would make the page itself scroll.
        className="relative h-full overflow-y-auto overscroll-contain px-3 focus-visible:-outline-offset-2 sm:px-6"
        onScroll={onScroll}
      >
        <div ref={content} className={`mx-auto max-w-3xl space-y-6 py-6 ${isEmpty ? "flex min-h-full flex-col" : ""}`}>
          {isEmpty && thread?.load === "done" && <EmptyState />}
          {isEmpty && thread?.load === "needed" && <p className="m-auto text-sm text-soft">Loading the conversation…</p>}
          {groups.map((group, at) => (
            <MessageGroup key={at} messages={group} isLast={at === groups.length - 1} />
          ))}
        </div>
      </div>
      {isAway && !isEmpty && (
        <Button
          label="Jump to latest"
          icon="down"
          className="absolute bottom-3 left-1/2 -translate-x-1/2 bg-sheet shadow-md"
          onClick={jump}
        />
      )}
    </div>
  );
}

const groupSize = 40;

interface MessageGroupProps {
  readonly messages: readonly Message[];
  readonly isLast: boolean;
}

const MessageGroup = memo(function MessageGroup({ messages, isLast }: MessageGroupProps) {
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
function toGroups(messages: readonly Message[]): readonly (readonly Message[])[] {
  return Array.from({ length: Math.ceil(messages.length / groupSize) }, (_, at) => messages.slice(at * groupSize, (at + 1) * groupSize));
}
