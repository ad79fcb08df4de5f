// The changes of a conversation in groups, by turn or by file: each with its lines, and a button that takes it back or brings it back.

import { cutText, reveal, type FileChange } from "@hawser/protocol/internal";
import { useId, useState } from "react";
import { Button, Icon } from "../components/icon.tsx";
import { textOf } from "../session/actions.ts";
import { usePage } from "../session/page-context.ts";
import { isInForce, type ReviewGroup } from "./review-changes.ts";
import { UnifiedDiff, type DiffLayout } from "./unified-diff.tsx";

export interface ReviewActions {
  /** Why nothing can be taken back now. */
  readonly blocked: string | undefined;
  onTakeBack(changes: readonly FileChange[]): void;
  onBringBack(changes: readonly FileChange[]): void;
}

interface GroupProps extends ReviewActions {
  readonly group: ReviewGroup;
  readonly by: "turn" | "file";
  readonly layout: DiffLayout;
  /** So few that all of it is shown at once. */
  readonly isOpen: boolean;
}

const titleChars = 120;

export function ReviewGroupView({ group: { key, changes }, by, layout, isOpen, ...actions }: GroupProps) {
  const turn = useTurnTitle(key);
  const title = by === "turn" ? turn : reveal(key);
  return (
    <div role="group" aria-label={title} className="mt-4 space-y-2">
      <div className="flex items-center gap-2">
        <Icon name={by === "turn" ? "bubble" : "file"} className="size-3.5 text-soft" />
        <h3 dir="auto" className={`min-w-0 flex-1 truncate text-sm font-semibold ${by === "file" ? "font-mono" : ""}`}>
          {title}
        </h3>
        {changes.length > 1 && <BackButton changes={changes} name={by === "turn" ? "this turn" : title} {...actions} />}
      </div>
      {changes.map((change) => (
        <ChangedFile key={change.requestId + change.path} change={change} by={by} layout={layout} opensAtOnce={isOpen} {...actions} />
      ))}
    </div>
  );
}

/** What the user said to begin it. */
function useTurnTitle(requestId: string): string {
  const asked = usePage(({ threads, currentId }) =>
    threads[currentId]?.messages.find((message) => message.role === "user" && message.requestId === requestId),
  );
  return asked ? cutText(textOf(asked).trim(), titleChars) || "A message without words" : "A turn that is no longer shown";
}

interface BackButtonProps extends ReviewActions {
  readonly changes: readonly FileChange[];
  readonly name: string;
}

function BackButton({ changes, name, blocked, onTakeBack, onBringBack }: BackButtonProps) {
  const isBack = !changes.some(isInForce);
  const verb = isBack ? "Bring back" : "Take back";
  return (
    <Button
      label={verb}
      icon={isBack ? "redo" : "undo"}
      isSmall
      className="shrink-0"
      aria-label={`${verb} ${name}`}
      aria-disabled={blocked !== undefined}
      title={blocked}
      onClick={() => (blocked === undefined ? (isBack ? onBringBack : onTakeBack)(changes) : undefined)}
    />
  );
}

const words = { created: "new", modified: "changed", deleted: "deleted" } as const;

interface ChangedFileProps extends ReviewActions, Pick<GroupProps, "by" | "layout"> {
  readonly change: FileChange;
  readonly opensAtOnce: boolean;
}

function ChangedFile({ change, by, layout, opensAtOnce, ...actions }: ChangedFileProps) {
  const { path, requestId, additions, deletions, reverted, diff, note, binary } = change;
  const [isOpen, setIsOpen] = useState(opensAtOnce);
  const bodyId = useId();
  const turn = useTurnTitle(requestId);
  const remark = [note, binary ? "It is not text." : undefined].filter((each) => each !== undefined).join(" ");
  const hasBody = diff !== undefined || remark !== "";
  return (
    <div className="overflow-hidden rounded-lg border border-line bg-sheet">
      <div className="flex items-center gap-1 pr-1">
        <button
          type="button"
          aria-expanded={isOpen && hasBody}
          aria-controls={bodyId}
          className="flex min-h-9 min-w-0 flex-1 flex-wrap items-center gap-x-2 px-3 py-1 text-left hover:bg-raised focus-visible:-outline-offset-2"
          onClick={() => setIsOpen(!isOpen)}
        >
          <Icon name={isOpen && hasBody ? "open" : "shut"} className="size-3.5 text-soft" />
          <span
            className={`min-w-0 flex-1 basis-40 text-xs wrap-anywhere ${by === "turn" ? "font-mono" : ""} ${reverted ? "text-soft line-through" : ""}`}
          >
            {by === "turn" ? reveal(path) : turn}
          </span>
          <span className="text-xs text-soft">{reverted ? `${words[change.change]}, taken back` : words[change.change]}</span>
          <span className="text-xs text-leaf">+{additions}</span>
          <span className="text-xs text-alarm">−{deletions}</span>
        </button>
        <BackButton changes={[change]} name={reveal(path)} {...actions} />
      </div>
      <div id={bodyId} hidden={!isOpen || !hasBody}>
        {remark !== "" && <p className="border-t border-line px-3 py-1.5 text-xs text-soft wrap-anywhere">{reveal(remark)}</p>}
        {isOpen && diff !== undefined && <UnifiedDiff label={`Change in ${reveal(path)}`} diff={diff} layout={layout} />}
      </div>
    </div>
  );
}
