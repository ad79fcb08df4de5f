// The file of a conversation. Its name begins with what is readable of the id and ends with a hash of the
// exact id, so that distinct ids never share a file, whatever a file system does with case, Unicode forms
// or long names, and no id leads outside the folder. The id itself is in the file's first line.

import { createHash } from "node:crypto";
import { HawserError, limits, quoteShort } from "@hawser/wire";

const readableChars = 40;
const journalName = /^c-[a-z0-9-]{0,40}\.[0-9a-f]{32}\.jsonl$/;

/** Throws `usage` for an id that is too long to be kept. */
export function toFileName(conversationId: string): string {
  const { agentConversationIdChars } = limits;
  if (conversationId.length > agentConversationIdChars) {
    const message = `a conversationId of ${conversationId.length} characters; the limit is ${agentConversationIdChars}. Use a shorter one`;
    throw new HawserError("usage", message, { facts: { agentConversationIdChars } });
  }
  // The name before the first dot must not be that of a device, nor begin with a dash: `con.x.jsonl` is the console on Windows.
  const readable = conversationId
    .slice(0, readableChars)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .slice(0, readableChars);
  // As UTF-16: in UTF-8 all halves of surrogate pairs would be one and the same character.
  const hash = createHash("sha256").update(Buffer.from(conversationId, "utf16le")).digest("hex");
  return `c-${readable}.${hash.slice(0, 32)}.jsonl`;
}

export const isJournalName = (name: string): boolean => journalName.test(name);

/** The id in a message, so that nothing in it can pass for our words. */
export const toShownId = (conversationId: string): string => quoteShort(conversationId, 60);
