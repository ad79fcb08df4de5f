// One conversation in the list: opened by a click, renamed in place, deleted after a question.

import type { ConversationSummary } from "@hawser/protocol";
import { memo, useRef, useState, type KeyboardEvent } from "react";
import { usePage, usePageParts } from "../session/page-context.ts";
import { openQuestion, runningTurnsOf } from "../state/page-state.ts";
import { Dialog, takesFocus } from "./dialog.tsx";
import { Button, IconButton } from "./icon.tsx";

interface ConversationRowProps {
  readonly summary: ConversationSummary;
  onOpen(conversationId: string): void;
}

export const ConversationRow = memo(function ConversationRow({ summary, onOpen }: ConversationRowProps) {
  const { conversationId } = summary;
  const title = summary.title || "Untitled";
  const [task, setTask] = useState<"rename" | "delete">();
  const link = useRef<HTMLAnchorElement>(null);
  const isCurrent = usePage((state) => state.currentId === conversationId);
  const isRunning = usePage((state) => runningTurnsOf(state, conversationId).length > 0);
  const asks = usePage((state) => isRunning && openQuestion(state, conversationId) !== undefined);
  function onKeyDown(event: KeyboardEvent): void {
    if (event.key === "F2") setTask("rename");
    if (event.key === "Delete") setTask("delete");
  }
  function end(): void {
    setTask(undefined);
    requestAnimationFrame(() => link.current?.focus());
  }
  if (task === "rename")
    return (
      <li>
        <RenameField conversationId={conversationId} title={title} onEnd={end} />
      </li>
    );
  return (
    <li className={`group flex items-center rounded-lg ${isCurrent ? "bg-sea-wash" : "hover:bg-raised"}`}>
      <a
        ref={link}
        href={`#/c/${encodeURIComponent(conversationId)}`}
        aria-current={isCurrent ? "page" : undefined}
        className="flex min-h-9 min-w-0 flex-1 items-center gap-2 rounded-lg px-2 text-sm"
        onClick={(event) => {
          event.preventDefault();
          onOpen(conversationId);
        }}
        onKeyDown={onKeyDown}
      >
        {isRunning && (
          <span
            role="img"
            aria-label={asks ? "asks you" : "working"}
            className={`size-2 shrink-0 rounded-full ${asks ? "bg-rope" : "beat bg-sea"}`}
          />
        )}
        <span dir="auto" className="min-w-0 flex-1 truncate">
          {title}
        </span>
      </a>
      <div className={`flex ${isCurrent ? "" : "sm:hidden sm:group-focus-within:flex sm:group-hover:flex"}`}>
        <IconButton name="pencil" label={`Rename ${title}`} className="min-h-8 min-w-7 px-1" onClick={() => setTask("rename")} />
        <IconButton name="trash" label={`Delete ${title}`} className="min-h-8 min-w-7 px-1" onClick={() => setTask("delete")} />
      </div>
      {task === "delete" && <DeleteDialog conversationId={conversationId} title={title} onEnd={() => setTask(undefined)} />}
    </li>
  );
});

interface TaskProps {
  readonly conversationId: string;
  readonly title: string;
  onEnd(): void;
}

function RenameField({ conversationId, title, onEnd }: TaskProps) {
  const { actions } = usePageParts();
  const [draft, setDraft] = useState(title);
  function save(): void {
    onEnd();
    if (draft.trim() !== "" && draft !== title) void actions.rename(conversationId, draft.trim());
  }
  return (
    <input
      aria-label="New title"
      className="field w-full"
      value={draft}
      autoFocus
      onFocus={(event) => event.target.select()}
      onChange={(event) => setDraft(event.target.value)}
      onBlur={save}
      onKeyDown={(event) => {
        if (event.key === "Enter") save();
        if (event.key === "Escape") onEnd();
        event.stopPropagation();
      }}
    />
  );
}

function DeleteDialog({ conversationId, title, onEnd }: TaskProps) {
  const { actions } = usePageParts();
  function remove(): void {
    onEnd();
    void actions.remove(conversationId);
  }
  return (
    <Dialog label="Delete conversation" className="w-[min(26rem,92vw)] rounded-2xl border border-line p-5" onClose={onEnd}>
      <h2 className="text-lg font-semibold">Delete this conversation?</h2>
      <p className="mt-2 text-sm wrap-anywhere">“{title}” and its file are removed from this machine. This can't be undone.</p>
      <div className="mt-4 flex justify-end gap-2">
        <Button label="Keep it" ref={takesFocus} onClick={onEnd} />
        <Button label="Delete" className="border-alarm text-alarm" onClick={remove} />
      </div>
    </Dialog>
  );
}
