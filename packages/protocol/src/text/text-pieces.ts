// Text that a model writes in pieces. Two things can happen to it where it is cut: a surrogate pair is parted, so that each
// half alone can't be written as UTF-8; and what is said after a tool is glued to what was said before it.

export interface WholeCharacters {
  /** What of the text so far can be passed on: all of it, but for half a pair at its end. */
  push(piece: string): string;
  /** Nothing more comes: one U+FFFD for a half whose other half never came. */
  end(): string;
}

/** Half of a surrogate pair waits for the other half. A half that can't have one any more becomes one U+FFFD. */
export function createWholeCharacters(): WholeCharacters {
  let half = "";
  return {
    push(piece) {
      if (piece === "") return "";
      const text = half + piece;
      const last = text.charCodeAt(text.length - 1);
      half = last >= 0xd800 && last < 0xdc00 ? text.slice(-1) : "";
      return (half === "" ? text : text.slice(0, -1)).toWellFormed();
    },
    end() {
      const rest = half.toWellFormed();
      half = "";
      return rest;
    },
  };
}

export interface TextGap {
  /** Something else comes now: a tool, or the next step. */
  interrupt(): void;
  /** What has to stand before this text, which is not empty: a blank line, or nothing. */
  before(text: string): string;
}

/** Two line feeds before text that follows an interruption, unless there is a line feed already. Never at the end. */
export function createTextGap(): TextGap {
  let isLineOpen = false;
  let isDue = false;
  return {
    interrupt: () => void (isDue = isLineOpen),
    before(text) {
      const gap = isDue && !/^\r?\n/.test(text) ? "\n\n" : "";
      isDue = false;
      isLineOpen = !text.endsWith("\n");
      return gap;
    },
  };
}

/** The texts of a whole message as one; undefined stands for something else between them. */
export function joinTexts(parts: readonly (string | undefined)[]): string {
  const gap = createTextGap();
  let joined = "";
  for (const text of parts) {
    if (text === undefined) gap.interrupt();
    else if (text !== "") joined += gap.before(text) + text;
  }
  return joined;
}
