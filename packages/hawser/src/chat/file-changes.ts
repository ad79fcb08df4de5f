// What changes in files, for a terminal: a count of lines for the card of a tool, and every line that goes or comes for a question.

import type { TurnEvent } from "@hawser/agent/host";
import { reveal } from "@hawser/protocol";
import { fitLine, type Paint } from "../command-line/output.ts";

export type FileDiff = NonNullable<Extract<TurnEvent, { type: "tool_result" }>["data"]["diffs"]>[number];

interface Change {
  /** The line before it, counted from 1; 0 at the beginning. */
  readonly after: number;
  readonly removed: readonly string[];
  readonly added: readonly string[];
}

/** What differs between what both texts begin and end with. */
function changeOf({ oldText = "", newText }: Pick<FileDiff, "oldText" | "newText">): Change {
  const toLines = (text: string): string[] => (text === "" ? [] : text.replace(/\n$/, "").split("\n"));
  const [old, fresh] = [toLines(oldText), toLines(newText)];
  const shorter = Math.min(old.length, fresh.length);
  let head = 0;
  while (head < shorter && old[head] === fresh[head]) head++;
  let tail = 0;
  while (tail < shorter - head && old.at(-1 - tail) === fresh.at(-1 - tail)) tail++;
  return { after: head, removed: old.slice(head, old.length - tail), added: fresh.slice(head, fresh.length - tail) };
}

const maxPathChars = 200;

/** One line: the file, and how many lines go and come. */
export function summarizeDiff(diff: FileDiff): string {
  const { removed, added } = changeOf(diff);
  return `${diff.path}  +${added.length} −${removed.length}${diff.oldText === undefined ? ", a new file" : ""}`;
}

const maxShownLines = 40;

/** With the numbers of its lines; `isWhole`: however many they are. */
export function showDiff(diff: FileDiff, paint: Paint, isWhole: boolean): string {
  const { after, removed, added } = changeOf(diff);
  const number = (at: number): string => String((diff.line ?? 1) + after + at).padStart(6);
  const rows = [
    ...removed.map((line, at) => paint("red", `${number(at)} − ${reveal(line)}`)),
    ...added.map((line, at) => paint("green", `${number(at)} + ${reveal(line)}`)),
  ];
  const shown = isWhole ? rows : rows.slice(0, maxShownLines);
  const left = rows.length - shown.length;
  const more = left > 0 ? [paint("yellow", `… ${left} more lines; v and Enter shows them`)] : [];
  const head = `${diff.oldText === undefined ? "new file" : "change in"} ${fitLine(diff.path, maxPathChars)}`;
  return [paint("cyan", head), ...shown, ...more].map((line) => `    ${line}\n`).join("");
}
