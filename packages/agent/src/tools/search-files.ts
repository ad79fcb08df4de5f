// `search_files`: the lines of text files that contain a text or match a regular expression. Several files are read at
// once; the answer is in the order of their names. Bounded in matches, bytes and time. What was not searched is said:
// files that the rules keep back, that are too large, no text or can't be read, and what was not reached.

import { lstat } from "node:fs/promises";
import { defineTool, type Tool } from "@hawser/tools";
import { agentLimits } from "../limits.ts";
import { createGlob } from "./files/glob.ts";
import { createLeftOut, someOf } from "./files/left-out.ts";
import { openFolderInside, openInside, resolveExisting } from "./files/open-inside.ts";
import { permitOf, type Permit } from "./files/permit.ts";
import type { Roots } from "./files/roots.ts";
import { beginText, textOfEntry, wholeText, type SearchedText } from "./files/searched-text.ts";
import { createWalk, type Entry, type Walk } from "./files/walk-tree.ts";
import { createMatcher, type FoundLine, type Matcher } from "./line-matcher.ts";
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
  await using folder = await openFolderInside(roots, path, permit);
  const wants = glob === undefined ? undefined : createGlob(glob);
  const walk = createWalk(roots, folder, { recursive: true, signal, permit, leftOut: tally.leftOut, wants });
  for await (const searched of inOrder(filesOf(walk, tally), search)) {
    tally.add(searched.kind === "large" ? await toSearched(searched, search) : searched);
    if (tally.bound() !== undefined) break;
  }
  return tally.result(walk);
}

async function* filesOf(walk: Walk, tally: Tally): AsyncGenerator<Entry> {
  for await (const entry of walk.entries()) {
    if (entry.kind === "file") tally.begin();
    if (tally.bound() !== undefined) return;
    if (entry.kind === "other") tally.leftOut.count("notRegular");
    if (entry.kind === "file") yield entry;
  }
}

async function toSearched(text: SearchedText, { matcher, signal }: Search): Promise<Searched> {
  const whole = text.kind === "large" ? await wholeText(text.file, signal) : text;
  if (whole.kind !== "text") return whole;
  const { shown, bytes } = whole;
  // One more than an answer has room for says that there are more.
  return { kind: "text", shown, bytes, found: await matcher.find(whole.text, agentLimits.foundEntries + 1) };
}

type LargeText = Extract<SearchedText, { kind: "large" }>;

/** Several files ahead of the one whose turn it is. A large one waits for its turn: what is held for those ahead is bounded. */
async function* inOrder(entries: AsyncGenerator<Entry>, search: Search): AsyncGenerator<Searched | LargeText> {
  const begun: Promise<Searched | LargeText>[] = [];
  async function begin(entry: Entry): Promise<Searched | LargeText> {
    const text = await textOfEntry(search.roots, entry, search.signal);
    return text.kind === "large" ? text : toSearched(text, search);
  }
  let isAtEnd = false;
  try {
    for (;;) {
      while (!isAtEnd && begun.length < agentLimits.searchAheadEntries) {
        const next = await entries.next();
        isAtEnd = next.done === true;
        if (next.done) break;
        const work = begin(next.value);
        // A failure is seen when its turn comes; until then it must not count as unhandled.
        work.catch(() => {});
        begun.push(work);
      }
      const first = begun.shift();
      if (!first) return;
      yield await first;
    }
  } finally {
    for (const work of begun) {
      const unused = await work.catch(() => undefined);
      if (unused?.kind === "large") await unused.file.handle.close();
    }
    await entries.return(undefined);
  }
}

/** What was found in one file, or why it was not searched. */
type Searched =
  | { readonly kind: "text"; readonly shown: string; readonly bytes: number; readonly found: readonly FoundLine[] }
  | Extract<SearchedText, { kind: "notText" | "tooLarge" | "unreadable" }>;

type Tally = ReturnType<typeof createTally>;

/** The outcome of a search, and its bounds: matches, bytes and time. */
function createTally() {
  const startedAt = performance.now();
  const leftOut = createLeftOut();
  const matches: (FoundLine & { readonly path: string })[] = [];
  let [begun, taken, files, bytes] = [0, 0, 0, 0];
  let after: string | undefined;

  /** Why there must be an end now. */
  function bound(): string | undefined {
    if (matches.length > agentLimits.foundEntries) return `there are more than ${agentLimits.foundEntries} matching lines`;
    if (bytes > agentLimits.searchedBytes) return `${agentLimits.searchedBytes} bytes were read`;
    if (performance.now() - startedAt > agentLimits.searchMs) return `${agentLimits.searchMs / 1000} seconds are over`;
    return undefined;
  }

  function notReached(walk: Walk | undefined): object {
    const rest = walk?.notReached();
    return {
      ...(after !== undefined && { after }),
      files: begun - taken + (rest?.files ?? 0),
      folders: someOf(rest?.folders ?? []),
    };
  }

  return {
    leftOut,
    /** A file is being read ahead. */
    begin: (): void => void begun++,
    add(searched: Searched): void {
      taken++;
      bytes += searched.bytes;
      if (searched.kind !== "text") return leftOut.count(searched.kind);
      files++;
      after = searched.shown;
      matches.push(...searched.found.map((line) => ({ path: searched.shown, ...line })));
    },
    bound,
    result(walk?: Walk): object {
      const stopped = bound() ?? (walk?.isCut ? `${agentLimits.walkedEntries} names were looked at` : undefined);
      return {
        matches: matches.slice(0, agentLimits.foundEntries),
        searchedFiles: files,
        ...leftOut.member(),
        ...((stopped !== undefined || leftOut.hasFailures) && { truncated: true }),
        ...(stopped !== undefined && { stopped, notReached: notReached(walk) }),
      };
    },
  };
}
