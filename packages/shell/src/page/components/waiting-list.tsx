// What waits, above the place where the user writes: messages for later, and what was said to the turn that runs. Each can be changed
// and taken back until the model has seen it.

import { reveal } from "@hawser/protocol";
import { useState, type KeyboardEvent } from "react";
import { usePage, usePageParts } from "../session/page-context.ts";
import { IconButton } from "./icon.tsx";

interface Waiting {
  readonly id: string;
  readonly message: string;
  readonly isSteer: boolean;
}

export function WaitingList() {
  const waiting = usePage((state) => (state.waiting?.conversationId === state.currentId ? state.waiting : undefined));
  if (!waiting) return null;
  const all: readonly Waiting[] = [
    ...waiting.steers.map(({ steerId, message }) => ({ id: steerId, message, isSteer: true })),
    ...waiting.requests.map(({ id, message }) => ({ id, message, isSteer: false })),
  ];
  if (all.length === 0) return null;
  return (
    <ul aria-label="Waiting" className="mx-auto mb-2 max-h-40 max-w-3xl space-y-1 overflow-y-auto">
      {all.map((each) => (
        <WaitingRow key={each.id} waiting={each} />
      ))}
    </ul>
  );
}

function WaitingRow({ waiting: { id, message, isSteer } }: { readonly waiting: Waiting }) {
  const { actions } = usePageParts();
  const [draft, setDraft] = useState<string>();
  function onKeyDown(event: KeyboardEvent): void {
    if (event.nativeEvent.isComposing || (event.key !== "Enter" && event.key !== "Escape")) return;
    // Neither sends what is written below, nor stops the answer.
    event.preventDefault();
    setDraft(undefined);
    if (event.key === "Enter" && draft !== undefined && draft.trim() !== "" && draft !== message) void actions.editWaiting(id, draft);
  }
  const shown = reveal(message);
  return (
    <li className="flex min-h-9 items-center gap-2 rounded-lg border border-line bg-sheet pl-3 text-sm">
      <span className="shrink-0 text-xs font-semibold text-soft">{isSteer ? "For this turn" : "Next"}</span>
      {draft === undefined ? (
        <span title={shown} className="min-w-0 flex-1 truncate">
          {shown}
        </span>
      ) : (
        <input
          aria-label="What waits, in other words"
          className="field flex-1"
          autoFocus
          value={draft}
          onChange={(event) => setDraft(event.target.value)}
          onKeyDown={onKeyDown}
        />
      )}
      <IconButton name="pencil" label={`Change: ${shown}`} className="min-h-8 min-w-7 px-1" onClick={() => setDraft(message)} />
      <IconButton
        name="close"
        label={`Take back: ${shown}`}
        className="min-h-8 min-w-7 px-1"
        onClick={() => void actions.takeBack(id, isSteer)}
      />
    </li>
  );
}
