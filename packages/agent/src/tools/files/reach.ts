// What a call of a tool may change in files, for undo: tools of ours that change the one file of their `path`, and all others, which may
// change anything.

import type { Tool } from "@hawser/tools";

const ofOneFile = new WeakSet<object>();

/** The tool changes nothing but the file that its argument `path` names, and makes the folders above it. */
export function changesOneFile<Definition extends object>(tool: Definition): Definition {
  ofOneFile.add(tool);
  return tool;
}

export const reachOf = (tool: Tool, args: Readonly<Record<string, unknown>>): { readonly path: string } | "anything" =>
  ofOneFile.has(tool) ? { path: String(args["path"]) } : "anything";
