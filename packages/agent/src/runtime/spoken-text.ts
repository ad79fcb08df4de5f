// The text of an answer on its way to the host and into the history: in whole characters, in pieces that fit on a line,
// with a blank line after an interruption, and bounded for the whole turn. A long text is handed over while it comes, so
// that little of it is held here.

import {
  createWholeCharacters,
  HawserError,
  splitText,
  type MessagePart,
  type ResponseBody,
  type TextGap,
} from "@hawser/protocol/internal";
import { taken } from "@hawser/wire/internal";
import { agentLimits } from "../limits.ts";

export interface SpokenTextOptions {
  /** Counts for all texts of a turn. */
  readonly totals: { textBytes: number; readonly gap: TextGap };
  /** What was not handed over yet, in order. */
  readonly parts: MessagePart[];
  emit(event: ResponseBody): Promise<void>;
  /** Takes over what has come so far; a text that goes on continues the last one. */
  keep(parts: readonly MessagePart[]): Promise<void>;
}

export function createSpokenText({ totals, parts, emit, keep }: SpokenTextOptions) {
  const characters = createWholeCharacters();

  function say(text: string): Promise<void> {
    if (text === "") return taken;
    // For those who join the tokens; the history keeps what the model said.
    const token = totals.gap.before(text);
    return token === "" ? sayWords(text) : emit({ type: "token", token }).then(() => sayWords(text));
  }

  function sayWords(text: string): Promise<void> {
    if (text.length > agentLimits.agentTokenChars) return sayLongText(text);
    totals.textBytes += Buffer.byteLength(text);
    checkTurnBytes(totals.textBytes);
    const last = parts.at(-1);
    if (last?.type !== "text") parts.push({ type: "text", text });
    else {
      last.text += text;
      if (last.text.length > agentLimits.agentTokenChars) return emit({ type: "token", token: text }).then(() => keep(parts.splice(0)));
    }
    return emit({ type: "token", token: text });
  }

  async function sayLongText(text: string): Promise<void> {
    for (const piece of splitText(text, agentLimits.agentTokenChars)) await sayWords(piece);
  }

  return {
    /** Throws `too_large` when the turn's text is too long. */
    push: (text: string): Promise<void> => say(characters.push(text)),
    /** Half a character at the end belongs to what was said before a failure, whether the host can still be told or not. */
    end: async (): Promise<void> => say(characters.end()),
  };
}

export function checkTurnBytes(bytes: number): void {
  if (bytes > agentLimits.agentTurnBytes)
    throw new HawserError("too_large", `the answer is longer than ${agentLimits.agentTurnBytes} bytes; ask for less`);
}
