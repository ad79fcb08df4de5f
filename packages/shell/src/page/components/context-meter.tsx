// How full the model's context is, as a small ring: where the runtime says how much is in it and how much it holds.

import { usePage } from "../session/page-context.ts";
import { CompactButton } from "./compact-button.tsx";
import type { PageState } from "../state/page-state.ts";

const circumference = 100;
// So that its length is a hundred.
const radius = circumference / (2 * Math.PI);
const nearlyFull = 80;

export function ContextMeter() {
  const used = usePage(({ turns, currentId }) => latestContext(turns, currentId));
  if (!used) return null;
  const { contextTokens, contextWindow } = used;
  const percent = Math.max(0, Math.min(100, Math.round((100 * contextTokens) / contextWindow)));
  const words = `${contextTokens.toLocaleString("en")} of ${contextWindow.toLocaleString("en")} tokens of the context are in use`;
  return (
    <>
      <span
        role="meter"
        aria-label="Context in use"
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={percent}
        aria-valuetext={words}
        title={words}
        className={`flex items-center gap-1.5 ${percent >= nearlyFull ? "text-rope" : ""}`}
      >
        <svg viewBox="0 0 40 40" className="size-3.5 -rotate-90" aria-hidden="true" focusable="false">
          <circle cx="20" cy="20" r={radius} fill="none" stroke="var(--line)" strokeWidth="7" />
          <circle
            cx="20"
            cy="20"
            r={radius}
            fill="none"
            stroke="currentColor"
            strokeWidth="7"
            strokeDasharray={`${percent} ${circumference}`}
          />
        </svg>
        context {percent} %
      </span>
      <CompactButton />
    </>
  );
}

type Context = Required<Record<"contextTokens" | "contextWindow", number>>;

/** Of the latest turn that says it. */
function latestContext(turns: PageState["turns"], conversationId: string): Context | undefined {
  const latest = Object.values(turns).findLast(
    (turn) => turn.conversationId === conversationId && turn.usage?.contextTokens !== undefined && (turn.usage.contextWindow ?? 0) > 0,
  );
  return latest?.usage as Context | undefined;
}
