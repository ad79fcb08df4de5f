// What a model or an agent thinks, on its way to the host and into the history: in whole characters, in pieces that fit on a line, and
// bounded for the whole turn.

import { createWholeCharacters, splitText, type MessagePart, type ResponseBody } from "@hawser/protocol/internal";
import { agentLimits } from "../limits.ts";
import { checkTurnBytes } from "./spoken-text.ts";

export interface ThoughtTextOptions {
  /** Counts for all thoughts of a turn. */
  readonly totals: { thoughtBytes: number };
  /** What was not handed over to the history yet, in order. */
  readonly parts: MessagePart[];
  emit(event: ResponseBody): Promise<void>;
  /** Takes over what has come so far; a thought that goes on continues the last one. */
  keep(parts: readonly MessagePart[]): Promise<void>;
}

export function createThoughtText({ totals, parts, emit, keep }: ThoughtTextOptions) {
  const characters = createWholeCharacters();

  async function think(text: string): Promise<void> {
    if (text === "") return;
    totals.thoughtBytes += Buffer.byteLength(text);
    checkTurnBytes(totals.thoughtBytes);
    for (const piece of splitText(text, agentLimits.agentTokenChars)) {
      const last = parts.at(-1);
      if (last?.type === "reasoning") last.text += piece;
      else parts.push({ type: "reasoning", text: piece });
      await emit({ type: "reasoning", data: { text: piece } });
      if ((last?.type === "reasoning" ? last.text : piece).length >= agentLimits.agentTokenChars) await keep(parts.splice(0));
    }
  }

  return {
    /** Throws `too_large` when the turn has thought too much. */
    push: (text: string): Promise<void> => think(characters.push(text)),
    /** Something else follows. */
    end: (): Promise<void> => think(characters.end()),
  };
}
