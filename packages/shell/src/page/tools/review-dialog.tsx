// What the turns of the conversation have changed in files, turn by turn, with the lines that went and came. A file or a whole turn is
// taken back with one click; that is itself a change, which can be taken back the same way.

import type { FileChange } from "@hawser/protocol";
import { cutText, describeThrown, reveal } from "@hawser/protocol/internal";
import { useEffect, useState } from "react";
import { Dialog } from "../components/dialog.tsx";
import { Button } from "../components/icon.tsx";
import { textOf } from "../session/actions.ts";
import { usePage, usePageParts } from "../session/page-context.ts";

export function ReviewDialog({ onClose }: { onClose(): void }) {
  const { session } = usePageParts();
  const currentId = usePage((state) => state.currentId);
  const [changes, setChanges] = useState<readonly FileChange[] | string>();
  const [said, setSaid] = useState("");
  const [count, setCount] = useState(0);
  useEffect(() => {
    let isLeft = false;
    const tell = (outcome: readonly FileChange[] | string): void => (isLeft ? undefined : setChanges(outcome));
    session.client.listChanges(currentId, { diff: true }).then(
      (found) => tell(found.changes),
      (error: unknown) => tell(describeThrown(error)),
    );
    return () => {
      isLeft = true;
    };
  }, [session, currentId, count]);
  async function revert(requestId: string, paths?: readonly string[]): Promise<void> {
    try {
      const { reverted, conflicts } = await session.client.revertChanges(currentId, { requestId, ...(paths && { paths }) });
      const left = conflicts.map(({ path, reason }) => `${path}: ${reason}`);
      setSaid([`${reverted.length} taken back.`, ...left].join("\n"));
    } catch (error) {
      setSaid(describeThrown(error));
    }
    setCount((before) => before + 1);
  }
  return (
    <Dialog
      label="Changes"
      hasHeading
      className="max-h-[88dvh] w-[min(56rem,96vw)] overflow-y-auto rounded-2xl border border-line p-5"
      onClose={onClose}
    >
      <p role="status" className="text-sm whitespace-pre-wrap text-soft wrap-anywhere">
        {reveal(said)}
      </p>
      {changes === undefined && <p className="text-sm text-soft">Asking the agent…</p>}
      {typeof changes === "string" && <p className="text-sm whitespace-pre-wrap text-alarm wrap-anywhere">{reveal(changes)}</p>}
      {typeof changes === "object" && changes.length === 0 && (
        <p className="text-sm text-soft">Nothing was changed in this conversation.</p>
      )}
      {typeof changes === "object" &&
        [...Map.groupBy(changes, ({ requestId }) => requestId)]
          .toReversed()
          .map(([requestId, members]) => <TurnChanges key={requestId} requestId={requestId} changes={members} onRevert={revert} />)}
    </Dialog>
  );
}

interface TurnChangesProps {
  readonly requestId: string;
  readonly changes: readonly FileChange[];
  onRevert(requestId: string, paths?: readonly string[]): Promise<void>;
}

const titleChars = 80;

function TurnChanges({ requestId, changes, onRevert }: TurnChangesProps) {
  const asked = usePage(({ threads, currentId }) =>
    threads[currentId]?.messages.find((message) => message.role === "user" && message.requestId === requestId),
  );
  const title = asked ? cutText(textOf(asked), titleChars) : "Taken back";
  const isOver = changes.every(({ reverted }) => reverted);
  return (
    <section aria-label={title} className="mt-4 space-y-2">
      <div className="flex items-center gap-2">
        <h3 className="min-w-0 flex-1 truncate text-sm font-semibold">{title}</h3>
        {!isOver && changes.length > 1 && (
          <Button label="Take all of it back" icon="undo" isSmall onClick={() => void onRevert(requestId)} />
        )}
      </div>
      {changes.map((change) => (
        <ChangedFile key={change.path} change={change} onRevert={() => void onRevert(requestId, [change.path])} />
      ))}
    </section>
  );
}

function ChangedFile({ change, onRevert }: { readonly change: FileChange; onRevert(): void }) {
  const { path, additions, deletions, reverted, diff, note } = change;
  return (
    <details className="rounded-lg border border-line bg-sheet">
      <summary className="flex cursor-pointer flex-wrap items-center gap-2 px-3 py-1.5 text-sm">
        <span className="min-w-0 flex-1 font-mono text-xs wrap-anywhere">{reveal(path)}</span>
        <span className="text-xs text-soft">{reverted ? `${change.change}, taken back` : change.change}</span>
        <span className="text-xs text-leaf">+{additions}</span>
        <span className="text-xs text-alarm">−{deletions}</span>
      </summary>
      {note !== undefined && <p className="px-3 py-1 text-xs text-soft wrap-anywhere">{reveal(note)}</p>}
      {diff !== undefined && <UnifiedDiff label={reveal(path)} diff={diff} />}
      {!reverted && (
        <div className="px-2 py-1">
          <Button label="Take back" icon="undo" isSmall aria-label={`Take back ${reveal(path)}`} onClick={onRevert} />
        </div>
      )}
    </details>
  );
}

const shownLines = 400;
const looks: Readonly<Record<string, string>> = { "+": "bg-leaf-wash text-leaf", "-": "bg-alarm-wash text-alarm", "@": "text-soft" };

function UnifiedDiff({ label, diff }: { readonly label: string; readonly diff: string }) {
  const lines = numberLines(diff.split("\n", shownLines + 2).slice(2));
  return (
    <div
      tabIndex={0}
      role="region"
      aria-label={`Change in ${label}`}
      className="max-h-96 overflow-auto border-y border-line py-1 font-mono text-xs"
    >
      {lines.map(({ text, old, fresh }, at) => (
        <div key={at} className={`flex px-3 ${looks[text[0] ?? ""] ?? ""}`}>
          <span aria-hidden="true" className="flex shrink-0 pr-2 text-right select-none">
            <span className="min-w-8">{old}</span>
            <span className="min-w-8">{fresh}</span>
          </span>
          <pre className="min-w-0 flex-1 wrap-anywhere whitespace-break-spaces">{reveal(text)}</pre>
        </div>
      ))}
    </div>
  );
}

/** With the numbers that the heads of its parts begin with. */
function numberLines(lines: readonly string[]): readonly { readonly text: string; readonly old: string; readonly fresh: string }[] {
  let [old, fresh] = [0, 0];
  return lines
    .filter((text) => text !== "")
    .map((text) => {
      const [, from, to] = /^@@ -(\d+)(?:,\d+)? \+(\d+)/.exec(text) ?? [];
      if (from !== undefined && to !== undefined) {
        [old, fresh] = [Number(from) - 1, Number(to) - 1];
        return { text, old: "", fresh: "" };
      }
      if (text[0] !== "+") old++;
      if (text[0] !== "-") fresh++;
      return { text, old: text[0] === "+" ? "" : String(old), fresh: text[0] === "-" ? "" : String(fresh) };
    });
}
