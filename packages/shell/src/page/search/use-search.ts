// The search over the text of all conversations while it is typed: asked when the typing pauses, and asked again while the runtime has
// not read all conversations yet. An answer that further typing has overtaken is dropped.

import { describeThrown, type SearchMatch } from "@hawser/protocol";
import { useEffect, useState } from "react";
import { shellLimits } from "../../limits.ts";
import { usePage, usePageParts } from "../session/page-context.ts";
import { hasWords } from "./mark-words.ts";

export interface Found {
  /** What was searched for: a moment later the field may say something else. */
  readonly query: string;
  readonly matches: readonly SearchMatch[];
  /** Conversations that were not read yet. */
  readonly pending: number;
  readonly error?: string;
}

/** Undefined where nothing is searched for, nothing has come yet, or the runtime can't search. */
export function useSearch(query: string): Found | undefined {
  const { client } = usePageParts().session;
  const canSearch = usePage(({ runtime }) => runtime?.info.capabilities.includes("search") ?? false);
  const [found, setFound] = useState<Found>();
  const isWanted = canSearch && hasWords(query);
  useEffect(() => {
    if (!isWanted) return undefined;
    let timer: ReturnType<typeof setTimeout>;
    let isLeft = false;
    async function ask(triesLeft: number): Promise<void> {
      const outcome = await client.search(query, { limit: shellLimits.shellSearchEntries }).then(
        ({ matches, pending = 0 }): Found => ({ query, matches, pending }),
        (error: unknown): Found => ({ query, matches: [], pending: 0, error: describeThrown(error) }),
      );
      if (isLeft) return;
      setFound(outcome);
      if (outcome.pending > 0 && triesLeft > 0) timer = setTimeout(() => void ask(triesLeft - 1), shellLimits.shellSearchAgainMs);
    }
    timer = setTimeout(() => void ask(shellLimits.shellSearchAgainEntries), shellLimits.shellSearchQuietMs);
    return () => {
      isLeft = true;
      clearTimeout(timer);
    };
  }, [client, query, isWanted]);
  return isWanted ? found : undefined;
}
