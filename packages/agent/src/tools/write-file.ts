// `write_file`: makes a file or replaces its whole content.

import { defineTool, type Tool } from "@hawser/tools";
import { permitOf } from "./files/permit.ts";
import { changesFiles, replaceFile } from "./files/replace-file.ts";
import { changesOneFile } from "./files/reach.ts";
import type { Roots } from "./files/roots.ts";
import { toolNames } from "./tool-table.ts";

export function createWriteFile(roots: Roots): Tool {
  const tool = defineTool({
    name: toolNames.writeFile,
    description:
      "Writes a text file: makes it, with the folders above it, or replaces its whole content. " +
      "To change a part of a file, use edit_file. A reader sees the old content or the new, never a mixture.",
    input: {
      type: "object",
      properties: {
        path: { type: "string", description: "The file, relative to the root folder." },
        content: { type: "string", description: "The whole new content." },
      },
      required: ["path", "content"],
      additionalProperties: false,
    },
    annotations: { title: "Write file", readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
    exclusiveGroup: changesFiles,
    async run(args, context) {
      const { signal } = context;
      signal.throwIfAborted();
      const replacement = { text: String(args["content"]), signal, permit: permitOf(context) };
      const { shown, bytes, isNew } = await replaceFile(roots, String(args["path"]), replacement);
      return { path: shown, bytes, created: isNew };
    },
  });
  return changesOneFile(tool);
}
