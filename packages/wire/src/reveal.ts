// Makes visible what a text would hide: characters that show nothing, that look like a plain space, or that turn
// the order of the others around. What a person reads in a log or is asked to allow must be what stands there.

// Ends of lines and tabs are what they look like. Fillers of Hangul are letters by name and blank on the screen.
const hidden = /(?!\r\n)[^\P{C}\n\t]|[\p{Zl}\p{Zp}\u115f\u1160\u2800\u3164\uffa0]|(?! )\p{Zs}/gu;

export const reveal = (text: string): string =>
  text.replaceAll(hidden, (sign) => `⟨U+${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}⟩`);
