// Breaks lines between words where a terminal would break them inside of one, as the text arrives. What is laid out already
// keeps its lines: code, tables, and lines that are indented as code. Colours of ours have no width.

/** Near the edge a word is held back until all of it is there; elsewhere it is shown as it grows. */
const edgeChars = 24;
const tabWidth = 8;

const piece = /\u001b\[[\d;]*m|\n|[ \t]+|\P{M}\p{M}*|\p{M}+/gu;
const wide =
  /^(?:\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}])/u;
const invisible = /^[\p{Mn}\p{Me}\p{Cf}]/u;
/** Of a list or a quotation: what follows stands below what follows it. */
const lineMark = /^(?:[•*+>│-]|\d{1,3}[.)])$/;
const fenceMark = /^(?:```|~~~)/;

export function createWordWrap(width: () => number) {
  let column = 0;
  /** Blanks that stand before the word, if it stays on this line. */
  let gap = "";
  let word = "";
  let wordWidth = 0;
  /** How much of the word is on the screen. */
  let shown = 0;
  let isLineStart = true;
  let isVerbatim = false;
  let isFenced = false;
  /** Where the lines begin that a long one is broken into. */
  let indent = 0;

  function beginLine(): void {
    column = 0;
    indent = 0;
    gap = "";
    isLineStart = true;
    isVerbatim = isFenced;
  }

  /** The first word tells what kind of line it is. */
  function openLine(): void {
    const text = word.replaceAll(/\u001b\[[\d;]*m/g, "");
    const isFence = fenceMark.test(text);
    if (isFence) isFenced = !isFenced;
    const isMark = lineMark.test(text);
    isVerbatim ||= isFence || text.startsWith("|") || (widthOf(gap) >= 4 && !isMark);
    indent = isMark ? widthOf(gap) + wordWidth + 1 : widthOf(gap);
    if (indent > width() / 2) indent = 0;
    isLineStart = false;
  }

  /** The rest of the word, on this line or the next. */
  function takeWord(): string {
    if (word === "") return "";
    if (isLineStart) openLine();
    const fits = isVerbatim || shown > 0 || column <= indent || column + widthOf(gap) + wordWidth <= width();
    const text = shown > 0 ? word.slice(shown) : fits ? gap + word : `\n${" ".repeat(indent)}${word}`;
    // The terminal itself breaks what is longer than a line.
    column = (fits ? column + (shown > 0 ? 0 : widthOf(gap)) + wordWidth : indent + wordWidth) % (width() + 1);
    gap = "";
    word = "";
    wordWidth = 0;
    shown = 0;
    return text;
  }

  /** What can be shown of a word that may go on. */
  function peekWord(): string {
    if (word === "" || isLineStart) return "";
    if (!isVerbatim && column + widthOf(gap) + wordWidth + edgeChars > width()) return "";
    const text = (shown === 0 ? gap : "") + word.slice(shown);
    if (shown === 0) {
      column += widthOf(gap);
      gap = "";
    }
    shown = word.length;
    return text;
  }

  function take(token: string): string {
    if (token === "\n") {
      const text = takeWord() + gap;
      beginLine();
      return `${text}\n`;
    }
    if (token.startsWith(" ") || token.startsWith("\t")) {
      const text = takeWord();
      gap += token;
      return text;
    }
    // Scripts without blanks may be broken before each sign.
    const before = wide.test(token) ? takeWord() : "";
    word += token;
    wordWidth += widthOf(token);
    return wordWidth > width() ? before + takeWord() : before;
  }

  return {
    push(text: string): string {
      let out = "";
      for (const [token] of text.matchAll(piece)) out += take(token);
      return out + peekWord();
    },
    /** What was held back. What follows begins a new line. */
    end(): string {
      const text = takeWord() + gap;
      isFenced = false;
      beginLine();
      return text;
    },
  };
}

/** A whole text, each line of which is to stand `indent` blanks from the edge. */
export function wrapText(text: string, width: number, indent = 0): string {
  const wrap = createWordWrap(() => Math.max(width - indent, 1));
  return (wrap.push(text) + wrap.end()).replaceAll(/^/gm, " ".repeat(indent));
}

/** A line in rows as a terminal would break it, wherever that is. */
export function chopLine(line: string, width: number): string[] {
  let row = "";
  let rowWidth = 0;
  const rows: string[] = [];
  for (const sign of line) {
    const signWidth = widthOf(sign);
    if (rowWidth + signWidth > width) {
      rows.push(row);
      row = "";
      rowWidth = 0;
    }
    row += sign;
    rowWidth += signWidth;
  }
  return [...rows, row];
}

function widthOf(text: string): number {
  if (text.startsWith("\u001b")) return 0;
  let width = 0;
  for (const sign of text) width += sign === "\t" ? tabWidth : wide.test(sign) ? 2 : invisible.test(sign) ? 0 : 1;
  return width;
}
