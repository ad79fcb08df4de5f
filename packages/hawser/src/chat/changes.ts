// `/changes`, `/undo` and `/redo`: what the conversation has changed in files, shown and taken back.

import { reveal, type ChangesData, type FileChange, type RevertedData } from "@hawser/protocol";
import { fitLine, paint, type Format } from "../command-line/output.ts";
import type { Session } from "./conversation-loop.ts";

const maxPathChars = 200;
const maxNoteChars = 300;
const maxDiffLines = 40;
const maxUntracked = 10;

/** With a path: only that file, and all of its lines. */
export async function showChanges({ agent, conversationId }: Session, path: string): Promise<string> {
  const { changes, untracked = [], leftOut = 0 } = await agent.listChanges(conversationId, { diff: true });
  const inForce = changes.filter((change) => !change.reverted && !change.revert && (path === "" || change.path === path));
  if (inForce.length === 0) return paint("dim", `No change of ${path === "" ? "files" : fitLine(path, maxPathChars)} is in force here.\n`);
  const rest = leftOut > 0 ? paint("yellow", `  … and ${leftOut} changes or diffs more than fit here\n`) : "";
  const shown = inForce.map((change) => showChange(change, path === "" ? maxDiffLines : Number.POSITIVE_INFINITY));
  return [
    ...shown,
    rest,
    path === "" ? showUntracked(untracked) : "",
    paint("dim", "  /undo takes the last turn back, /undo <file> one file\n"),
  ].join("");
}

function showChange({ path, change, additions, deletions, diff, binary, note }: FileChange, maxLines: number): string {
  const counts = binary ? "binary" : `+${additions} −${deletions}`;
  const head = `${paint("cyan", change.padEnd(8))} ${paint("bold", fitLine(path, maxPathChars))}  ${counts}\n`;
  const said = note === undefined ? "" : `    ${paint("yellow", fitLine(note, maxNoteChars))}\n`;
  // Its first two lines name the file, as the head does.
  const lines = diff === undefined ? [] : diff.replace(/\n$/, "").split("\n").slice(2);
  const left = lines.length - maxLines;
  const more = left > 0 ? `    ${paint("yellow", `… ${left} more lines: /changes ${fitLine(path, maxPathChars)}`)}\n` : "";
  return head + said + lines.slice(0, maxLines).map(showLine).join("") + more;
}

const formats: Readonly<Record<string, Format>> = { "+": "green", "-": "red", "@": "cyan" };

function showLine(line: string): string {
  const text = reveal(line);
  const format = formats[line.slice(0, 1)];
  return `    ${format === undefined ? text : paint(format, text)}\n`;
}

function showUntracked(untracked: NonNullable<ChangesData["untracked"]>): string {
  if (untracked.length === 0) return "";
  const named = untracked.slice(0, maxUntracked).map(({ path, reason }) => `    ${fitLine(`${path}: ${reason}`, maxNoteChars)}\n`);
  const left = untracked.length - named.length;
  return paint("dim", `  Not tracked:\n${named.join("")}${left > 0 ? `    … ${left} more\n` : ""}`);
}

/** The last turn that is in force, or one file of it. */
export async function undo({ agent, conversationId }: Session, path: string): Promise<string> {
  const { changes } = await agent.listChanges(conversationId);
  const isMeant = (change: FileChange): boolean => !change.reverted && !change.revert && (path === "" || isBelow(change.path, path));
  const last = changes.findLast(isMeant);
  if (!last)
    return paint("dim", `There is no change ${path === "" ? "" : `of ${fitLine(path, maxPathChars)} `}that could be taken back.\n`);
  return showReverted(
    await agent.revertChanges(conversationId, { requestId: last.requestId, ...(path !== "" && { paths: [path] }) }),
    (reverted) => wordsOf(changes.find((change) => change.requestId === last.requestId && change.path === reverted)),
  );
}

/** What an undo has done to a file. */
const wordsOf = (change: FileChange | undefined): string =>
  ({ created: "Removed", deleted: "There again", modified: "As before" })[change?.change ?? "modified"];

/** Takes the last undo back. */
export async function redo({ agent, conversationId }: Session): Promise<string> {
  const { changes } = await agent.listChanges(conversationId);
  const last = lastUndo(changes);
  if (!last) return paint("dim", "There is no undo that could be taken back.\n");
  return showReverted(await agent.revertChanges(conversationId, { requestId: last.requestId }), () => "Done again");
}

/** Of those that are in force. A revert of an undo is a redo, which is not an undo itself; what takes a redo back is one again. */
function lastUndo(changes: readonly FileChange[]): FileChange | undefined {
  const undos = new Set<string>();
  const found = changes.filter(({ requestId, undoes = [] }) => {
    const isUndo = undoes.some((id) => !undos.has(id));
    if (isUndo) undos.add(requestId);
    return isUndo;
  });
  return found.findLast(({ reverted }) => !reverted);
}

const isBelow = (path: string, wanted: string): boolean =>
  path === wanted || `${path}/`.startsWith(wanted.endsWith("/") ? wanted : `${wanted}/`);

function showReverted({ reverted, conflicts }: RevertedData, words: (path: string) => string): string {
  const done = reverted.map((path) => `${paint("green", "✓")} ${fitLine(path, maxPathChars)}  ${paint("dim", words(path))}\n`);
  const left = conflicts.map(
    ({ path, reason }) => `${paint("red", "✗")} ${fitLine(path, maxPathChars)}  ${fitLine(`left as it is: ${reason}`, maxNoteChars)}\n`,
  );
  return [...done, ...left].join("") || paint("dim", "There was nothing to do.\n");
}
