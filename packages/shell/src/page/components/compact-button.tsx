// Makes room in the model's context by hand, beside the meter that says how full it is.

import { isAgentName } from "@hawser/protocol/internal";
import { usePage, usePageParts } from "../session/page-context.ts";
import { chosenModel, runningTurnsOf } from "../state/page-state.ts";
import { Icon } from "./icon.tsx";

export function CompactButton() {
  const { actions } = usePageParts();
  const canCompact = usePage(
    (state) => (state.runtime?.info.capabilities.includes("compaction") ?? false) && !isAgentName(chosenModel(state) ?? ""),
  );
  const isRunning = usePage((state) => runningTurnsOf(state, state.currentId).length > 0);
  const isCompacting = usePage(({ compacting, currentId }) => compacting === currentId);
  if (!canCompact) return null;
  const blocked = isRunning ? "It can be compacted when the answer has ended." : isCompacting ? "The model is summarising." : undefined;
  return (
    <button
      type="button"
      className="chip"
      aria-disabled={blocked !== undefined}
      title={blocked ?? "Have the model summarise what was said, so that there is room in its context. The history keeps every message."}
      onClick={() => (blocked === undefined ? void actions.compact() : undefined)}
    >
      <Icon name="fold" className="size-3.5 text-soft" />
      {isCompacting ? "Compacting…" : "Compact"}
    </button>
  );
}
