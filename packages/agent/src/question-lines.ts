// What a folder brings along, as the question about it shows it: nothing hidden, bounded. A text keeps its lines, which are indented: none
// of them passes for another thing that the folder brings.

import { cutText, reveal } from "@hawser/protocol/internal";
import { agentLimits } from "./limits.ts";

/** A fact, or a text that the model would be told. */
export type Brought = string | { readonly heading: string; readonly text: string };

const shownChars = 1_000;
const indent = "    ";

export function toQuestionLines(things: readonly Brought[]): string[] {
  const shown = things.slice(0, agentLimits.trustQuestionEntries).map((thing) => cutText(toLine(thing), shownChars));
  return things.length > shown.length ? [...shown, `${things.length - shown.length} more`] : shown;
}

function toLine(thing: Brought): string {
  if (typeof thing === "string") return onOneLine(thing);
  const lines = reveal(thing.text.toWellFormed().replaceAll("\r\n", "\n").trimEnd()).split("\n");
  const heading = onOneLine(thing.heading);
  return lines.length === 1 ? `${heading}: ${lines.join("")}` : [`${heading}:`, ...lines.map((line) => indent + line)].join("\n");
}

/** Also ends of lines: in a command they are none. */
const onOneLine = (text: string): string => reveal(text.toWellFormed()).replaceAll("\r", "⟨U+000D⟩").replaceAll("\n", "⟨U+000A⟩");
