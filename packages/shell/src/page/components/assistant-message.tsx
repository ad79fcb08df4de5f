// An answer: what was said and which tools were used, in order; how it stands while it is written; and what
// can be done when it has ended early.

import { reveal } from "@hawser/protocol";
import { memo, startTransition, useRef } from "react";
import { CopyButton } from "../markdown/copy-button.tsx";
import { LateMarkdown } from "../markdown/late-markdown.tsx";
import { PlainText } from "../markdown/plain-text.tsx";
import { textOf } from "../session/actions.ts";
import { usePage, usePageParts } from "../session/page-context.ts";
import { isAsking, type Message, type PageState, type Part } from "../state/page-state.ts";
import { ToolCard } from "../tools/tool-card.tsx";
import { Button } from "./icon.tsx";
import { SummaryRow } from "./summary-row.tsx";
import { Plan, Thought } from "./thought.tsx";
import { useSeen } from "./use-seen.ts";

interface AssistantMessageProps {
  readonly message: Message;
  readonly isLast: boolean;
  /** A search has led to it. */
  readonly isSought: boolean;
}

export const AssistantMessage = memo(function AssistantMessage({ message, isLast, isSought }: AssistantMessageProps) {
  const article = useRef<HTMLElement>(null);
  const isRunning = message.state === "running";
  // Drawing many at once may wait for more urgent work.
  const isSeen = useSeen(article, isRunning || isSought, startTransition);
  return (
    <article
      ref={article}
      aria-label="Agent"
      aria-busy={isRunning}
      data-sought={isSought || undefined}
      tabIndex={isSought ? -1 : undefined}
      className={`group/message flex gap-3 ${isRunning ? "" : "lazy-paint"}`}
    >
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
        {message.failure && <Ended message={message} />}
        {/* One place for both, so that the end of an answer moves nothing. */}
        <div className="flex min-h-7 items-center">
          {isRunning ? <Working message={message} /> : <AnswerActions message={message} isLast={isLast} />}
        </div>
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
    case "summary":
      return <SummaryRow summary={part} />;
    case "steer":
      return <Steered text={part.text} />;
    case "text":
      return isSeen ? <LateMarkdown text={part.text} isGrowing={isGrowing} /> : <PlainText text={part.text} />;
    default:
      // Of a user's message.
      return null;
  }
}

function isBehindAnother(turns: PageState["turns"], conversationId: string, id: string): boolean {
  const running = Object.values(turns).filter((turn) => turn.state === "running" && turn.conversationId === conversationId);
  return running.length > 1 && running[0]?.id !== id;
}

/** What the user said meanwhile. */
function Steered({ text }: { readonly text: string }) {
  return (
    <section
      aria-label="You, meanwhile"
      className="ml-auto w-fit max-w-[92%] rounded-2xl rounded-br-sm bg-sea-wash px-4 py-2 sm:max-w-[80%]"
    >
      <p className="own-direction whitespace-pre-wrap wrap-anywhere">{text}</p>
    </section>
  );
}

function Working({ message }: { readonly message: Message }) {
  const turn = usePage(({ turns }) => turns[message.requestId ?? ""]);
  // Another turn of the conversation has not ended yet.
  const isWaiting = usePage(({ turns, currentId }) => turn?.seq === 0 && isBehindAnother(turns, currentId, turn.id));
  const lastKind = message.parts.at(-1)?.kind;
  const hasWords = lastKind === "text" || lastKind === "thought";
  // The question says what is waited for, also where further tools wait behind it.
  if (message.parts.some(isAsking) && !turn?.isStopping) return null;
  const said =
    isWaiting && !turn?.isStopping
      ? "Waiting for its turn…"
      : turn?.isStopping
        ? "Stopping…"
        : (turn?.progress ?? (hasWords ? undefined : "Working…"));
  return said === undefined ? null : <p className="text-sm text-soft">{said}</p>;
}

function Ended({ message }: { readonly message: Message }) {
  const { text, code } = message.failure ?? { text: "" };
  const isStopped = code === "cancelled" || /^cancelled/i.test(text);
  if (isStopped) return <p className="text-sm text-soft">Stopped. What was said until then is kept.</p>;
  return (
    <div className="rounded-lg border border-alarm bg-alarm-wash px-3 py-2 text-sm">
      <p className="font-semibold text-alarm">This answer ended early</p>
      <p className="whitespace-pre-wrap wrap-anywhere">{reveal(text)}</p>
    </div>
  );
}

function AnswerActions({ message, isLast }: Omit<AssistantMessageProps, "isSought">) {
  const text = textOf(message);
  return (
    <div className={`-ml-2 flex items-center text-xs text-soft ${isLast ? "" : "on-demand"}`}>
      {text !== "" && <CopyButton text={text} label="Copy answer" />}
      {isLast && <RetryButton message={message} />}
      <ForkButton message={message} />
      {message.model !== undefined && <span className="ml-2 wrap-anywhere">{reveal(message.model)}</span>}
    </div>
  );
}

function ForkButton({ message: { messageId } }: { readonly message: Message }) {
  const { actions } = usePageParts();
  const canFork = usePage(({ runtime }) => runtime?.info.capabilities.includes("fork") ?? false);
  if (!canFork || messageId === undefined) return null;
  const title = "A new conversation that begins as this one does, up to here";
  return <Button label="Fork" icon="fork" isSmall title={title} onClick={() => void actions.fork(messageId)} />;
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
