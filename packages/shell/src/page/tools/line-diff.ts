// The difference of two texts, line by line: what stays, what goes, what comes. Long texts that differ
// everywhere are shown as all gone and all come, since finding better would take too long.

export interface DiffLine {
  readonly kind: "same" | "removed" | "added";
  readonly text: string;
}

export interface NumberedLine extends DiffLine {
  /** Where it stands in the text before and after; the other one for a line that is only in one of them. */
  readonly old: number;
  readonly new: number;
}

/** Lines that stay and are far from any change. */
export interface FoldedLines {
  readonly kind: "folded";
  readonly lines: readonly NumberedLine[];
}

const neighbours = 3;
// A fold that hides less than this takes as much room as what it hides.
const worthFolding = 4;

/** With the numbers of its lines, from that of the first one, and what stays folded but for the neighbours of a change. */
export function foldDiff(all: readonly DiffLine[], firstNumber = 1): (NumberedLine | FoldedLines)[] {
  const last = all.at(-1);
  // Behind the last line feed of both texts there is no line, nor behind that of a text that came or went as a whole.
  const isEnd = last?.text === "" && (last.kind === "same" || all.every(({ kind }) => kind === last.kind));
  const lines = all.length > 1 && isEnd ? all.slice(0, -1) : all;
  let [old, fresh] = [firstNumber - 1, firstNumber - 1];
  const numbered = lines.map((line): NumberedLine => {
    if (line.kind !== "added") old++;
    if (line.kind !== "removed") fresh++;
    return { ...line, old, new: fresh };
  });
  if (lines.every(({ kind }) => kind === "same")) return numbered;
  const rows: (NumberedLine | FoldedLines)[] = [];
  let at = 0;
  while (at < numbered.length) {
    let end = at;
    while (numbered[end]?.kind === "same") end++;
    const from = at === 0 ? 0 : at + neighbours;
    const to = end === numbered.length ? end : end - neighbours;
    if (to - from < worthFolding) rows.push(...numbered.slice(at, end));
    else rows.push(...numbered.slice(at, from), { kind: "folded", lines: numbered.slice(from, to) }, ...numbered.slice(to, end));
    at = end;
    for (let line = numbered[at]; line && line.kind !== "same"; line = numbered[at]) {
      rows.push(line);
      at++;
    }
  }
  return rows;
}

const comparedPairs = 1_000_000;

export function diffLines(before: string, after: string): DiffLine[] {
  const old = before === "" ? [] : before.split("\n");
  const fresh = after === "" ? [] : after.split("\n");
  const shorter = Math.min(old.length, fresh.length);
  let head = 0;
  while (head < shorter && old[head] === fresh[head]) head++;
  let tail = 0;
  while (tail < shorter - head && old.at(-1 - tail) === fresh.at(-1 - tail)) tail++;
  return [
    ...toLines("same", old.slice(0, head)),
    ...diffMiddle(old.slice(head, old.length - tail), fresh.slice(head, fresh.length - tail)),
    ...toLines("same", old.slice(old.length - tail)),
  ];
}

const toLines = (kind: DiffLine["kind"], lines: readonly string[]): DiffLine[] => lines.map((text) => ({ kind, text }));

function diffMiddle(old: readonly string[], fresh: readonly string[]): DiffLine[] {
  if (old.length * fresh.length > comparedPairs) return [...toLines("removed", old), ...toLines("added", fresh)];
  const common = commonLengths(old, fresh);
  const lines: DiffLine[] = [];
  let from = 0;
  let to = 0;
  while (from < old.length || to < fresh.length) {
    const gone = old[from];
    const come = fresh[to];
    if (gone !== undefined && gone === come) {
      lines.push({ kind: "same", text: gone });
      from++;
      to++;
    } else if (gone !== undefined && (come === undefined || (common[from + 1]?.[to] ?? 0) >= (common[from]?.[to + 1] ?? 0))) {
      lines.push({ kind: "removed", text: gone });
      from++;
    } else {
      lines.push({ kind: "added", text: come ?? "" });
      to++;
    }
  }
  return lines;
}

/** At [from][to]: how many lines the rest of both has in common, in order. */
function commonLengths(old: readonly string[], fresh: readonly string[]): Uint32Array[] {
  const table = Array.from({ length: old.length + 1 }, () => new Uint32Array(fresh.length + 1));
  for (let from = old.length - 1; from >= 0; from--) {
    const row = table[from] as Uint32Array;
    const below = table[from + 1] as Uint32Array;
    for (let to = fresh.length - 1; to >= 0; to--)
      row[to] = old[from] === fresh[to] ? (below[to + 1] ?? 0) + 1 : Math.max(below[to] ?? 0, row[to + 1] ?? 0);
  }
  return table;
}
