// What a call would change in files, for the question about it: made from the file as it is when it is asked, and only for the user. A
// tool that can tell it registers how; it opens nothing but what the decision was bound to.

import type { Tool } from "@hawser/tools";
import type { Permit } from "./permit.ts";

/** What a part of a file holds now, and what it would hold. */
interface ForeseenChange {
  readonly path: string;
  readonly oldText: string;
  readonly newText: string;
  /** The number of the first line of both. */
  readonly line: number;
}

/** Throws where the call would fail, or where it can't be told. */
type Preview = (args: Readonly<Record<string, unknown>>, permit: Permit | undefined, signal: AbortSignal) => Promise<ForeseenChange>;

const previews = new WeakMap<object, Preview>();

export function withPreview<Definition extends object>(tool: Definition, preview: Preview): Definition {
  previews.set(tool, preview);
  return tool;
}

/** Nothing where there is nothing that could be told: the arguments are shown instead. */
export async function previewOf(tool: Tool, ...call: Parameters<Preview>): Promise<readonly ForeseenChange[]> {
  const diff = await previews
    .get(tool)?.(...call)
    .catch(() => undefined);
  return diff ? [diff] : [];
}
