// What is searched of a message, and the words of a query, the same on disk and in memory.

import type { ConversationMessage } from "@hawser/protocol";
import { agentLimits } from "../limits.ts";

/** As the index parts a text. */
export const toWords = (query: string): readonly string[] =>
  (query.slice(0, agentLimits.searchQueryChars).match(/[\p{L}\p{N}\p{M}]+/gu) ?? []).slice(0, agentLimits.searchWordEntries);

export const textOfMessage = ({ parts }: ConversationMessage): string =>
  parts.flatMap((part) => (part.type === "text" ? [part.text] : part.type === "steer" ? [part.message] : [])).join("\n");
