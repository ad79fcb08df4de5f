// What the model thinks before it answers: quiet, open while it grows, closed as soon as something follows; opened and closed by
// the user at any time. And the agent's plan, as a list that changes in place.

import { reveal } from "@hawser/protocol";
import { memo, useId, useLayoutEffect, useRef, useState } from "react";
import { PlainText } from "../markdown/plain-text.tsx";
import type { PlanPart, ThoughtPart } from "../state/page-state.ts";
import { formatClock } from "../tools/describe-call.ts";
import { Icon, type IconName } from "./icon.tsx";

export const Thought = memo(function Thought({ thought, isGrowing }: { readonly thought: ThoughtPart; readonly isGrowing: boolean }) {
  const [choice, setChoice] = useState<boolean>();
  const id = useId();
  const isOpen = choice ?? isGrowing;
  const tookMs = thought.endedAt - thought.startedAt;
  const took = tookMs >= 1_000 ? ` for ${formatClock(tookMs)}` : "";
  return (
    <section aria-label="Thought" className="text-soft">
      <button
        type="button"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        className="flex min-h-7 items-center gap-1.5 rounded-md pr-1 text-sm hover:text-ink focus-visible:-outline-offset-2"
        onClick={() => setChoice(!isOpen)}
      >
        <Icon name={isOpen ? "open" : "shut"} className="size-3.5" />
        {isGrowing ? "Thinking…" : `Thought${took}`}
      </button>
      {isOpen && <ThoughtText id={id} text={thought.text} isGrowing={isGrowing} />}
    </section>
  );
});

/** Small, so that closing it moves little; its end is in sight while it grows. */
function ThoughtText({ id, text, isGrowing }: { readonly id: string; readonly text: string; readonly isGrowing: boolean }) {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (isGrowing && box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [text, isGrowing]);
  return (
    <div
      ref={box}
      id={id}
      role="region"
      aria-label="What was thought"
      tabIndex={0}
      className={`mt-1 overflow-y-auto border-l-2 border-line pl-3 text-sm ${isGrowing ? "max-h-40" : "max-h-96"}`}
    >
      <PlainText text={text} />
    </div>
  );
}

const looks: Readonly<Record<PlanPart["entries"][number]["status"], { icon: IconName; word: string; className: string }>> = {
  completed: { icon: "check", word: "Done", className: "text-leaf" },
  in_progress: { icon: "now", word: "Now", className: "text-sea" },
  pending: { icon: "ring", word: "To do", className: "text-soft" },
};

export const Plan = memo(function Plan({ plan: { entries } }: { readonly plan: PlanPart }) {
  const done = entries.filter(({ status }) => status === "completed").length;
  if (entries.length === 0) return null;
  return (
    <section aria-label="Plan" className="rounded-lg border border-line bg-sheet px-3 py-2 text-sm">
      <p className="flex justify-between gap-2 text-xs text-soft">
        <span className="font-semibold">Plan</span>
        <span>
          {done} of {entries.length} done
        </span>
      </p>
      <ol className="mt-1 space-y-1">
        {entries.map(({ content, status }, at) => (
          <li key={at} className="flex gap-2" aria-current={status === "in_progress" ? "step" : undefined}>
            <span className={`mt-1 ${looks[status].className}`}>
              <Icon name={looks[status].icon} className="size-3.5" />
            </span>
            <span className="sr-only">{looks[status].word}: </span>
            <span
              className={`min-w-0 wrap-anywhere ${status === "completed" ? "text-soft" : ""} ${status === "in_progress" ? "font-medium" : ""}`}
            >
              {reveal(content)}
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
});
