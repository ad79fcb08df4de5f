// An answer: what was said and which tools were used, in order; how it stands while it is written; and what
// can be done when it has ended early.

import { reveal } from "@hawser/protocol";
import { memo, startTransition, useEffect, useRef, useState, type RefObject } from "react";
import { CopyButton } from "../markdown/copy-button.tsx";
import { Markdown } from "../markdown/markdown.tsx";
import { PlainText } from "../markdown/plain-text.tsx";
import { textOf } from "../session/actions.ts";
import { usePage, usePageParts } from "../session/page-context.ts";
import { isAsking, type Message, type Part } from "../state/page-state.ts";
import { ToolCard } from "../tools/tool-card.tsx";
import { Button } from "./icon.tsx";
import { Plan, Thought } from "./thought.tsx";

interface AssistantMessageProps {
  readonly message: Message;
  readonly isLast: boolean;
}

export const AssistantMessage = memo(function AssistantMessage({ message, isLast }: AssistantMessageProps) {
  const article = useRef<HTMLElement>(null);
  const isRunning = message.state === "running";
  const isSeen = useSeen(article, isRunning);
  return (
    <article ref={article} aria-label="Agent" aria-busy={isRunning} className={`flex gap-3 ${isRunning ? "" : "lazy-paint"}`}>
      <div aria-hidden="true" className={`w-1 shrink-0 rounded-full ${isRunning ? "strand strand-moving" : "bg-line"}`} />
      <div className="min-w-0 flex-1 space-y-3">
        {message.parts.map((part, at) => (
          <AnswerPart
            key={part.kind === "tool" ? part.toolId : at}
            part={part}
            isSeen={isSeen}
            isGrowing={isRunning && at === message.parts.length - 1}
          />
        ))}
        {isRunning && <Working message={message} />}
        {message.failure && <Ended message={message} />}
        {!isRunning && <AnswerActions message={message} isLast={isLast} />}
      </div>
    </article>
  );
});

interface AnswerPartProps {
  readonly part: Part;
  readonly isSeen: boolean;
  /** It is the last one of an answer that is being written. */
  readonly isGrowing: boolean;
}

function AnswerPart({ part, isSeen, isGrowing }: AnswerPartProps) {
  switch (part.kind) {
    case "tool":
      return <ToolCard tool={part} />;
    case "thought":
      return <Thought thought={part} isGrowing={isGrowing} />;
    case "plan":
      return <Plan plan={part} />;
    case "text":
      return isSeen ? <Markdown text={part.text} isGrowing={isGrowing} /> : <PlainText text={part.text} />;
    default:
      // Of a user's message.
      return null;
  }
}

function Working({ message }: { readonly message: Message }) {
  const turn = usePage(({ turns }) => turns[message.requestId ?? ""]);
  const lastKind = message.parts.at(-1)?.kind;
  const hasWords = lastKind === "text" || lastKind === "thought";
  // The question says what is waited for, also where further tools wait behind it.
  if (message.parts.some(isAsking) && !turn?.isStopping) return null;
  const said = turn?.isStopping ? "Stopping…" : (turn?.progress ?? (hasWords ? undefined : "Working…"));
  return said === undefined ? null : <p className="text-sm text-soft">{said}</p>;
}

function Ended({ message }: { readonly message: Message }) {
  const { text, code } = message.failure ?? { text: "" };
  const isStopped = code === "cancelled" || /^cancelled/i.test(text);
  if (isStopped) return <p className="text-sm text-soft">Stopped. What was said until then is kept.</p>;
  return (
    <div className="rounded-lg border border-alarm bg-alarm-wash px-3 py-2 text-sm">
      <p className="font-semibold text-alarm">This answer ended early</p>
      <p className="wrap-anywhere">{text}</p>
    </div>
  );
}

function AnswerActions({ message, isLast }: AssistantMessageProps) {
  const text = textOf(message);
  return (
    <div className="-ml-2 flex items-center text-xs text-soft">
      {text !== "" && <CopyButton text={text} label="Copy answer" />}
      {isLast && <RetryButton message={message} />}
      {message.model !== undefined && <span className="ml-2 wrap-anywhere">{reveal(message.model)}</span>}
    </div>
  );
}

function RetryButton({ message }: { readonly message: Message }) {
  const { actions, session } = usePageParts();
  function retry(): void {
    const { threads, currentId } = session.store.getState();
    const messages = threads[currentId]?.messages ?? [];
    const asked = messages.slice(0, messages.indexOf(message)).findLast(({ role }) => role === "user");
    if (asked && actions.mayChangeHistory()) void actions.sendAgain(asked);
  }
  return <Button label="Retry" icon="again" isSmall onClick={retry} />;
}

const margin = "1200px";
// One observer serves all messages.
const waiting = new WeakMap<Element, () => void>();
let observer: IntersectionObserver | undefined;

function observe(element: Element, onSeen: () => void): () => void {
  observer ??= new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) if (isIntersecting) waiting.get(target)?.();
    },
    { rootMargin: margin },
  );
  waiting.set(element, onSeen);
  observer.observe(element);
  return () => {
    waiting.delete(element);
    observer?.unobserve(element);
  };
}

/** Whether an element has been near the screen yet: a conversation may have two thousand messages, and those far away are drawn simply. */
function useSeen(element: RefObject<Element | null>, isSeenAnyway: boolean): boolean {
  const [isSeen, setIsSeen] = useState(isSeenAnyway);
  useEffect(() => {
    if (isSeen || !element.current) return undefined;
    // Drawing many at once may wait for more urgent work.
    return observe(element.current, () => startTransition(() => setIsSeen(true)));
  }, [isSeen, element]);
  return isSeen || isSeenAnyway;
}
