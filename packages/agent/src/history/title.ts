// A conversation's title: one line, without control characters, cut at a whole character.

import { limits } from "@hawser/wire";

// What would break the line, hide in it or turn its direction; but not what joins several signs to one picture.
const unprintable = /[[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\s]--[\u200d]]+/gv;

export function toTitle(text: string): string {
  const { conversationTitleChars } = limits;
  // A character that is removed or joined is at most two units long; a few times the length is enough to look at.
  const line = text
    .slice(0, conversationTitleChars * 16)
    .replaceAll(unprintable, " ")
    .trim();
  const characters = Array.from(line);
  if (characters.length <= conversationTitleChars) return line;
  return `${characters
    .slice(0, conversationTitleChars - 1)
    .join("")
    .trimEnd()}…`;
}
