// What the runtime asks of a model: one step. It gets the conversation so far and the tools, and streams
// text and tool calls until it has nothing more to say in this step. The turn runs the tools and asks for
// the next step. Adapters (the AI SDK, the offline model) implement this; nothing else knows a vendor.

import type { ConversationMessage, ModelEntry } from "@hawser/protocol";
import type { JsonSchema } from "@hawser/tools";
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
  /** The history with the turn so far: its last message is the answer in the making once a tool has run. */
  readonly messages: readonly ConversationMessage[];
  /** What the attachments of messages contain, by their path; a missing one could not be read any more. */
  readonly attachments: ReadonlyMap<string, AttachedContent>;
  readonly tools: readonly ModelTool[];
  readonly signal: AbortSignal;
}

export type ModelEvent =
  | { readonly type: "text"; readonly text: string }
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
  /** Ends when the step is complete. Throws a HawserError when it can't be completed; never ends early in silence. */
  stream(step: ModelStep): AsyncIterable<ModelEvent>;
}

/** The models that a runtime may use. */
export interface ModelCatalog {
  /** The one that answers unless a message picks another. Known without any network. */
  readonly current: string;
  /** Throws `usage` that says why this one can't be used, and what to do. */
  pick(name?: string): Promise<Model | TurnAgent>;
  list(): Promise<readonly ModelEntry[]>;
  /** A conversation was deleted: agents let go of what they hold for it. */
  release?(conversationId: string): Promise<void>;
  /** The runtime ends: agents end with it. */
  close?(): Promise<void>;
}
