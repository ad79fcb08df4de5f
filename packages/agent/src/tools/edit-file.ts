// `edit_file`: replaces one piece of text in a file, which must be there exactly once, or all of them when
// that is asked for. The rest of the file stays byte for byte: its line ends, its mark at the beginning.

import { defineTool, type Tool } from "@hawser/tools";
import { HawserError } from "@hawser/protocol";
import { agentLimits } from "../limits.ts";
import { occurrencesOf, separateOccurrences } from "./files/occurrences.ts";
import { openInside } from "./files/open-inside.ts";
import { permitOf } from "./files/permit.ts";
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

export function createEditFile(roots: Roots): Tool {
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
      const path = String(args["path"]);
      const edit = { oldText: String(args["oldText"]), newText: String(args["newText"]), replaceAll: args["replaceAll"] === true };
      const { signal } = context;
      const permit = permitOf(context);
      signal.throwIfAborted();
      if (edit.oldText === "") throw refused("oldText is empty; to make a file or replace all of it, use write_file");
      if (edit.oldText === edit.newText) throw refused("oldText and newText are the same; nothing would change");
      await using file = await openInside(roots, path, permit);
      const text = await readWholeText(file, agentLimits.writtenFileBytes, signal);
      const { result, replacements } = applyEdit(text, withLineEndsOf(text, edit), file.shown);
      const { shown, bytes } = await replaceFile(roots, path, { text: result, signal, madeFrom: file.stats, permit });
      return { path: shown, replacements, bytes };
    },
  });
  return changesOneFile(tool);
}

function applyEdit(text: string, { oldText, newText, replaceAll }: Edit, shown: string): { result: string; replacements: number } {
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
  return { result: parts.join("") + text.slice(from), replacements: places.length };
}

/** Models write `\n`; in a file that has only `\r\n`, that is what is meant. */
function withLineEndsOf(text: string, edit: Edit): Edit {
  if (!text.includes("\r\n") || /(?<!\r)\n/.test(text)) return edit;
  const adapt = (part: string): string => part.replaceAll(/\r?\n/g, "\r\n");
  return { ...edit, oldText: adapt(edit.oldText), newText: adapt(edit.newText) };
}

const refused = (message: string): HawserError => new HawserError("tool_failed", message);
