// What a `user_message` says in its `metadata` about how it is to be answered.

import { defaultConversation, HawserError, quoteShort, type AnyAgentRequest } from "@hawser/protocol/internal";
import { agentLimits } from "../limits.ts";
import { efforts, type Effort } from "../model/model.ts";
import { readBudget, type Budget } from "./budget.ts";

const metadataOf = (request: AnyAgentRequest): Readonly<Record<string, unknown>> => ("metadata" in request && request.metadata) || {};

/** Whether the host says that it answers questions. */
export const answersPermissions = (request: AnyAgentRequest): boolean => metadataOf(request)["answersPermissions"] === true;

/** Throws `invalid_message`. A request that names no conversation belongs to `otherwise`. */
export function readMetadata(request: AnyAgentRequest, otherwise = defaultConversation) {
  const { conversationId = otherwise, model, force } = metadataOf(request);
  if (model !== undefined && typeof model !== "string") throw new HawserError("invalid_message", '"metadata.model" must be a string');
  return { conversationId: checkConversationId(conversationId, "metadata.conversationId"), model, isForced: force === true };
}

export interface TurnWishes {
  readonly effort: Effort | undefined;
  readonly budget: Budget | undefined;
}

/** Throws `invalid_message`. */
export function readWishes(request: AnyAgentRequest): TurnWishes {
  const { effort, budget } = metadataOf(request);
  if (effort !== undefined && !efforts.includes(effort as Effort)) {
    const given = typeof effort === "string" ? `, not ${quoteShort(effort, 40)}` : "";
    throw new HawserError("invalid_message", `"metadata.effort" must be one of ${efforts.join(", ")}${given}`);
  }
  return { effort: effort as Effort | undefined, budget: readBudget(budget) };
}

export function checkConversationId(value: unknown, member = "conversationId"): string {
  if (typeof value !== "string" || value === "") throw new HawserError("invalid_message", `"${member}" must be a string that is not empty`);
  if (value.length > agentLimits.agentConversationIdChars)
    throw new HawserError("invalid_message", `"${member}" is longer than ${agentLimits.agentConversationIdChars} characters`);
  return value;
}
