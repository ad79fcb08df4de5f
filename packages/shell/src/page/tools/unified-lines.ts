// The lines of a unified diff with their numbers in both files, in one column or in two. Lines that the diff leaves out are counted.

import type { NumberedLine } from "./line-diff.ts";

/** Lines that stay and are not part of the diff. */
export interface Gap {
  readonly kind: "gap";
  readonly lines: number;
}

/** The line before it has no line feed. */
interface EndNote {
  readonly kind: "end";
}

export type UnifiedRow = NumberedLine | Gap | EndNote;

const kinds: Readonly<Record<string, NumberedLine["kind"]>> = { " ": "same", "-": "removed", "+": "added" };

export function parseUnified(diff: string): readonly UnifiedRow[] {
  const rows: UnifiedRow[] = [];
  let [old, fresh] = [0, 0];
  let isInside = false;
  for (const line of diff.split("\n")) {
    const [, oldStart, oldCount, newStart] = /^@@ -(\d+)(?:,(\d+))? \+(\d+)/.exec(line) ?? [];
    const kind = kinds[line[0] ?? ""];
    if (oldStart !== undefined && newStart !== undefined) {
      // Of a part without lines the number is that of the line before it.
      const before = Number(oldStart) - (oldCount === "0" ? 0 : 1);
      if (before > old) rows.push({ kind: "gap", lines: before - old });
      [old, fresh, isInside] = [before, Math.max(0, Number(newStart) - 1), true];
    } else if (isInside && line.startsWith("\\")) rows.push({ kind: "end" });
    else if (isInside && kind) {
      if (kind !== "added") old++;
      if (kind !== "removed") fresh++;
      rows.push({ kind, text: line.slice(1), old, new: fresh });
    }
  }
  return rows;
}

/** One line in two columns; a column without a line is empty there. */
export interface SidedLine {
  readonly kind: "sides";
  readonly left?: NumberedLine | undefined;
  readonly right?: NumberedLine | undefined;
}

/** What went stands left of what came in its place. */
export function toSides(rows: readonly UnifiedRow[]): readonly (SidedLine | Gap | EndNote)[] {
  const sides: (SidedLine | Gap | EndNote)[] = [];
  let [removed, added]: [NumberedLine[], NumberedLine[]] = [[], []];
  function flush(): void {
    for (let at = 0; at < Math.max(removed.length, added.length); at++) sides.push({ kind: "sides", left: removed[at], right: added[at] });
    [removed, added] = [[], []];
  }
  for (const row of rows) {
    if (row.kind === "removed") removed.push(row);
    else if (row.kind === "added") added.push(row);
    else {
      // A missing line feed at the end of the old text must not part it from the new one.
      if (row.kind !== "end") flush();
      if (row.kind === "same") sides.push({ kind: "sides", left: row, right: row });
      else if (row.kind === "gap") sides.push(row);
    }
  }
  flush();
  if (rows.some(({ kind }) => kind === "end")) sides.push({ kind: "end" });
  return sides;
}
