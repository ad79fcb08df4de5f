// What an agent says about a use of a tool besides its input: what sort of thing it is, which files it is about, and what changes in
// them.

import { reveal } from "@hawser/protocol";
import type { AboutUse, FileDiff } from "../state/page-state.ts";
import { wordsOfKind } from "./describe-call.ts";
import { DiffView } from "./numbered-code.tsx";

const shownPlaces = 20;

export function KindAndPlaces({ toolKind, locations = [] }: AboutUse) {
  const words = wordsOfKind(toolKind);
  const left = locations.length - shownPlaces;
  if (words === "" && locations.length === 0) return null;
  return (
    <div className="flex flex-wrap items-baseline gap-x-3 gap-y-1 text-xs">
      {words !== "" && <span className="font-semibold text-soft">{words}</span>}
      {locations.length > 0 && (
        <ul aria-label="Files" className="contents font-mono">
          {locations.slice(0, shownPlaces).map(({ path, line }, at) => (
            <li key={at} className="wrap-anywhere">
              {reveal(path)}
              {line !== undefined && <span className="text-soft">:{line}</span>}
            </li>
          ))}
          {left > 0 && <li className="text-soft">and {left} more</li>}
        </ul>
      )}
    </div>
  );
}

export function Diffs({ diffs }: { readonly diffs: readonly FileDiff[] }) {
  return diffs.map(({ path, oldText, newText, line = 1 }, at) => (
    <DiffView
      key={at}
      label={oldText === undefined ? `New file ${path}` : `Change in ${path}`}
      before={oldText ?? ""}
      after={newText}
      firstNumber={line}
    />
  ));
}
