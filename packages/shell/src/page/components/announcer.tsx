// What a screen reader is told: that an answer has begun, and the answer when it is whole, not each token. A
// question interrupts what is being read: the focus stays where the user writes, so this is how it is heard.

import { cutText } from "@hawser/protocol/internal";
import { textOf } from "../session/actions.ts";
import { usePage } from "../session/page-context.ts";
import { openQuestion, type PageState } from "../state/page-state.ts";
import { answersTo } from "../tools/answers.ts";
import { describeQuestion } from "../tools/describe-call.ts";

const spokenChars = 600;

export function Announcer() {
  const text = usePage(whatToSay);
  const question = usePage(whatIsAsked);
  return (
    <>
      <div aria-live="polite" aria-atomic="true" className="sr-only">
        {text}
      </div>
      <div role="alert" aria-label="Question" className="sr-only">
        {question}
      </div>
    </>
  );
}

export function whatIsAsked(state: PageState): string {
  const asking = openQuestion(state);
  if (!asking) return "";
  const { toolName, permission } = asking;
  const answers = answersTo(toolName, permission).filter(({ keys }) => keys.length > 0);
  const keys = answers.map(({ decision, keys: pressed }) => `${pressed.join("+")} ${decision === "deny" ? "denies it" : "allows it once"}`);
  const how = keys.length > 0 ? ` ${keys.join(", ")}.` : "";
  return `The agent asks for permission. ${describeQuestion(toolName, permission)}.${how}`;
}

/** A text, so that the same one is said once. */
export function whatToSay(state: PageState): string {
  const { threads, currentId, turns } = state;
  const last = threads[currentId]?.messages.at(-1);
  // Answers from before this page was opened aren't news.
  if (last?.role !== "assistant" || !turns[last.requestId ?? ""]) return "";
  // The question has an alert of its own.
  if (openQuestion(state)) return "";
  if (last.state === "running") return "The agent is answering.";
  if (last.failure) return `The answer ended early. ${last.failure.text}`;
  return `The agent says: ${cutText(textOf(last), spokenChars)}`;
}
