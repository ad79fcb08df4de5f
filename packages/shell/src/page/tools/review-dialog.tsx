// What the turns of the conversation have changed in files: by turn or by file, inline or side by side. A file, a turn or everything is
// taken back with one click, and brought back with another; what was changed again since stays, and is named with the reason.

import { describeThrown, reveal, type ChangesData, type FileChange, type RevertedData } from "@hawser/protocol/internal";
import { useCallback, useEffect, useState } from "react";
import { Dialog } from "../components/dialog.tsx";
import { Button } from "../components/icon.tsx";
import { Segments } from "../components/segments.tsx";
import { useIsWide } from "../components/use-is-wide.ts";
import { useKeptChoice } from "../session/kept-choice.ts";
import { usePage, usePageParts } from "../session/page-context.ts";
import { runningTurnsOf } from "../state/page-state.ts";
import { bringBack, changesOfTurns, groupChanges, isInForce, newReverts, takeBack, type Revert } from "./review-changes.ts";
import { ReviewGroupView } from "./review-list.tsx";
import { Untracked } from "./untracked.tsx";

// So few are shown with all their lines.
const openedAtOnce = 3;

export function ReviewDialog({ onClose }: { onClose(): void }) {
  const { data, error, outcome, isBusy, act } = useReview();
  const isRunning = usePage((state) => runningTurnsOf(state, state.currentId).length > 0);
  const [by, setBy] = useKeptChoice("review-by", ["turn", "file"]);
  const [layout, setLayout] = useKeptChoice("review-layout", ["inline", "sides"]);
  const isWide = useIsWide();
  const all = data?.changes ?? [];
  const count = changesOfTurns(all).length;
  const blocked = isRunning ? "Changes can be taken back when the answer has ended." : isBusy ? "One moment…" : undefined;
  const actions = {
    blocked,
    onTakeBack: (changes: readonly FileChange[]) => void act(takeBack(changes), "taken back"),
    onBringBack: (changes: readonly FileChange[]) => void act(bringBack(all, changes), "brought back"),
  };
  const canTakeAll = changesOfTurns(all).some(isInForce);
  return (
    <Dialog
      label="Changes"
      hasHeading
      className="max-h-[88dvh] w-[min(72rem,96vw)] overflow-y-auto rounded-2xl border border-line p-5"
      onClose={onClose}
    >
      {count > 0 && (
        <div className="flex flex-wrap items-center gap-2">
          <Segments label="Grouped" value={by} choices={groupings} onChoose={setBy} />
          {isWide && <Segments label="Lines" value={layout} choices={layouts} onChoose={setLayout} />}
          <Button
            label={canTakeAll ? "Take everything back" : "Bring everything back"}
            icon={canTakeAll ? "undo" : "redo"}
            className="ml-auto min-h-8 text-xs"
            aria-disabled={blocked !== undefined}
            title={blocked}
            onClick={() =>
              blocked === undefined ? (canTakeAll ? actions.onTakeBack : actions.onBringBack)(changesOfTurns(all)) : undefined
            }
          />
        </div>
      )}
      <Outcome outcome={outcome} blocked={isRunning ? blocked : undefined} onBack={(reverts) => void act(reverts, "as it was")} />
      {error !== undefined && <p className="text-sm whitespace-pre-wrap text-alarm wrap-anywhere">{reveal(error)}</p>}
      {!data && error === undefined && <Loading />}
      {data && count === 0 && (
        <p className="py-4 text-sm text-soft">Nothing was changed in this conversation. What the agent changes in files is listed here.</p>
      )}
      {groupChanges(all, by).map((group) => (
        <ReviewGroupView
          key={group.key}
          group={group}
          by={by}
          layout={isWide ? layout : "inline"}
          isOpen={count <= openedAtOnce}
          {...actions}
        />
      ))}
      {data && <Untracked data={data} />}
    </Dialog>
  );
}

const groupings = [
  { value: "turn", name: "By turn", icon: "bubble" },
  { value: "file", name: "By file", icon: "file" },
] as const;

const layouts = [
  { value: "inline", name: "Inline", icon: "rows" },
  { value: "sides", name: "Side by side", icon: "columns" },
] as const;

interface Done {
  readonly text: string;
  readonly conflicts: RevertedData["conflicts"];
  /** What takes it back. */
  readonly back: readonly Revert[];
}

/** The changes of the conversation on the screen, asked again when a turn has ended and after every revert. */
function useReview() {
  const { client } = usePageParts().session;
  const currentId = usePage((state) => state.currentId);
  const ended = usePage(({ turns }) => Object.values(turns).filter(({ state }) => state === "ended").length);
  const [data, setData] = useState<ChangesData>();
  const [error, setError] = useState<string>();
  const [outcome, setOutcome] = useState<Done>();
  const [isBusy, setIsBusy] = useState(false);
  const load = useCallback(async (): Promise<ChangesData | undefined> => {
    try {
      const found = await client.listChanges(currentId, { diff: true });
      setData(found);
      setError(undefined);
      return found;
    } catch (thrown) {
      setError(describeThrown(thrown));
      return undefined;
    }
  }, [client, currentId]);
  useEffect(() => void load(), [load, ended]);
  async function act(reverts: readonly Revert[], words: string): Promise<void> {
    const done: RevertedData = { reverted: [], conflicts: [] };
    setIsBusy(true);
    try {
      for (const revert of reverts) {
        const { reverted, conflicts } = await client.revertChanges(currentId, revert);
        done.reverted.push(...reverted);
        done.conflicts.push(...conflicts);
      }
      const files = new Set(done.reverted).size;
      const after = await load();
      const back = newReverts(data?.changes ?? [], after?.changes ?? []);
      const count = files === 0 ? "Nothing is" : files === 1 ? "1 file is" : `${files} files are`;
      setOutcome({ text: `${count} ${words}.`, conflicts: done.conflicts, back });
    } catch (thrown) {
      setOutcome({ text: describeThrown(thrown), conflicts: [], back: [] });
      await load();
    } finally {
      setIsBusy(false);
    }
  }
  return { data, error, outcome, isBusy, act };
}

/** A name that says nothing to a person. */
const requestName = /the request [\da-f-]{36}/g;

interface OutcomeProps {
  readonly outcome: Done | undefined;
  readonly blocked: string | undefined;
  onBack(reverts: readonly Revert[]): void;
}

/** What the last click did, what it left alone and why, and the way back. */
function Outcome({ outcome, blocked, onBack }: OutcomeProps) {
  return (
    <div role="status" className="mt-2 space-y-1 text-sm empty:hidden">
      {blocked !== undefined && <p className="text-soft">{blocked}</p>}
      {outcome && (
        <p className="flex flex-wrap items-center gap-x-2">
          <span className="whitespace-pre-wrap wrap-anywhere">{reveal(outcome.text)}</span>
          {outcome.back.length > 0 && <Button label="Undo" icon="undo" isSmall onClick={() => onBack(outcome.back)} />}
        </p>
      )}
      {outcome && outcome.conflicts.length > 0 && (
        <ul aria-label="Left as they are" className="rounded-lg border border-rope bg-rope-wash px-3 py-2 text-xs">
          {outcome.conflicts.map(({ path, reason }) => (
            <li key={path} className="wrap-anywhere">
              <span className="font-mono">{reveal(path)}</span> was left as it is: {reveal(reason.replaceAll(requestName, "this turn"))}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function Loading() {
  return (
    <div role="status" aria-label="Asking the agent" className="mt-4 space-y-2">
      <div className="beat h-9 rounded-lg bg-raised" />
      <div className="beat h-9 rounded-lg bg-raised" />
    </div>
  );
}
