// How long a regular expression can take at worst, without running it. An expression tries one choice after the other:
// how often something repeats, which alternative it takes, where the match begins. Where nothing that holds a choice is
// itself repeated, the choices multiply and that is all. Everything else may take forever, as far as this file knows.

interface Choices {
  /** Parts that have to be matched one after the other. */
  readonly size: number;
  /** Ways through them that don't depend on the text. */
  readonly ways: number;
  /** Repetitions without an end: each has as many ways as the text has characters. */
  readonly loops: number;
}

const endless: Choices = { size: Infinity, ways: Infinity, loops: 0 };

/** Expressions up to this length are compiled in 30 ms at most; that is done in one go, and takes time that grows with the length. */
export const maxPatternChars = 500;

/** The most steps that this expression, if it is valid with the flag `u`, takes for a text of this length. */
export function patternCost(pattern: string, textLength: number): number {
  if (pattern.length > maxPatternChars) return Infinity;
  const choices = known.get(pattern) ?? countChoices(pattern);
  // Schemas come and go in a long life; these are quickly made again.
  if (known.size >= maxKnown) known.clear();
  known.set(pattern, choices);
  return choices.size * choices.ways * (textLength + 1) ** choices.loops;
}

const known = new Map<string, Choices>();
const maxKnown = 1_000;

// With the flag `u` a brace is always one of these or a repetition, and a bracket always a class.
const tokens =
  /\\[pPu]\{[^}]*\}|\\k<|\\[1-9]|\\.|\[(?:[^\]\\]|\\.)*\]|\(\?(?:<?[=!]|:|<[^>]*>)|\((?!\?)|\(\?|\)|\||[*+?]\??|\{(\d+)(,?)(\d*)\}\??|[^]/gsu;

function countChoices(pattern: string): Choices {
  let size = 1;
  let ways = 1;
  let loops = 0;
  let depth = 0;
  let startsAnywhere = !pattern.startsWith("^");
  let previous = "";
  for (const [token, least, comma, most] of pattern.matchAll(tokens)) {
    if (token === "\\k<" || /^\\[1-9]/.test(token)) return endless;
    if (token.startsWith("(")) depth++;
    else if (token === ")") depth--;
    else if (token === "|") {
      ways *= 2;
      if (depth === 0) startsAnywhere = true;
    }
    const isOptional = token === "?" || token === "??";
    const isRepetition = !isOptional && (least !== undefined || /^[*+]\??$/.test(token));
    if (isRepetition && previous === ")") return endless;
    if (isOptional) ways *= 2;
    else if (isRepetition && (least === undefined || (comma === "," && most === ""))) loops++;
    else if (isRepetition && comma === ",") ways *= Number(most) - Number(least) + 1;
    size += least === undefined ? 1 : Math.max(Number(least), Number(most));
    previous = token;
  }
  return { size, ways, loops: loops + (startsAnywhere ? 1 : 0) };
}
