// A message may be longer than a line: its parts then come in several, each with the same `messageId`.

import type { ConversationMessage } from "@hawser/wire";

/** Every message once, with all of its parts; what a later line says about it counts. */
export function joinMessages(pieces: readonly ConversationMessage[]): ConversationMessage[] {
  const joined: ConversationMessage[] = [];
  for (const piece of pieces) {
    const last = joined.at(-1);
    if (last?.messageId !== piece.messageId) joined.push({ ...piece, parts: [...piece.parts] });
    else joined[joined.length - 1] = { ...last, ...piece, parts: joinParts(last.parts, piece.parts) };
  }
  return joined;
}

// A text that was cut in two is one text again: the runtime never writes two of them in a row otherwise.
function joinParts(before: ConversationMessage["parts"], more: ConversationMessage["parts"]): ConversationMessage["parts"] {
  const [first, ...rest] = more;
  const last = before.at(-1);
  if (last?.type !== "text" || first?.type !== "text") return [...before, ...more];
  return [...before.slice(0, -1), { ...last, text: last.text + first.text }, ...rest];
}
