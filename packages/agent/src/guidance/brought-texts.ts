// What a folder would tell the model once it is trusted, for the question about that: each file with its beginning, each skill with what it
// says of itself. The user sees it before it counts.

import { existsSync } from "node:fs";
import { relative } from "node:path";
import type { Brought } from "../question-lines.ts";
import { createGuidance } from "./guidance.ts";
import { textPathsIn } from "./guidance-places.ts";
import { projectFolders } from "./project-folders.ts";

/** Whether there is anything of the kind. Opens nothing. */
export const bringsTexts = (root: string): boolean =>
  projectFolders(root)
    .flatMap(textPathsIn)
    .some((path) => existsSync(path));

/** One for each, and one for each that would be left out. They may hold anything, and be long. */
export async function describeTexts(root: string): Promise<Brought[]> {
  const own = { instructions: [], skills: [] };
  const guidance = createGuidance({ own, roots: [{ folder: root, isTrusted: true }], rulingOn: () => undefined });
  await guidance.refresh();
  const { skills = [], leftOut = [] } = guidance.status();
  const show = (path: string): string => relative(root, path);
  return [
    ...guidance
      .instructions()
      .map(({ path, text, bytes }) => ({ heading: `instructions for the model in ${show(path)}, ${bytes} bytes`, text })),
    ...skills.map(({ name, description, path }) => ({ heading: `the skill ${name} in ${show(path)}`, text: description })),
    ...leftOut.map(({ path, reason }) => `not used: ${show(path)}: ${reason}`),
  ];
}
