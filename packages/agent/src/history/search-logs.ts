// A search over conversations that several machines share. There is no index: each would need one of its own, of text that other machines
// write. So the journals are read, the latest first, for a bounded time; who asks the same again has it go on from there.

import type { ConversationSummary, SearchMatch } from "@hawser/protocol";
import { agentLimits } from "../limits.ts";
import type { SearchOutcome } from "./conversation-store.ts";
import { searchMemory } from "./search-memory.ts";
import type { Transcript } from "./transcript.ts";

export interface SearchedLogs {
  /** All of them, the latest first. */
  list(): Promise<readonly ConversationSummary[]>;
  /** What was said in one of them by now. */
  read(conversationId: string): Promise<Transcript>;
}

interface Looked {
  readonly updatedAt: number;
  readonly matches: readonly SearchMatch[];
}

export function createLogSearch({ list, read }: SearchedLogs) {
  /** Of the search before this one, by conversation. */
  let last: { readonly query: string; readonly limit: number; readonly looked: ReadonlyMap<string, Looked> } | undefined;

  /** The latest first. */
  return async function search(query: string, limit: number): Promise<SearchOutcome> {
    const deadline = performance.now() + agentLimits.searchUpdateMs;
    const known = last?.query === query && last.limit === limit ? last.looked : undefined;
    const looked = new Map<string, Looked>();
    const listed = await list();
    let found: SearchMatch[] = [];
    let hasRead = false;
    let pending = 0;
    for (const { conversationId, updatedAt } of listed) {
      // What is left is older than all of these.
      if ((found[limit - 1]?.timestamp ?? -1) >= updatedAt) break;
      let entry = known?.get(conversationId);
      if (entry?.updatedAt !== updatedAt) {
        // One at least, so that asking again comes to an end.
        if (hasRead && performance.now() >= deadline) {
          pending += 1;
          continue;
        }
        hasRead = true;
        entry = { updatedAt, matches: searchMemory([{ conversationId, transcript: await read(conversationId) }], query, limit) };
      }
      looked.set(conversationId, entry);
      found = [...found, ...entry.matches].sort((one, other) => other.timestamp - one.timestamp).slice(0, limit);
    }
    last = { query, limit, looked };
    return { matches: found, pending };
  };
}
