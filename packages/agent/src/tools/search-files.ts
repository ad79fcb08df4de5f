// `search_files`: the lines of text files that contain a text or match a regular expression. Several files are read at
// once; the answer is in the order of their names. Bounded in matches, bytes and time. What was not searched is said:
// files that the rules keep back, that are too large, no text or can't be read, and what was not reached.

import { lstat } from "node:fs/promises";
import { defineTool, type Tool } from "@hawser/tools";
import { agentLimits } from "../limits.ts";
import { createGlob } from "./files/glob.ts";
import { openFolderInside, openInside, resolveExisting } from "./files/open-inside.ts";
import { permitOf, type Permit } from "./files/permit.ts";
import type { Roots } from "./files/roots.ts";
import { beginText, textOfEntry, wholeText, type SearchedText } from "./files/searched-text.ts";
import { createWalk, type Entry, type Walk } from "./files/walk-tree.ts";
import { createMatcher, type Matcher } from "./line-matcher.ts";
import { createTally, type Searched, type Tally } from "./search-tally.ts";
import { toolNames } from "./tool-table.ts";

interface Search {
  readonly roots: Roots;
  readonly matcher: Matcher;
  readonly path: string;
  readonly glob: string | undefined;
  readonly signal: AbortSignal;
  readonly permit: Permit | undefined;
}

export function createSearchFiles(roots: Roots): Tool {
  return defineTool({
    name: toolNames.searchFiles,
    description:
      "Searches text files below a folder and returns the lines that match, with path and line number. " +
      "`pattern` is taken literally unless `regex` is true (JavaScript syntax, line by line). " +
      `Passes over .git, node_modules, links, binary files and files over ${agentLimits.searchedFileBytes} bytes. At most ${agentLimits.foundEntries} lines. ` +
      "`leftOut` counts what was not searched, such as files that the user's rules deny (`denied`) or that the user would have to be asked about (`needApproval`). " +
      "When it ends early, `stopped` says why and `notReached` what is left: search that by `path` or `glob`.",
    input: {
      type: "object",
      properties: {
        pattern: { type: "string", minLength: 1, maxLength: agentLimits.searchPatternChars, description: "What to look for." },
        path: { type: "string", description: "The folder or file to search, relative to the root folder. Default: the root folder." },
        regex: { type: "boolean", description: "`pattern` is a regular expression. Default: false." },
        ignoreCase: { type: "boolean", description: "Upper and lower case are the same. Default: false." },
        glob: { type: "string", maxLength: agentLimits.permissionPatternChars, description: "Only these files, such as `**/*.ts`." },
      },
      required: ["pattern"],
      additionalProperties: false,
    },
    annotations: { title: "Search files", readOnlyHint: true, openWorldHint: false },
    run: async (args, context) => {
      const { signal } = context;
      signal.throwIfAborted();
      const { pattern, path = ".", glob } = args as { pattern: string; path?: string; glob?: string };
      const matcher = createMatcher({ pattern, isRegex: args["regex"] === true, ignoreCase: args["ignoreCase"] === true, signal });
      try {
        const search = { roots, matcher, path, glob, signal, permit: permitOf(context) };
        // Only to choose the way; what is opened is checked again.
        const isFile = (await lstat(await resolveExisting(roots, path))).isFile();
        return await (isFile ? searchFile(search) : searchFolder(search));
      } finally {
        await matcher.close();
      }
    },
  });
}

async function searchFile(search: Search): Promise<object> {
  const { roots, path, signal, permit } = search;
  const tally = createTally();
  const file = await openInside(roots, path, permit);
  const ruling = permit?.judge(file.path, "file") ?? "allow";
  if (ruling === "allow") tally.add(await toSearched(await beginText(file, signal), search));
  else {
    await file.handle.close();
    tally.leftOut.count(ruling === "deny" ? "denied" : "needApproval");
  }
  return tally.result();
}

async function searchFolder(search: Search): Promise<object> {
  const { roots, path, glob, signal, permit } = search;
  const tally = createTally();
  const folder = await openFolderInside(roots, path, permit);
  try {
    const wants = glob === undefined ? undefined : createGlob(glob);
    const walk = createWalk(roots, folder, { recursive: true, signal, permit, leftOut: tally.leftOut, wants });
    const texts = inOrder(filesOf(walk, tally), {
      ahead: agentLimits.searchAheadEntries,
      begin: (entry) => searchEntry(entry, search),
      drop: async (searched) => void (searched.kind === "large" && (await searched.file.handle.close())),
    });
    for await (const searched of texts) {
      tally.add(searched.kind === "large" ? await toSearched(searched, search) : searched);
      if (tally.bound() !== undefined) break;
    }
    return tally.result(walk);
  } finally {
    await folder.close();
  }
}

async function* filesOf(walk: Walk, tally: Tally): AsyncGenerator<Entry> {
  for await (const entry of walk.entries()) {
    if (tally.bound() !== undefined) return;
    if (entry.kind === "other") tally.leftOut.count("notRegular");
    if (entry.kind !== "file") continue;
    tally.begin();
    yield entry;
  }
}

/** A large one waits for its turn: what is held for those that are ahead is bounded. */
async function searchEntry(entry: Entry, search: Search): Promise<Searched | Extract<SearchedText, { kind: "large" }>> {
  const text = await textOfEntry(search.roots, entry, search.signal);
  return text.kind === "large" ? text : toSearched(text, search);
}

async function toSearched(text: SearchedText, { matcher, signal }: Search): Promise<Searched> {
  const whole = text.kind === "large" ? await wholeText(text.file, signal) : text;
  if (whole.kind !== "text") return whole;
  const { shown, bytes } = whole;
  // One more than an answer has room for says that there are more.
  return { kind: "text", shown, bytes, found: await matcher.find(whole.text, agentLimits.foundEntries + 1) };
}

interface AheadOptions<Item, Result> {
  readonly ahead: number;
  /** Called in the order of the items, and before the next item is asked for. */
  begin(item: Item): Promise<Result>;
  drop(result: Result): Promise<void>;
}

async function* inOrder<Item, Result>(
  items: AsyncGenerator<Item>,
  { ahead, begin, drop }: AheadOptions<Item, Result>,
): AsyncGenerator<Result> {
  const begun: Promise<Result>[] = [];
  let isAtEnd = false;
  try {
    for (;;) {
      while (!isAtEnd && begun.length < ahead) {
        const next = await items.next();
        isAtEnd = next.done === true;
        if (!next.done) begun.push(settleLater(begin(next.value)));
      }
      const first = begun.shift();
      if (!first) return;
      yield await first;
    }
  } finally {
    for (const result of begun) await result.then(drop, () => {});
    await items.return(undefined);
  }
}

/** A failure is seen when its turn comes; until then it must not count as unhandled. */
function settleLater<Result>(work: Promise<Result>): Promise<Result> {
  work.catch(() => {});
  return work;
}
