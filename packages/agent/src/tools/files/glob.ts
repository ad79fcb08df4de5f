// Patterns as people write them for paths: `*` is any text without `/`, `**` any text, `?` one character
// but `/`, and `\` takes the next character as it is. `**/` also matches nothing, so that `**/a` finds `a`.
// Matching takes time that grows with both lengths multiplied and never more: no pattern can stall it.

type Token = { readonly kind: "text"; readonly text: string } | { readonly kind: "one" | "some" | "any" | "folders" };

/** Whether a text matches the pattern. */
export function createGlob(pattern: string): (text: string) => boolean {
  const tokens = toTokens(pattern);
  return (text) => {
    const characters = Array.from(text);
    // Which positions of the text the tokens so far can end at.
    let reached = new Uint8Array(characters.length + 1);
    reached[0] = 1;
    for (const token of tokens) reached = step(token, characters, reached);
    return reached[characters.length] === 1;
  };
}

// Rules are asked about every file of a search: their patterns are read once.
const known = new Map<string, (text: string) => boolean>();
const knownEntries = 1_000;

export function matchesGlob(pattern: string, text: string): boolean {
  let matches = known.get(pattern);
  if (!matches) {
    matches = createGlob(pattern);
    if (known.size >= knownEntries) known.clear();
    known.set(pattern, matches);
  }
  return matches(text);
}

function step(token: Token, characters: readonly string[], before: Uint8Array): Uint8Array<ArrayBuffer> {
  const after = new Uint8Array(before.length);
  let isRunning = false;
  for (let at = 0; at < before.length; at++) {
    const last = characters[at - 1];
    switch (token.kind) {
      case "text":
        after[at] = at > 0 && before[at - 1] === 1 && last === token.text ? 1 : 0;
        break;
      case "one":
        after[at] = at > 0 && before[at - 1] === 1 && last !== "/" ? 1 : 0;
        break;
      case "some":
        isRunning = before[at] === 1 || (isRunning && last !== "/");
        after[at] = isRunning ? 1 : 0;
        break;
      case "any":
        isRunning ||= before[at] === 1;
        after[at] = isRunning ? 1 : 0;
        break;
      case "folders":
        after[at] = before[at] === 1 || (isRunning && last === "/") ? 1 : 0;
        isRunning ||= before[at] === 1;
    }
  }
  return after;
}

function toTokens(pattern: string): Token[] {
  const tokens: Token[] = [];
  const characters = Array.from(pattern);
  for (let at = 0; at < characters.length; at++) {
    const character = characters[at] as string;
    if (character === "\\" && at + 1 < characters.length) tokens.push({ kind: "text", text: characters[++at] as string });
    else if (character === "?") tokens.push({ kind: "one" });
    else if (character !== "*") tokens.push({ kind: "text", text: character });
    else if (characters[at + 1] !== "*") tokens.push({ kind: "some" });
    else {
      const isWhole = characters[at + 2] === "/" && (at === 0 || characters[at - 1] === "/");
      tokens.push({ kind: isWhole ? "folders" : "any" });
      at += isWhole ? 2 : 1;
    }
  }
  return tokens;
}

/** The pattern that only this text matches. */
export const toLiteralGlob = (text: string): string => text.replaceAll(/[\\*?]/g, "\\$&");
