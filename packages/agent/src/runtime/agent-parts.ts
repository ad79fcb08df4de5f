// What a runtime is made of. The composing program hands these in; the runtime knows none of their makers.

import type { ServerEntry, UserMessageRequest } from "@hawser/protocol";
import type { Tool } from "@hawser/tools";
import { agentLimits } from "../limits.ts";
import type { ConversationStore } from "../history/conversation-store.ts";
import type { AttachedContent, ModelCatalog } from "../model/model.ts";
import type { PermissionPolicy } from "../permissions/policy.ts";

export type Attachment = NonNullable<UserMessageRequest["attachments"]>[number];

/** The limits that a program may change. */
export type TurnLimits = Pick<
  typeof agentLimits,
  "agentHeartbeatMs" | "agentSteps" | "agentToolMs" | "agentTurnMs" | "permissionMs" | "permissionUnprovenMs"
>;

export interface AgentParts {
  readonly models: ModelCatalog;
  readonly store: ConversationStore;
  /** Asked at the beginning of every step: a server may have brought tools meanwhile. */
  tools(): readonly Tool[];
  /** Those of them that an agent with file and command tools of its own is offered; none unless given. */
  ownTools?(): readonly Tool[];
  /** Where such an agent works: the first is its working directory. The process's own unless given. */
  readonly folders?: readonly string[] | undefined;
  /** How the MCP servers are, for `get_status`. */
  servers?(): readonly ServerEntry[];
  readonly policy: PermissionPolicy;
  /** Reads and checks all of them, or throws what is wrong with one. `isEarlier`: they were attached to an earlier message. */
  readAttachments(attachments: readonly Attachment[], signal: AbortSignal, isEarlier?: boolean): Promise<readonly AttachedContent[]>;
  /** What the model is told besides the conversation. */
  readonly instructions: string;
  /** The product's version, for `ready`. */
  readonly build: string;
  /** Limits that differ from their defaults. */
  readonly limits?: Partial<TurnLimits> | undefined;
  /** What tokens cost, by model; without it no cost is told. */
  readonly prices?: Readonly<Record<string, TokenPrices>> | undefined;
  /** What a failed tool means: a result that the model reads, or the end of the turn. */
  readonly toolFailure?: "result" | "fatal" | undefined;
}

export const turnLimits = (parts: AgentParts): TurnLimits => ({ ...agentLimits, ...parts.limits });

/** Vendors change their prices, so none are built in: the configuration names them. */
export interface TokenPrices {
  /** US dollars for a million tokens. */
  readonly inputPerMillion: number;
  readonly outputPerMillion: number;
  /** Of what came from a cache; as other input unless given. */
  readonly cachedInputPerMillion?: number | undefined;
}
