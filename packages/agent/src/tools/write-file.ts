// `write_file`: makes a file or replaces its whole content.

import { defineTool, HawserError, limits, type Tool } from "@hawser/wire";
import { replaceFile } from "./files/replace-file.ts";
import type { Roots } from "./files/roots.ts";

/** Tools that change files run one after the other: none works on what another is about to replace. */
export const changesFiles = "files";

export function createWriteFile(roots: Roots): Tool {
  return defineTool({
    name: "write_file",
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
    run: (args, { signal }) => writeFile(roots, String(args["path"]), String(args["content"]), signal),
  });
}

async function writeFile(roots: Roots, path: string, text: string, signal: AbortSignal): Promise<object> {
  signal.throwIfAborted();
  const content = toBytes(text);
  const { shown, isNew } = await replaceFile(roots, path, { content, signal });
  return { path: shown, bytes: content.length, created: isNew };
}

/** Text as it goes to disk: nothing is replaced in silence. */
export function toBytes(text: string): Buffer {
  if (!text.isWellFormed()) {
    throw new HawserError("invalid_arguments", "the text contains half a character (a lone surrogate); send well-formed text");
  }
  const bytes = Buffer.from(text);
  if (bytes.length <= limits.writtenFileBytes) return bytes;
  throw new HawserError("invalid_arguments", `${bytes.length} bytes; a file of at most ${limits.writtenFileBytes} can be written`);
}
