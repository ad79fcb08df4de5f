// The difference of two texts by lines, as `diff -u` writes it. Found by Myers' way within a bounded effort; beyond it everything between
// the common beginning and the common end counts as replaced.

export interface LineDiff {
  readonly additions: number;
  readonly deletions: number;
  /** Hunks with their `@@` lines; empty when nothing differs. */
  readonly text: string;
}

interface Edit {
  readonly kind: " " | "-" | "+";
  readonly line: string;
}

const contextLines = 3;
// The effort grows with its square.
const maxDistance = 1_000;
const noEnd = "\\ No newline at end of file";

export function diffLines(before: string, after: string, hasText = true): LineDiff {
  const [old, fresh] = [splitLines(before), splitLines(after)];
  const edits = editsOf(old, fresh);
  const count = (kind: Edit["kind"]): number => edits.reduce((sum, edit) => sum + (edit.kind === kind ? 1 : 0), 0);
  return { additions: count("+"), deletions: count("-"), text: hasText ? toHunks(edits) : "" };
}

/** Each with its line feed, so that a missing one at the end is a difference. */
function splitLines(text: string): string[] {
  const lines = text.split(/(?<=\n)/);
  return lines.length === 1 && lines[0] === "" ? [] : lines;
}

function editsOf(old: readonly string[], fresh: readonly string[]): Edit[] {
  const shorter = Math.min(old.length, fresh.length);
  let head = 0;
  while (head < shorter && old[head] === fresh[head]) head++;
  let tail = 0;
  while (tail < shorter - head && old.at(-1 - tail) === fresh.at(-1 - tail)) tail++;
  const same = (lines: readonly string[]): Edit[] => lines.map((line) => ({ kind: " ", line }));
  const [oldMiddle, freshMiddle] = [old.slice(head, old.length - tail), fresh.slice(head, fresh.length - tail)];
  return [...same(old.slice(0, head)), ...middleOf(oldMiddle, freshMiddle), ...same(old.slice(old.length - tail))];
}

function middleOf(old: readonly string[], fresh: readonly string[]): Edit[] {
  const trace = old.length > 0 && fresh.length > 0 ? traceOf(old, fresh) : undefined;
  if (trace) return walkBack(old, fresh, trace);
  return [...old.map((line): Edit => ({ kind: "-", line })), ...fresh.map((line): Edit => ({ kind: "+", line }))];
}

/** How far each diagonal was reached with 0, 1, 2… edits; undefined when it takes too many. Diagonal k is at index k + d of row d. */
function traceOf(old: readonly string[], fresh: readonly string[]): Int32Array[] | undefined {
  const rows: Int32Array[] = [];
  for (let d = 0; d <= maxDistance; d++) {
    const row = new Int32Array(2 * d + 1);
    const last = rows.at(-1);
    for (let k = -d; k <= d; k += 2) {
      const [below, above] = [reach(last, d - 1, k - 1), reach(last, d - 1, k + 1)];
      let x = d === 0 ? 0 : k === -d || (k !== d && below < above) ? above : below + 1;
      while (x < old.length && x - k < fresh.length && x - k >= 0 && old[x] === fresh[x - k]) x++;
      row[k + d] = x;
      if (x >= old.length && x - k >= fresh.length) return [...rows, row];
    }
    rows.push(row);
  }
  return undefined;
}

const reach = (row: Int32Array | undefined, d: number, k: number): number => (row && Math.abs(k) <= d ? (row[k + d] ?? -1) : -1);

function walkBack(old: readonly string[], fresh: readonly string[], rows: readonly Int32Array[]): Edit[] {
  const edits: Edit[] = [];
  let [x, y] = [old.length, fresh.length];
  for (let d = rows.length - 1; d > 0; d--) {
    const k = x - y;
    const last = rows[d - 1];
    const [below, above] = [reach(last, d - 1, k - 1), reach(last, d - 1, k + 1)];
    const isDown = k === -d || (k !== d && below < above);
    const fromX = isDown ? above : below;
    const fromY = fromX - (isDown ? k + 1 : k - 1);
    while (x > fromX + (isDown ? 0 : 1) || y > fromY + (isDown ? 1 : 0)) {
      edits.push({ kind: " ", line: old[--x] ?? "" });
      y--;
    }
    if (isDown) edits.push({ kind: "+", line: fresh[--y] ?? "" });
    else edits.push({ kind: "-", line: old[--x] ?? "" });
  }
  while (x > 0 && y > 0) {
    edits.push({ kind: " ", line: old[--x] ?? "" });
    y--;
  }
  return edits.toReversed();
}

function toHunks(edits: readonly Edit[]): string {
  const changed = edits.flatMap(({ kind }, at) => (kind === " " ? [] : [at]));
  const spans: [number, number][] = [];
  for (const at of changed) {
    const span = spans.at(-1);
    if (span && at - span[1] <= 2 * contextLines) span[1] = at;
    else spans.push([at, at]);
  }
  // How many lines of each side are before an edit.
  const counts = { old: 0, fresh: 0 };
  let done = 0;
  const pass = (until: number): void => {
    for (; done < until; done++) {
      if (edits[done]?.kind !== "+") counts.old++;
      if (edits[done]?.kind !== "-") counts.fresh++;
    }
  };
  return spans
    .map(([first, last]) => {
      const from = Math.max(0, first - contextLines);
      const part = edits.slice(from, last + contextLines + 1);
      pass(from);
      const start = { ...counts };
      pass(from + part.length);
      const range = (before: number, now: number): string => `${now === before ? before : before + 1},${now - before}`;
      const head = `@@ -${range(start.old, counts.old)} +${range(start.fresh, counts.fresh)} @@\n`;
      return head + part.map(({ kind, line }) => (line.endsWith("\n") ? kind + line : `${kind}${line}\n${noEnd}\n`)).join("");
    })
    .join("");
}
