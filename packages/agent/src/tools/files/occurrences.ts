// Where a text occurs in another one, in time that grows with their lengths only. The built-in search of
// long texts can be made to take minutes (a long run of one letter with another one inside), and both
// texts may come from a model.

const shortChars = 64;

/** Every position, overlapping ones too. */
export function* occurrencesOf(wanted: string, text: string): Generator<number> {
  if (wanted.length > shortChars) yield* byTable(wanted, text);
  else for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) yield at;
}

/** Positions that don't overlap, from the left: what a replacement of all of them replaces. */
export function separateOccurrences(wanted: string, text: string): number[] {
  const found: number[] = [];
  let free = 0;
  for (const at of occurrencesOf(wanted, text)) {
    if (at < free) continue;
    found.push(at);
    free = at + wanted.length;
  }
  return found;
}

// Knuth, Morris and Pratt: after a mismatch it is known how much of the beginning still matches.
function* byTable(wanted: string, text: string): Generator<number> {
  const table = toTable(wanted);
  let matched = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    while (matched > 0 && code !== wanted.charCodeAt(matched)) matched = table[matched - 1] as number;
    if (code === wanted.charCodeAt(matched)) matched++;
    if (matched < wanted.length) continue;
    yield at - wanted.length + 1;
    matched = table[matched - 1] as number;
  }
}

function toTable(wanted: string): Int32Array {
  const table = new Int32Array(wanted.length);
  let matched = 0;
  for (let at = 1; at < wanted.length; at++) {
    const code = wanted.charCodeAt(at);
    while (matched > 0 && code !== wanted.charCodeAt(matched)) matched = table[matched - 1] as number;
    if (code === wanted.charCodeAt(matched)) matched++;
    table[at] = matched;
  }
  return table;
}
