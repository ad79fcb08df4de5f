// What the runtime asks of a model: one step. It gets the conversation so far and the tools, and streams
// text and tool calls until it has nothing more to say in this step. The turn runs the tools and asks for
// the next step. Adapters (the AI SDK, the offline model) implement this; nothing else knows a vendor.

import type { ConversationMessage, ModelEntry } from "@hawser/protocol";
import type { JsonSchema } from "@hawser/tools";
import type { ContextWindows } from "./context-windows.ts";
import type { TurnAgent } from "./turn-agent.ts";

export interface ModelTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
}

/** A file of a user's message, read and checked. */
export interface AttachedContent {
  readonly path: string;
  readonly mime: string;
  /** Text, or the bytes of an image. */
  readonly content: string | Uint8Array;
}

export interface ModelStep {
  readonly instructions: string;
  /** Stands for what was said before `messages`. */
  readonly summary?: string | undefined;
  /** The history with the turn so far: its last message is the answer in the making once a tool has run. */
  readonly messages: readonly ConversationMessage[];
  /** What the attachments of messages contain, by their path; a missing one could not be read any more. */
  readonly attachments: ReadonlyMap<string, AttachedContent>;
  readonly tools: readonly ModelTool[];
  /** How much it is to think; as the vendor does unless given. */
  readonly effort?: Effort | undefined;
  /** What it thought in earlier steps of this turn, by the id of the first call that followed: some vendors want it back with the results. */
  readonly thoughts?: ReadonlyMap<string, readonly PlacedThought[]> | undefined;
  readonly signal: AbortSignal;
}

export const efforts = ["none", "minimal", "low", "medium", "high", "xhigh", "max"] as const;
export type Effort = (typeof efforts)[number];

/** What a model thought, as its vendor wants it back. */
export interface Thought {
  readonly text: string;
  /** Signatures and the like; only the adapter that made it looks into it. */
  readonly vendor: unknown;
}

export interface PlacedThought extends Thought {
  /** How many texts and calls of the same step came before it. */
  readonly at: number;
}

export type ModelEvent =
  | { readonly type: "text"; readonly text: string }
  /** A piece of what it thinks. */
  | { readonly type: "reasoning"; readonly text: string }
  /** A thought is complete, all of it. */
  | { readonly type: "thought"; readonly thought: Thought }
  /** This many characters more have come of a call's arguments; the call follows when they are complete. */
  | { readonly type: "tool_input"; readonly chars: number }
  /** `problem` says why `input` is not what the model meant, for example broken JSON; the tool is then not run. */
  | {
      readonly type: "tool_call";
      readonly toolId: string;
      readonly toolName: string;
      readonly input: unknown;
      readonly problem?: string | undefined;
    }
  /** Something to tell a waiting user: a retry, a queue. */
  | { readonly type: "notice"; readonly message: string }
  | {
      readonly type: "usage";
      readonly inputTokens?: number | undefined;
      readonly outputTokens?: number | undefined;
      readonly cachedInputTokens?: number | undefined;
      /** Where the model knows itself what it has cost. */
      readonly costUsd?: number | undefined;
    };

export interface Model {
  /** As `--model` takes it: `offline`, `anthropic/<model>` and so on. */
  readonly name: string;
  /** It remembers the conversation by itself: no summary is made for it. */
  readonly ownsContext?: boolean | undefined;
  /** It works through a whole turn again at each step, so a turn that runs is never cut. */
  readonly isTurnWhole?: boolean | undefined;
  /** False for one that can't summarise; a list of what was said stands in its place. */
  readonly writesSummaries?: boolean | undefined;
  /** False for one that has no use for `effort`. */
  readonly takesEffort?: boolean | undefined;
  /** Its tokens cost nothing. */
  readonly isFree?: boolean | undefined;
  /** False for one that owns its loop, whose steps belong together: what the user says meanwhile waits for its end. */
  readonly takesSteers?: boolean | undefined;
  /** Ends when the step is complete. Throws a HawserError when it can't be completed; never ends early in silence. */
  stream(step: ModelStep): AsyncIterable<ModelEvent>;
}

/** The models that a runtime may use. */
export interface ModelCatalog {
  /** The one that answers unless a message picks another. Known without any network. */
  readonly current: string;
  /** How much fits into the contexts of the models; without it nothing is known of them. */
  readonly windows?: ContextWindows | undefined;
  /** Throws `usage` that says why this one can't be used, and what to do. */
  pick(name?: string): Promise<Model | TurnAgent>;
  list(): Promise<readonly ModelEntry[]>;
  /** A conversation was deleted: agents let go of what they hold for it. */
  release?(conversationId: string): Promise<void>;
  /** The runtime ends: agents end with it. */
  close?(): Promise<void>;
}
