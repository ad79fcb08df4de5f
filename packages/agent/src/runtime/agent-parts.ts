// What a runtime is made of. The composing program hands these in; the runtime knows none of their makers.

import type { ServerEntry, StatusData, UserMessageRequest } from "@hawser/protocol";
import type { Tool } from "@hawser/tools";
import { agentLimits } from "../limits.ts";
import type { ChangeLog } from "../changes/change-log.ts";
import type { WorkspaceChanges } from "../changes/workspace-changes.ts";
import type { Budgets } from "./budget.ts";
import type { Conversation, ConversationStore } from "../history/conversation-store.ts";
import type { AttachedContent, ModelCatalog } from "../model/model.ts";
import type { PermissionPolicy } from "../permissions/policy.ts";
import type { FindFiles } from "../tools/find-files.ts";
import type { RuntimeSettings } from "./settings-answers.ts";

export type Attachment = NonNullable<UserMessageRequest["attachments"]>[number];

/** The limits that a program may change. */
export type TurnLimits = Pick<
  typeof agentLimits,
  "agentHeartbeatMs" | "agentSteps" | "agentToolMs" | "agentTurnMs" | "permissionMs" | "permissionUnprovenMs"
>;

/** What `get_status` says of it. */
export type Setting = Pick<StatusData, "instructions" | "skills" | "leftOut" | "sandbox">;

/** Where a conversation works, and with what. */
export interface Workspace {
  /** Real paths; relative ones begin at the first. */
  readonly folders: readonly string[];
  /** Asked at the beginning of every step: a server may have brought tools meanwhile. */
  tools(): readonly Tool[];
  /** The same without our tools for files and commands, for an agent that has its own. */
  ownTools(): readonly Tool[];
  /** Resolves when the tools have come, or have had their time. */
  whenReady(): Promise<void>;
  /** Reads instructions and skills that have changed. */
  refresh(): Promise<void>;
  /** How the MCP servers are, for `get_status`. */
  servers(): readonly ServerEntry[];
  /** What the model is told from files, and what is around commands, for `get_status`. */
  setting(): Setting;
  readonly policy: PermissionPolicy;
  /** Reads and checks all of them, or throws what is wrong with one. `isEarlier`: they were attached to an earlier message. */
  readAttachments(attachments: readonly Attachment[], signal: AbortSignal, isEarlier?: boolean): Promise<readonly AttachedContent[]>;
  /** Names of files for a user who types one; absent where there are none to find. */
  readonly findFiles?: FindFiles | undefined;
  /** What the model is told besides the conversation, as it was at the last `refresh`. */
  readonly instructions: string;
  /** What turns change in the folders; without it nothing can be undone. */
  readonly changes?: WorkspaceChanges | undefined;
}

export interface Workspaces {
  /** Of a conversation that has no folders of its own: those that the runtime was started with. */
  readonly home: Workspace;
  /** Makes it if it isn't there, and keeps it at least until the action is over. Throws `usage` for a folder that can't be used any more. */
  use<Result>(
    conversation: Pick<Conversation, "conversationId" | "folders">,
    action: (workspace: Workspace) => Promise<Result>,
  ): Promise<Result>;
  /**
   * Checks the folders of a conversation, and asks whether what they bring along may count. Returns their real paths. Throws `usage`
   * for one that can't be used.
   */
  choose(choice: WorkspaceChoice): Promise<readonly string[]>;
  /** Where a conversation works, as far as this process knows: its workspace when it was used last, else the runtime's own. */
  lastOf(conversationId: string): Workspace;
  /** The conversation is gone: what was given to it alone is closed. */
  release(conversationId: string): Promise<void>;
}

export interface WorkspaceChoice {
  readonly conversationId: string;
  readonly folders: readonly string[];
  /** Of this conversation alone, as the configuration has them. */
  readonly mcpServers?: Readonly<Record<string, unknown>> | undefined;
  /** Asks the user whether this folder is trusted. Denied where there is no user. */
  isTrusted(question: TrustQuestion): Promise<boolean>;
}

export interface TrustQuestion {
  readonly folder: string;
  /** What would count or run, for people. */
  readonly brings: readonly string[];
  /** The file in which a yes is remembered, where it is. */
  readonly keptIn?: string | undefined;
}

export interface AgentParts {
  readonly models: ModelCatalog;
  readonly store: ConversationStore;
  readonly workspaces: Workspaces;
  /** What a host may set; without it nothing can be. */
  readonly settings?: RuntimeSettings | undefined;
  /** What is kept for undo, for conversations that are deleted or forked. */
  readonly changes?: Pick<ChangeLog, "fork" | "forget"> | undefined;
  /** The product's version, for `ready`. */
  readonly build: string;
  /** Limits that differ from their defaults. */
  readonly limits?: Partial<TurnLimits> | undefined;
  /** What tokens cost, by model; without it no cost is told. */
  readonly prices?: Readonly<Record<string, TokenPrices>> | undefined;
  /** What turns and conversations may use; without it nothing but the limits ends them. */
  readonly budgets?: Budgets | undefined;
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
