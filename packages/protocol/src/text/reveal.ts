// Makes visible what a text would hide: characters that show nothing, that look like a plain space, that turn the
// order of the others around, or that a terminal would obey. This is the one definition of them, for every terminal
// and every approval: a person must see what stands there, and no text may give orders to a terminal.

// The patterns are made when a text needs them: their properties take V8 a millisecond, which every command would wait for.
const plain = /^[\n\t -~]*$/;

// Ends of lines and tabs are what they look like. The blank pattern of Braille has no property that tells of it.
const hidden = (): RegExp => /(?!\r\n)[^\P{C}\n\t]|[\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/gu;

const space = (): RegExp => /\p{Zs}/u;
const mark = /\u200c|\u200d|\ufe0e|\ufe0f/;
// The form of an emoji, an emoji that is joined to the next one, and the marks by which Arabic and Indic letters join.
const partOfWriting = (): RegExp =>
  /(?:\p{Emoji}[\ufe0e\ufe0f]|[\p{Extended_Pictographic}\p{Emoji_Modifier}]\ufe0f?\u200d|[\p{scx=Arab}\p{scx=Beng}\p{scx=Deva}\p{scx=Gujr}\p{scx=Guru}\p{scx=Knda}\p{scx=Mlym}\p{scx=Orya}\p{scx=Sinh}\p{scx=Taml}\p{scx=Telu}][\u200c\u200d])$/u;
// As much as the pattern above looks at, in UTF-16 units.
const contextChars = 4;

const toNumber = (sign: string): string => `⟨U+${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}⟩`;

/** Every hidden character as its number, `⟨U+202E⟩`; line feeds and tabs stay. For approvals, and for names and values. */
export const reveal = (text: string): string => (plain.test(text) ? text : text.replaceAll(hidden(), toNumber));

/**
 * The same for running text: spaces of other widths stay, and so does what belongs to the writing of a word or an emoji,
 * once behind a character that can have it. `before` is the end of what was shown before this text.
 */
export const revealProse = (text: string, before = ""): string =>
  plain.test(text)
    ? text
    : text.replaceAll(hidden(), (sign, at: number) => {
        if (space().test(sign)) return sign;
        if (!mark.test(sign)) return toNumber(sign);
        const context = at >= contextChars ? text.slice(at - contextChars, at) : before + text.slice(0, at);
        return partOfWriting().test(context + sign) ? sign : toNumber(sign);
      });

export interface ProseRevealer {
  push(text: string): string;
  /** What was held back. */
  end(): string;
}

/** For running text that comes in pieces, cut anywhere. Half of a surrogate pair and a CR wait for what follows them. */
export function createProseRevealer(): ProseRevealer {
  let held = "";
  let before = "";
  function take(text: string): string {
    const shown = revealProse(text, before);
    before = (before + text).slice(-contextChars);
    return shown;
  }
  return {
    push(text) {
      const whole = held + text;
      held = /[\r\ud800-\udbff]$/.exec(whole)?.[0] ?? "";
      return take(whole.slice(0, whole.length - held.length));
    },
    end() {
      const rest = take(held);
      held = "";
      before = "";
      return rest;
    },
  };
}
