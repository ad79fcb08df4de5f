// The outcome of a search: the lines that match, how many files were searched, what was left out, and where and why
// it stopped. It holds the bounds: matches, bytes and time.

import { agentLimits } from "../limits.ts";
import { createLeftOut, someOf, type LeftOut } from "./files/left-out.ts";
import type { SearchedText } from "./files/searched-text.ts";
import type { Walk } from "./files/walk-tree.ts";
import type { FoundLine } from "./line-matcher.ts";

/** What was found in one file, or why it was not searched. */
export type Searched =
  | { readonly kind: "text"; readonly shown: string; readonly bytes: number; readonly found: readonly FoundLine[] }
  | Extract<SearchedText, { kind: "notText" | "tooLarge" | "unreadable" }>;

export interface Tally {
  readonly leftOut: LeftOut;
  /** A file that is being read ahead. */
  begin(): void;
  add(searched: Searched): void;
  /** Why there must be an end now. */
  bound(): string | undefined;
  result(walk?: Walk): object;
}

export function createTally(): Tally {
  const startedAt = performance.now();
  const leftOut = createLeftOut();
  const matches: (FoundLine & { readonly path: string })[] = [];
  let [begun, taken, files, bytes] = [0, 0, 0, 0];
  let after: string | undefined;

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
    begin: () => void begun++,
    add(searched) {
      taken++;
      bytes += searched.bytes;
      if (searched.kind !== "text") return leftOut.count(searched.kind);
      files++;
      after = searched.shown;
      matches.push(...searched.found.map((line) => ({ path: searched.shown, ...line })));
    },
    bound,
    result(walk) {
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
