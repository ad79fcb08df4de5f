// What a screen reader is told: that an answer has begun, that a question waits, and the answer when it is
// whole. Not each token.

import { textOf } from "../session/actions.ts";
import { usePage } from "../session/page-context.ts";
import type { PageState } from "../state/page-state.ts";
import { describeCall } from "../tools/describe-call.ts";

const spokenChars = 600;

export function Announcer() {
  const text = usePage(whatToSay);
  return (
    <div aria-live="polite" aria-atomic="true" className="sr-only">
      {text}
    </div>
  );
}

/** A text, so that the same one is said once. */
export function whatToSay({ threads, currentId, turns }: PageState): string {
  const last = threads[currentId]?.messages.at(-1);
  // What was answered before this page was opened is no news.
  if (last?.role !== "assistant" || !turns[last.requestId ?? ""]) return "";
  const asking = last.parts.find(
    (part) => part.kind === "tool" && part.state === "running" && part.permission && !part.permission.decision,
  );
  if (asking?.kind === "tool") return `The agent asks for permission. ${describeCall(asking.toolName, asking.permission?.input)}`;
  if (last.state === "running") return "The agent is answering.";
  if (last.failure) return `The answer ended early. ${last.failure.text}`;
  return `The agent says: ${textOf(last).slice(0, spokenChars)}`;
}
