// `edit_file`: replaces one piece of text in a file, which must be there exactly once, or all of them when
// that is asked for. The rest of the file stays byte for byte: its line ends, its mark at the beginning.

import { defineTool, type Tool } from "@hawser/tools";
import { HawserError } from "@hawser/protocol";
import { agentLimits } from "../limits.ts";
import { occurrencesOf, separateOccurrences } from "./files/occurrences.ts";
import { openInside } from "./files/open-inside.ts";
import { permitOf, type Permit } from "./files/permit.ts";
import { withPreview } from "./files/preview.ts";
import { changesOneFile } from "./files/reach.ts";
import { readWholeText } from "./files/read-text.ts";
import { changesFiles, replaceFile } from "./files/replace-file.ts";
import type { Roots } from "./files/roots.ts";
import { toolNames } from "./tool-table.ts";

interface Edit {
  readonly oldText: string;
  readonly newText: string;
  readonly replaceAll: boolean;
}

/** Lines around a change that a question shows, too. */
const neighbours = 3;

export function createEditFile(roots: Roots): Tool {
  async function openEdit(args: Readonly<Record<string, unknown>>, permit: Permit | undefined, signal: AbortSignal) {
    const path = String(args["path"]);
    const edit = { oldText: String(args["oldText"]), newText: String(args["newText"]), replaceAll: args["replaceAll"] === true };
    signal.throwIfAborted();
    if (edit.oldText === "") throw refused("oldText is empty; to make a file or replace all of it, use write_file");
    if (edit.oldText === edit.newText) throw refused("oldText and newText are the same; nothing would change");
    const file = await openInside(roots, path, permit);
    try {
      const text = await readWholeText(file, agentLimits.writtenFileBytes, signal);
      return { path, file, text, ...applyEdit(text, withLineEndsOf(text, edit), file.shown) };
    } catch (error) {
      await file[Symbol.asyncDispose]();
      throw error;
    }
  }

  const tool = defineTool({
    name: toolNames.editFile,
    description:
      "Replaces text in a file. `oldText` must occur exactly once, character for character, with its white space; " +
      "give enough lines around it to make it unique, or `replaceAll`. Read the file first.",
    input: {
      type: "object",
      properties: {
        path: { type: "string", description: "The file, relative to the root folder." },
        oldText: { type: "string", minLength: 1, description: "The text as it is in the file." },
        newText: { type: "string", description: "What takes its place; empty removes it." },
        replaceAll: { type: "boolean", description: "Replace every occurrence. Default: false." },
      },
      required: ["path", "oldText", "newText"],
      additionalProperties: false,
    },
    annotations: { title: "Edit file", readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
    exclusiveGroup: changesFiles,
    async run(args, context) {
      const { signal } = context;
      const permit = permitOf(context);
      const { path, file, text, result, replacements, first } = await openEdit(args, permit, signal);
      await using _ = file;
      const { shown, bytes } = await replaceFile(roots, path, { text: result, signal, madeFrom: file.stats, permit });
      return { path: shown, replacements, bytes, line: lineAt(text, first) };
    },
  });
  return withPreview(changesOneFile(tool), async (args, permit, signal) => {
    const { file, ...edited } = await openEdit(args, permit, signal);
    await using _ = file;
    return { path: file.shown, ...partOf(edited) };
  });
}

const lineAt = (text: string, at: number): number => text.slice(0, at).split("\n").length;

interface Edited {
  readonly text: string;
  readonly result: string;
  /** Where the first replacement begins, and where the last one ends in the text before. */
  readonly first: number;
  readonly last: number;
}

/** The lines from the first change to the last one, with their neighbours, before and after. */
function partOf({ text, result, first, last }: Edited) {
  let start = first;
  for (let line = 0; line <= neighbours && start >= 0; line++) start = start === 0 ? -1 : text.lastIndexOf("\n", start - 1);
  let end = last;
  // The lines behind count from the end of the one in which the change ends, which it may have taken with it.
  const isLineEnd = text[last - 1] === "\n";
  for (let line = isLineEnd ? 1 : 0; line <= neighbours && end < text.length; line++) end = text.indexOf("\n", end) + 1 || text.length;
  const from = start + 1;
  // A file with the line ends of another system is shown by its lines: each of them keeps its end.
  const shown = (part: string): string => (isWithReturns(text) ? part.replaceAll("\r\n", "\n") : part);
  const parts = { oldText: shown(text.slice(from, end)), newText: shown(result.slice(from, result.length - (text.length - end))) };
  if (parts.oldText.length + parts.newText.length > agentLimits.agentDiffChars) throw refused("too much to be shown beside each other");
  return { ...parts, line: lineAt(text, from) };
}

function applyEdit(text: string, { oldText, newText, replaceAll }: Edit, shown: string): Omit<Edited, "text"> & { replacements: number } {
  const places = replaceAll ? separateOccurrences(oldText, text) : [...occurrencesOf(oldText, text)];
  if (places.length === 0)
    throw refused(`oldText does not occur in ${shown}; read the file and copy the text exactly, with its white space`);
  if (places.length > 1 && !replaceAll) {
    throw refused(`oldText occurs ${places.length} times in ${shown}; give more of the text around it, or replaceAll`);
  }
  if (text.length + places.length * (newText.length - oldText.length) > agentLimits.writtenFileBytes) {
    throw refused(`${shown} would become larger than ${agentLimits.writtenFileBytes} bytes`);
  }
  const parts: string[] = [];
  let from = 0;
  for (const at of places) {
    parts.push(text.slice(from, at), newText);
    from = at + oldText.length;
  }
  return { result: parts.join("") + text.slice(from), replacements: places.length, first: places[0] ?? 0, last: from };
}

const isWithReturns = (text: string): boolean => text.includes("\r\n") && !/(?<!\r)\n/.test(text);

/** Models write `\n`; in a file that has only `\r\n`, that is what is meant. */
function withLineEndsOf(text: string, edit: Edit): Edit {
  if (!isWithReturns(text)) return edit;
  const adapt = (part: string): string => part.replaceAll(/\r?\n/g, "\r\n");
  return { ...edit, oldText: adapt(edit.oldText), newText: adapt(edit.newText) };
}

const refused = (message: string): HawserError => new HawserError("tool_failed", message);
