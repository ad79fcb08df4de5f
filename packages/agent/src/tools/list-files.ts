// `list_files`: the names in a folder, sorted; folders end with `/`. Names that the rules of the permissions deny,
// or ask about, are left out and counted.

import { defineTool, type Tool, type ToolContext } from "@hawser/tools";
import { agentLimits } from "../limits.ts";
import { createLeftOut } from "./files/left-out.ts";
import { openFolderInside } from "./files/open-inside.ts";
import { permitOf } from "./files/permit.ts";
import type { Roots } from "./files/roots.ts";
import { createWalk } from "./files/walk-tree.ts";
import { toolNames } from "./tool-table.ts";

export function createListFiles(roots: Roots): Tool {
  return defineTool({
    name: toolNames.listFiles,
    description:
      "Lists the files in a folder, sorted; names of folders end with `/`. " +
      "With `recursive`, also what is in the folders below, except in .git and node_modules. " +
      `At most ${agentLimits.listedEntries} names; \`truncated\` says that there are more. Names are relative to \`path\`. ` +
      "`leftOut` counts names that the user's rules deny (`denied`) or that the user would have to be asked about (`needApproval`).",
    input: {
      type: "object",
      properties: {
        path: { type: "string", description: "The folder, relative to the root folder. Default: the root folder." },
        recursive: { type: "boolean", description: "Also the folders below. Default: false." },
      },
      additionalProperties: false,
    },
    annotations: { title: "List files", readOnlyHint: true, openWorldHint: false },
    run: (args, context) => listNames(roots, args, context),
  });
}

/** The names in a folder, in order, as many as an answer takes. */
export async function listNames(roots: Roots, args: Readonly<Record<string, unknown>>, context: ToolContext) {
  const { path = ".", recursive = false } = args as { path?: string; recursive?: boolean };
  const { signal } = context;
  const permit = permitOf(context);
  signal.throwIfAborted();
  await using folder = await openFolderInside(roots, path, permit);
  const leftOut = createLeftOut();
  const walk = createWalk(roots, folder, { recursive, signal, permit, leftOut });
  const files: string[] = [];
  let isFull = false;
  for await (const { way } of walk.entries()) {
    isFull = files.length >= agentLimits.listedEntries;
    if (isFull) break;
    files.push(way);
  }
  return {
    path: roots.show(folder.path),
    files,
    ...leftOut.member(),
    ...((isFull || walk.isCut || leftOut.hasFailures) && { truncated: true }),
    ...(walk.unnamed > 0 && { unnamed: walk.unnamed, note: "Names that are not UTF-8 are left out." }),
  };
}
