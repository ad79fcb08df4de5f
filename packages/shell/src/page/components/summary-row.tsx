// Where the beginning of a conversation was summarised to make room in the model's context: one row, which unfolds to what the model is
// told instead. The messages themselves stay where they are.

import { useId, useState } from "react";
import { PlainText } from "../markdown/plain-text.tsx";
import type { SummaryPart } from "../state/page-state.ts";
import { Icon } from "./icon.tsx";

const shown = (count: number): string => count.toLocaleString("en");

export function SummaryRow({ summary: { text, messages, tokensBefore, tokensAfter } }: { readonly summary: SummaryPart }) {
  const [isOpen, setIsOpen] = useState(false);
  const bodyId = useId();
  const stands = messages === 1 ? "the first message" : `the first ${shown(messages)} messages`;
  return (
    <section aria-label="Summary" className="rounded-lg border border-dashed border-edge bg-sheet text-sm">
      <button
        type="button"
        aria-expanded={isOpen}
        aria-controls={bodyId}
        className="flex min-h-10 w-full flex-wrap items-center gap-x-2 rounded-lg px-3 py-1.5 text-left text-xs hover:bg-raised"
        onClick={() => setIsOpen(!isOpen)}
      >
        <Icon name={isOpen ? "open" : "shut"} className="size-3.5 text-soft" />
        <Icon name="fold" className="size-3.5 text-sea" />
        <span className="font-semibold">Summary of {stands}</span>
        <span className="ml-auto text-soft">
          {shown(tokensBefore)} → {shown(tokensAfter)} tokens
        </span>
      </button>
      <div id={bodyId} hidden={!isOpen} className="space-y-2 border-t border-line px-3 py-2">
        <p className="text-xs text-soft">
          Instead of {stands} of this conversation, the model is told this. You still have all of them, above.
        </p>
        {isOpen &&
          (text === undefined ? <p className="text-xs text-soft">It is shown when the answer has ended.</p> : <PlainText text={text} />)}
      </div>
    </section>
  );
}
