// The conversation. What is far from the screen is neither laid out nor painted. A screen reader is told of
// changes elsewhere, not per token.

import { useEffect } from "react";
import { usePage } from "../session/page-context.ts";
import { AssistantMessage } from "./assistant-message.tsx";
import { EmptyState } from "./empty-state.tsx";
import { Icon } from "./icon.tsx";
import { jumpEvent } from "./keys.ts";
import { UserMessage } from "./user-message.tsx";
import { useStickToBottom } from "./use-stick-to-bottom.ts";

export function MessageList() {
  const thread = usePage(({ threads, currentId }) => threads[currentId]);
  const currentId = usePage((state) => state.currentId);
  const { scroller, content, isAway, jump, onScroll } = useStickToBottom(currentId);
  const messages = thread?.messages ?? [];
  const sentCount = messages.filter(({ role }) => role === "user").length;
  // Whoever sends something wants to see what comes of it.
  useEffect(jump, [jump, sentCount]);
  useEffect(() => {
    addEventListener(jumpEvent, jump);
    return () => removeEventListener(jumpEvent, jump);
  }, [jump]);
  const isEmpty = messages.length === 0;
  return (
    <div className="relative min-h-0 flex-1">
      <div
        ref={scroller}
        role="log"
        aria-label="Conversation"
        aria-live="off"
        aria-busy={thread?.load === "needed"}
        tabIndex={0}
        className="h-full overflow-y-auto overscroll-contain px-3 focus-visible:-outline-offset-2 sm:px-6"
        onScroll={onScroll}
      >
        <div ref={content} className="mx-auto flex min-h-full max-w-3xl flex-col gap-6 py-6">
          {isEmpty && thread?.load === "done" && <EmptyState />}
          {isEmpty && thread?.load === "needed" && <p className="m-auto text-sm text-soft">Loading the conversation…</p>}
          {messages.map((message) =>
            message.role === "user" ? (
              <UserMessage key={message.key} message={message} />
            ) : (
              <AssistantMessage key={message.key} message={message} isLast={message === messages.at(-1)} />
            ),
          )}
        </div>
      </div>
      {isAway && (
        <button type="button" className="button absolute bottom-3 left-1/2 -translate-x-1/2 bg-sheet shadow-md" onClick={jump}>
          <Icon name="down" /> Jump to latest
        </button>
      )}
    </div>
  );
}
