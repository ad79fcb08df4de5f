// What the runtime asks of an agent that answers whole turns by itself: it owns its loop, its tools and its memory of the
// conversation. It stands beside `Model`, which answers one step. It tells what it does, asks before it does something,
// and is offered the tools of this process; the runtime keeps the history, the limits and the permissions.

import type { ConversationMessage, OptionEntry, PermissionOption, PlanData } from "@hawser/protocol";
import type { Tool } from "@hawser/tools";
import type { AttachedContent } from "./model.ts";

/** What the agent's own uses of tools are about. */
export interface AboutUse {
  readonly title?: string | undefined;
  /** `read`, `edit`, `execute` and so on. */
  readonly kind?: string | undefined;
  readonly locations?: readonly UseLocation[] | undefined;
}

export interface UseLocation {
  readonly path: string;
  readonly line?: number | undefined;
}

export interface FileDiff {
  readonly path: string;
  /** Absent for a new file. */
  readonly oldText?: string | undefined;
  readonly newText: string;
  /** Where both are a part of the file: the number of their first line. */
  readonly line?: number | undefined;
}

export type DelegatedEvent =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "reasoning"; readonly text: string }
  /** Once for each use, before its result and before it is asked about. */
  | ({ readonly type: "tool_use"; readonly toolId: string; readonly toolName: string; readonly input: unknown } & AboutUse)
  /** `error`: it failed, and why. */
  | {
      readonly type: "tool_result";
      readonly toolId: string;
      readonly result: unknown;
      readonly error?: string | undefined;
      readonly diffs?: readonly FileDiff[] | undefined;
    }
  | { readonly type: "plan"; readonly entries: PlanData["entries"] }
  | {
      readonly type: "usage";
      /** Of the turn. */
      readonly inputTokens?: number | undefined;
      readonly outputTokens?: number | undefined;
      readonly cachedInputTokens?: number | undefined;
      readonly contextTokens?: number | undefined;
      readonly contextWindow?: number | undefined;
      readonly costUsd?: number | undefined;
    }
  /** What the agent calls the conversation. */
  | { readonly type: "title"; readonly title: string }
  /** Something to tell a waiting user. */
  | { readonly type: "notice"; readonly message: string }
  /** It lives, and has nothing to tell. */
  | { readonly type: "life" };

/** The agent asks before it uses one of its own tools. */
export interface AgentQuestion extends AboutUse {
  /** Of the use that it has announced. */
  readonly toolId: string;
  readonly kind: string;
  /** What it would do, as it says now: it may know more than when it announced the use. */
  readonly input: unknown;
  readonly diffs?: readonly FileDiff[] | undefined;
  readonly options: readonly PermissionOption[];
  /** Where the use is one of our tools, which the agent reaches through the bridge. */
  readonly own?: { readonly toolName: string; readonly input: unknown } | undefined;
}

/** Where an agent works, and with what. */
export interface AgentPlace {
  readonly conversationId: string;
  /** The first is its working directory. */
  readonly folders: readonly string[];
  /** Tools of this process, which it is offered besides its own. */
  readonly tools: readonly Tool[];
  /** Its session that holds all of the conversation until now; undefined when there is none, and a new one has to be told. */
  readonly sessionId: string | undefined;
}

export interface DelegatedTurn extends AgentPlace {
  readonly message: string;
  readonly attachments: readonly AttachedContent[];
  /** What was said before this message. */
  readonly history: readonly ConversationMessage[];
  readonly signal: AbortSignal;
  /** Resolves when there may be more; rejects when the turn is over. */
  emit(event: DelegatedEvent): Promise<void>;
  /** The option that answers it; undefined when none of them fits. Rejects when the turn is over. */
  ask(question: AgentQuestion): Promise<string | undefined>;
  /** Runs one of `tools` as the runtime runs them: with its permissions and its limits. Rejects with why it failed. */
  callTool(toolName: string, args: Record<string, unknown>, signal: AbortSignal): Promise<unknown>;
  /** To be called before the agent learns of the message: from now on this session knows the conversation. */
  keepSession(sessionId: string): Promise<void>;
}

export interface TurnAgent {
  /** As `--model` takes it: `acp/codex`. */
  readonly name: string;
  /** Ends when the turn is complete; rejects with why it isn't, and as soon as the signal says so. */
  run(turn: DelegatedTurn): Promise<void>;
  /** The session in which it would answer there now, where it runs already and need not be asked; undefined where it must begin or resume one. */
  runningSession(place: AgentPlace): string | undefined;
  options(place: AgentPlace): Promise<readonly OptionEntry[]>;
  /** Throws for an option or a value that there is not. */
  setOption(place: AgentPlace, optionId: string, value: string | boolean): Promise<readonly OptionEntry[]>;
  /** The conversation was deleted: what was started for it goes away. */
  release(conversationId: string): Promise<void>;
  /** The runtime ends: all of it goes away. */
  close(): Promise<void>;
}
