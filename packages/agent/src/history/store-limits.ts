// The bounds of a store, by the names they have among the limits; a store may be given others.

import { limits } from "@hawser/wire";

export interface StoreLimits {
  readonly maxConversationBytes: number;
  readonly maxOpenConversationBytes: number;
  readonly maxJournalBytes: number;
  readonly journalSlackBytes: number;
  readonly listedConversationEntries: number;
}

export function toStoreLimits(given: Partial<StoreLimits> = {}): StoreLimits {
  const { maxConversationBytes, maxOpenConversationBytes, maxJournalBytes, journalSlackBytes, listedConversationEntries } = limits;
  return {
    ...{ maxConversationBytes, maxOpenConversationBytes, maxJournalBytes, journalSlackBytes, listedConversationEntries },
    ...given,
  };
}
