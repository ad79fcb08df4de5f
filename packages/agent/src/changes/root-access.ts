// Asks about one root where it is answered soonest. A look at a small folder is made right here: it takes less time than a thread needs to
// hear of it. One that turns out to be larger is given up before anything of it was written, and made in the thread, as every
// other look at this root from then on. Both read first what was written since, so they never differ.

import { describeThrown, HawserError } from "@hawser/protocol";
import type { RootVerb } from "./changes-thread.ts";
import { askThread } from "./thread-link.ts";
import { TooMuch } from "./thread/effort.ts";
import type { RootChanges, RootOptions } from "./thread/root-changes.ts";

/** One root, with nothing else at work in it, here or in another process. */
export type RootAccess = <Verb extends RootVerb>(
  verb: Verb,
  ...args: Parameters<RootChanges[Verb]>
) => Promise<ReturnType<RootChanges[Verb]>>;

/** What a turn waits for. The others compare texts, or go through all that is kept. */
const quickVerbs: ReadonlySet<RootVerb> = new Set(["pending", "begin", "end"]);

/** `nearBytes`: what a look may read here. */
export function createRootAccess(asker: string, root: RootOptions, nearBytes: number): RootAccess {
  let isSmall = true;
  let near: RootChanges | undefined;

  async function openNear(): Promise<RootChanges> {
    const { createRootChanges } = await import("./thread/root-changes.ts");
    return (near ??= createRootChanges(root, nearBytes));
  }

  return async (verb, ...args) => {
    if (!isSmall || !quickVerbs.has(verb)) return askThread(asker, root, verb, args);
    try {
      const changes = near ?? (await openNear());
      return (changes[verb] as (...given: readonly unknown[]) => ReturnType<RootChanges[typeof verb]>)(...args);
    } catch (error) {
      // What was half done is read anew from the disk.
      near = undefined;
      isSmall = !(error instanceof TooMuch);
      const { code } = error as NodeJS.ErrnoException;
      if (isSmall) throw new HawserError("internal", describeThrown(error), { cause: error, facts: { code } });
      return askThread(asker, root, verb, args);
    }
  };
}
