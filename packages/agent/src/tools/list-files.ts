// `list_files`: the names in a folder, sorted; folders end with `/`.

import { defineTool, limits, type Tool } from "@hawser/wire";
import { openFolder, resolveExisting } from "./files/open-inside.ts";
import type { Roots } from "./files/roots.ts";
import { createWalk } from "./files/walk-tree.ts";

export function createListFiles(roots: Roots): Tool {
  return defineTool({
    name: "list_files",
    description:
      "Lists the files in a folder, sorted; names of folders end with `/`. " +
      "With `recursive`, also what is in the folders below, except in .git and node_modules. " +
      `At most ${limits.listedEntries} names; \`truncated\` says that there are more. Names are relative to \`path\`.`,
    input: {
      type: "object",
      properties: {
        path: { type: "string", description: "The folder, relative to the root folder. Default: the root folder." },
        recursive: { type: "boolean", description: "Also the folders below. Default: false." },
      },
      additionalProperties: false,
    },
    annotations: { title: "List files", readOnlyHint: true, openWorldHint: false },
    run: (args, { signal }) => {
      const { path = ".", recursive = false } = args as { path?: string; recursive?: boolean };
      return listFiles(roots, path, { recursive, signal });
    },
  });
}

async function listFiles(roots: Roots, path: string, options: { recursive: boolean; signal: AbortSignal }): Promise<object> {
  options.signal.throwIfAborted();
  const folder = await openFolder(roots, await resolveExisting(roots, path));
  try {
    const walk = createWalk(roots, folder, options);
    const files: string[] = [];
    let isFull = false;
    for await (const { way } of walk.entries()) {
      isFull = files.length >= limits.listedEntries;
      if (isFull) break;
      files.push(way);
    }
    return {
      path: roots.show(folder.path),
      files,
      ...((isFull || walk.isCut) && { truncated: true }),
      ...(walk.unnamed > 0 && { unnamed: walk.unnamed, note: "Names that are not UTF-8 are left out." }),
    };
  } finally {
    await folder.close();
  }
}
