// The conversation. What was never near the screen is not there yet, and what is far from it is neither laid out nor painted. A
// screen reader is told of changes elsewhere, not per token.

import { useEffect, memo, useRef } from "react";
import { reveal } from "@hawser/protocol";
import { usePage, usePageParts } from "../session/page-context.ts";
import { EmptyState } from "./empty-state.tsx";
import { Button } from "./icon.tsx";
import { jumpEvent } from "./keys.tsx";
import { useStickToBottom } from "./use-stick-to-bottom.ts";
import { loadMarkdown } from "../markdown/late-markdown.tsx";
import { PlainText } from "../markdown/plain-text.tsx";
import { textOf } from "../session/actions.ts";
import type { Message } from "../state/page-state.ts";
import { AssistantMessage } from "./assistant-message.tsx";
import { Fallback } from "./fallback.tsx";
import { SummaryRow } from "./summary-row.tsx";
import { useSoughtMessage } from "./use-sought-message.ts";
import { useSeen } from "./use-seen.ts";
import { UserMessage } from "./user-message.tsx";

export function MessageList() {
  const thread = usePage(({ threads, currentId }) => threads[currentId]);
  const currentId = usePage((state) => state.currentId);
  const messages = thread?.messages ?? [];
  const isEmpty = messages.length === 0;
  const { scroller, content, isAway, jump, hold, onScroll } = useStickToBottom(currentId, isEmpty);
  const sentCount = messages.filter(({ role }) => role === "user").length;
  // After sending, the user wants to see the answer.
  useEffect(jump, [jump, sentCount]);
  useEffect(() => {
    addEventListener(jumpEvent, jump);
    return () => removeEventListener(jumpEvent, jump);
  }, [jump]);
  // Before the first words of an answer come.
  useEffect(() => (isEmpty ? undefined : void loadMarkdown()), [isEmpty]);
  const soughtId = useSoughtMessage({ scroller, messages, isLoaded: thread?.load === "done", hold });
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
          {isEmpty && thread?.load === "needed" && <Loading />}
          {thread?.load === "failed" && <LoadFailed reason={thread.loadError ?? ""} />}
          {groups.map((group, at) => (
            <MessageGroup
              key={`${currentId}:${at}`}
              messages={group}
              isLast={at === groups.length - 1}
              isNearEnd={at >= groups.length - groupsAtOnce}
              soughtId={soughtId !== undefined && group.some(({ messageId }) => messageId === soughtId) ? soughtId : undefined}
            />
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

/** In the shape of what will stand there. */
function Loading() {
  return (
    <div role="status" aria-label="Loading the conversation" className="w-full space-y-6">
      {["ml-auto w-1/3", "w-3/4", "ml-auto w-1/2", "w-2/3"].map((look) => (
        <div key={look} className={`beat h-12 rounded-2xl bg-raised ${look}`} />
      ))}
    </div>
  );
}

function LoadFailed({ reason }: { readonly reason: string }) {
  const { actions } = usePageParts();
  return (
    <div role="alert" className="m-auto max-w-xl space-y-3 text-center text-sm">
      <p className="text-base font-semibold">This conversation can't be read</p>
      <p className="whitespace-pre-wrap text-soft wrap-anywhere">{reveal(reason)}</p>
      <Button label="Try again" icon="again" onClick={actions.loadAgain} />
    </div>
  );
}

const groupSize = 40;

interface MessageGroupProps {
  readonly messages: readonly Message[];
  readonly isLast: boolean;
  readonly isNearEnd: boolean;
  /** The message that a search has led to, if it is one of these. */
  readonly soughtId: string | undefined;
}

// What is near the end is there at once: it is what a conversation opens with.
const groupsAtOnce = 2;

const MessageGroup = memo(function MessageGroup({ messages, isLast, isNearEnd, soughtId }: MessageGroupProps) {
  const place = useRef<HTMLDivElement>(null);
  const isSeen = useSeen(place, isNearEnd || soughtId !== undefined, drawNow);
  const isSought = ({ messageId }: Message): boolean => soughtId !== undefined && messageId === soughtId;
  return (
    <div ref={place} className={`space-y-6 ${isLast ? "" : isSeen ? "lazy-paint-group" : "unseen-group"}`}>
      {isSeen &&
        messages.map((message) => (
          <Fallback key={message.key} instead={() => <PlainText text={textOf(message)} />}>
            {message.role === "user" ? (
              <>
                <UserMessage message={message} isSought={isSought(message)} />
                {message.parts.map((part, at) => (part.kind === "summary" ? <SummaryRow key={at} summary={part} /> : null))}
              </>
            ) : (
              <AssistantMessage message={message} isLast={isLast && message === messages.at(-1)} isSought={isSought(message)} />
            )}
          </Fallback>
        ))}
    </div>
  );
}, isSameGroup);

const drawNow = (draw: () => void): void => draw();

function isSameGroup(before: MessageGroupProps, after: MessageGroupProps): boolean {
  const { messages } = after;
  return (
    before.isLast === after.isLast &&
    before.isNearEnd === after.isNearEnd &&
    before.soughtId === after.soughtId &&
    before.messages.length === messages.length &&
    before.messages.every((message, at) => message === messages[at])
  );
}

/** Cut from the beginning, so that what comes at the end changes no group but the last. */
function toGroups(messages: readonly Message[]): readonly (readonly Message[])[] {
  return Array.from({ length: Math.ceil(messages.length / groupSize) }, (_, at) => messages.slice(at * groupSize, (at + 1) * groupSize));
}
