// What a call would change in files, for the question about it: made from the file as it is when it is asked, and only for the user. A
// tool that can tell it registers how; it opens nothing but what the decision was bound to.

import type { Tool } from "@hawser/tools";
import type { FileDiff } from "../../model/turn-agent.ts";
import type { Permit } from "./permit.ts";

/** Throws where the call would fail, or where it can't be told. */
type Preview = (args: Readonly<Record<string, unknown>>, permit: Permit | undefined, signal: AbortSignal) => Promise<FileDiff>;

const previews = new WeakMap<object, Preview>();

export function withPreview<Definition extends object>(tool: Definition, preview: Preview): Definition {
  previews.set(tool, preview);
  return tool;
}

/** Nothing where there is nothing that could be told: the arguments are shown instead. */
export async function previewOf(tool: Tool, ...call: Parameters<Preview>): Promise<readonly FileDiff[]> {
  const diff = await previews
    .get(tool)?.(...call)
    .catch(() => undefined);
  return diff ? [diff] : [];
}
