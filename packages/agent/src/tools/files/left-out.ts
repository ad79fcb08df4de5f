// What a listing or a search did not show, and why: counted by reason, and folders by name as far as an answer has
// room for them. An answer that looks complete and isn't would be believed.

import { agentLimits } from "../../limits.ts";

const countedReasons = ["denied", "needApproval", "tooLarge", "notText", "notRegular", "unreadable"] as const;

type CountedReason = (typeof countedReasons)[number];
type FolderReason = "ignoredFolders" | "unreadableFolders" | "tooDeepFolders";

export type LeftOut = ReturnType<typeof createLeftOut>;

export function createLeftOut() {
  const counts = new Map<CountedReason, number>();
  const folders = new Map<FolderReason, string[]>();
  return {
    count: (reason: CountedReason): void => void counts.set(reason, (counts.get(reason) ?? 0) + 1),
    name(reason: FolderReason, folder: string): void {
      const names = folders.get(reason) ?? [];
      names.push(folder);
      folders.set(reason, names);
    },
    /** Something is missing because it could not be looked at, and not because it was meant to be left out. */
    get hasFailures(): boolean {
      return counts.has("unreadable") || folders.has("unreadableFolders") || folders.has("tooDeepFolders");
    },
    /** As it stands in an answer: nothing, when nothing was left out. */
    member(): { readonly leftOut?: Readonly<Record<string, number | readonly string[]>> } {
      const leftOut: Record<string, number | readonly string[]> = {};
      for (const reason of countedReasons) {
        const count = counts.get(reason);
        if (count !== undefined) leftOut[reason] = count;
      }
      for (const [reason, names] of folders) leftOut[reason] = someOf(names);
      return Object.keys(leftOut).length === 0 ? {} : { leftOut };
    },
  };
}

/** As many names as an answer has room for, and how many more there are. */
export function someOf(names: readonly string[]): string[] {
  const shown = names.slice(0, agentLimits.leftOutEntries);
  return names.length > shown.length ? [...shown, `and ${names.length - shown.length} more`] : shown;
}
