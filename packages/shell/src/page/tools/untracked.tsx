// What a review can't show: files and folders whose changes are not seen, and what the answer had no room for.

import { reveal, type ChangesData } from "@hawser/protocol";

const shownEntries = 50;

export function Untracked({ data: { untracked = [], leftOut = 0 } }: { readonly data: ChangesData }) {
  if (untracked.length === 0 && leftOut === 0) return null;
  const left = untracked.length - shownEntries;
  return (
    <div className="mt-4 space-y-1 text-xs text-soft">
      {leftOut > 0 && <p>There was no room for {leftOut} more changes or their lines.</p>}
      {untracked.length > 0 && (
        <details>
          <summary className="cursor-pointer">Not tracked: {untracked.length}</summary>
          <ul className="mt-1 space-y-0.5 pl-4">
            {untracked.slice(0, shownEntries).map(({ path, reason }) => (
              <li key={path} className="wrap-anywhere">
                <span className="font-mono">{reveal(path)}</span>: {reveal(reason)}
              </li>
            ))}
            {left > 0 && <li>and {left} more</li>}
          </ul>
        </details>
      )}
    </div>
  );
}
