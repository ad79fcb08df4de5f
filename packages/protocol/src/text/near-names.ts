// Names that may have been meant: those that contain the given text or are a few edits away.

const maxSuggestions = 3;
const maxComparedChars = 64;

/** The nearest first; none if nothing is near. */
export function nearNames(given: string, names: readonly string[]): string[] {
  const wanted = given.trim().toLowerCase();
  if (wanted === "" || wanted.length > maxComparedChars) return [];
  const maxEdits = Math.min(4, Math.max(1, Math.floor(wanted.length / 4)));
  const scored = new Map<string, number>();
  for (const name of names) {
    const edits = distance(wanted, name.toLowerCase(), maxEdits);
    if (edits <= maxEdits) scored.set(name, edits);
    else if (wanted.length >= 3 && name.toLowerCase().includes(wanted)) scored.set(name, maxEdits + 1);
  }
  return [...scored]
    .sort(([, one], [, other]) => one - other)
    .slice(0, maxSuggestions)
    .map(([name]) => name);
}

/** Levenshtein's, given up as soon as it must exceed `atMost`. */
function distance(one: string, other: string, atMost: number): number {
  if (Math.abs(one.length - other.length) > atMost) return atMost + 1;
  let row = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (let line = 1; line <= one.length; line++) {
    const next = [line];
    let least = line;
    let left = line;
    for (let column = 1; column <= other.length; column++) {
      const replaced = (row[column - 1] as number) + (one[line - 1] === other[column - 1] ? 0 : 1);
      left = Math.min(replaced, (row[column] as number) + 1, left + 1);
      next.push(left);
      if (left < least) least = left;
    }
    if (least > atMost) return atMost + 1;
    row = next;
  }
  return row[other.length] as number;
}
