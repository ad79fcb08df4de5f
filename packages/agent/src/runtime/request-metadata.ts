// What `metadata` says, as far as it is known. A message without a conversation belongs to the default one.

import { HawserError, limits } from "@hawser/wire";

export const defaultConversation = "default";

export interface RequestMetadata {
  readonly conversationId: string;
  readonly model: string | undefined;
  readonly isForced: boolean;
}

interface WithMetadata {
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}

export function readMetadata({ metadata = {} }: WithMetadata, otherwise = defaultConversation): RequestMetadata {
  const { conversationId = otherwise, model, force } = metadata;
  if (model !== undefined && typeof model !== "string") throw new HawserError("invalid_message", '"metadata.model" must be a string');
  return { conversationId: checkConversationId(conversationId, "metadata.conversationId"), model, isForced: force === true };
}

export function checkConversationId(value: unknown, member = "conversationId"): string {
  if (typeof value !== "string" || value === "") throw new HawserError("invalid_message", `"${member}" must be a string that is not empty`);
  if (value.length > limits.agentConversationIdChars)
    throw new HawserError("invalid_message", `"${member}" is longer than ${limits.agentConversationIdChars} characters`);
  return value;
}
