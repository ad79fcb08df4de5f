// What the agent protocol says about a model's context: summaries that stand for earlier messages, budgets, thoughts and plans in the
// history.

import * as v from "valibot";
import { described, number, text } from "../described.ts";
import { askedFor, conversationId, requestId as id, timestamp } from "./envelope.ts";

export const planData = v.object({
  entries: described(
    v.array(
      v.object({
        content: text("What is to be done."),
        status: described(v.picklist(["pending", "in_progress", "completed"]), "How far it is."),
      }),
    ),
    "The whole plan, each time.",
  ),
});

const counts = {
  messages: number("How many messages the summary stands for, from the first one on."),
  tokensBefore: number("Tokens of the context before, as far as they were counted; estimated otherwise."),
  tokensAfter: number("The same with the summary instead."),
};

export const compactionData = v.object({ conversationId, ...counts });

/** Parts of messages that are told only to a host that asks for them by `include`. */
export const contextParts = [
  described(v.object({ type: v.literal("reasoning"), text: v.string() }), `${askedFor} What the model thought.`),
  described(v.object({ type: v.literal("plan"), entries: planData.entries.entries }), `${askedFor} What the agent means to do.`),
  described(
    v.object({ type: v.literal("summary"), text: v.string(), ...counts, timestamp }),
    `${askedFor} Stands for everything before it: its text is what the model is told of that.`,
  ),
] as const;

export const contextRequests = {
  compact_conversation: {
    summary:
      "Additive. Has the model summarise what was said, except for the last turn, so that there is room in its context. The history keeps every message. Answered with one `compaction`, then `done`; with `error` while a turn of the conversation runs, when there is nothing to summarise, and for agents that keep their context themselves.",
    schema: v.object({
      id,
      kind: v.literal("compact_conversation"),
      conversationId,
    }),
    examples: [{ id: "req-uuid-140", kind: "compact_conversation", conversationId: "conv-456" }],
  },
} as const;

export type CompactionData = v.InferOutput<typeof compactionData>;
export type PlanData = v.InferOutput<typeof planData>;
