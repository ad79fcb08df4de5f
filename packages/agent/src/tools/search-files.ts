// `search_files`: the lines of text files that contain a text or match a regular expression. Bounded in
// matches, bytes and time; what was left out is said. Binary and large files are passed over.

import { constants } from "node:fs";
import { defineTool, HawserError, limits, type Tool } from "@hawser/wire";
import { matchesGlob } from "./files/glob.ts";
import { openEntry, openFolder, openInside, resolveExisting, type OpenedFile } from "./files/open-inside.ts";
import { readWholeText } from "./files/read-text.ts";
import type { Roots } from "./files/roots.ts";
import { createWalk } from "./files/walk-tree.ts";
import { createMatcher, type Matcher } from "./line-matcher.ts";

interface Search {
  readonly path: string;
  readonly glob: string | undefined;
  readonly signal: AbortSignal;
}

interface Match {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

export function createSearchFiles(roots: Roots): Tool {
  return defineTool({
    name: "search_files",
    description:
      "Searches text files below a folder and returns the lines that match, with path and line number. " +
      "`pattern` is taken literally unless `regex` is true (JavaScript syntax, line by line). " +
      `Passes over .git, node_modules, binary files and files over ${limits.searchedFileBytes} bytes. At most ${limits.foundEntries} lines.`,
    input: {
      type: "object",
      properties: {
        pattern: { type: "string", minLength: 1, maxLength: limits.searchPatternChars, description: "What to look for." },
        path: { type: "string", description: "The folder or file to search, relative to the root folder. Default: the root folder." },
        regex: { type: "boolean", description: "`pattern` is a regular expression. Default: false." },
        ignoreCase: { type: "boolean", description: "Upper and lower case are the same. Default: false." },
        glob: { type: "string", maxLength: limits.permissionPatternChars, description: "Only these files, such as `**/*.ts`." },
      },
      required: ["pattern"],
      additionalProperties: false,
    },
    annotations: { title: "Search files", readOnlyHint: true, openWorldHint: false },
    run: async (args, { signal }) => {
      signal.throwIfAborted();
      const { pattern, path = ".", glob } = args as { pattern: string; path?: string; glob?: string };
      const matcher = createMatcher({ pattern, isRegex: args["regex"] === true, ignoreCase: args["ignoreCase"] === true, signal });
      try {
        return await searchFiles(roots, matcher, { path, glob, signal });
      } finally {
        await matcher.close();
      }
    },
  });
}

async function searchFiles(roots: Roots, matcher: Matcher, search: Search): Promise<object> {
  const startedAt = performance.now();
  const matches: Match[] = [];
  let files = 0;
  let bytes = 0;
  let passedOver = 0;
  let isCut = false;
  for await (const file of filesOf(roots, search, () => (isCut = true))) {
    try {
      bytes += Math.min(file.stats.size, limits.searchedFileBytes);
      const text = await textOf(file, search.signal);
      if (text === undefined) passedOver++;
      else {
        files++;
        const found = await matcher.find(text, limits.foundEntries - matches.length + 1);
        matches.push(...found.map((line) => ({ path: file.shown, ...line })));
      }
    } finally {
      await file.handle.close();
    }
    const isOver = matches.length > limits.foundEntries || bytes > limits.searchedBytes || performance.now() - startedAt > limits.searchMs;
    if (!isOver) continue;
    isCut = true;
    break;
  }
  return {
    matches: matches.slice(0, limits.foundEntries),
    searchedFiles: files,
    ...(passedOver > 0 && { passedOver }),
    ...(isCut && { truncated: true }),
  };
}

async function* filesOf(roots: Roots, { path, glob, signal }: Search, onCut: () => void): AsyncGenerator<OpenedFile> {
  const real = await resolveExisting(roots, path);
  const folder = await openFolder(roots, real).catch((error: unknown) => {
    if (roots.rootOf(real) === real) throw error;
  });
  if (!folder) {
    yield await openInside(roots, path);
    return;
  }
  try {
    const walk = createWalk(roots, folder, { recursive: true, signal });
    for await (const { folder: place, name, way, isFile } of walk.entries()) {
      if (!isFile || (glob !== undefined && !matchesGlob(glob, way))) continue;
      // Gone since it was named, or not to be read: no reason to fail a whole search.
      const file = await openEntry(roots, place, name, constants.O_RDONLY).catch(onCut);
      if (file) yield file;
    }
    if (walk.isCut) onCut();
  } finally {
    await folder.close();
  }
}

/** Undefined for what is no text, or too much. */
async function textOf(file: OpenedFile, signal: AbortSignal): Promise<string | undefined> {
  if (file.stats.size > limits.searchedFileBytes) return undefined;
  try {
    return await readWholeText(file, limits.searchedFileBytes, signal);
  } catch (error) {
    if (signal.aborted || !HawserError.isInstance(error)) throw error;
    return undefined;
  }
}
