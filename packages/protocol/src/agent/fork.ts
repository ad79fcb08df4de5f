// The capability `fork`: a new conversation from any message of another one.

import * as v from "valibot";
import { text } from "../described.ts";
import { answer, conversationId, example, requestId as id } from "./envelope.ts";

export const forkRequests = {
  fork_conversation: {
    summary:
      "Additive. Makes a new conversation that begins as this one does, up to a message: a journal of its own, in the same folders, with nothing queued and no session of an agent. While a turn runs, what is complete is taken. Answered with one `forked`, then `done`; with `error` where there is nothing to take.",
    schema: v.object({
      id,
      kind: v.literal("fork_conversation"),
      conversationId,
      after: v.exactOptional(text("The last `messageId` that is taken; the last complete answer unless given.")),
    }),
    examples: [{ id: "req-uuid-144", kind: "fork_conversation", conversationId: "conv-456", after: "m2" }],
  },
} as const;

export const forkResponses = {
  forked: {
    summary: "Additive. The new conversation. It is on disk, whole.",
    schema: v.object({ ...answer("forked"), data: v.object({ conversationId: text("Of the new one.") }) }),
    examples: [example("forked", 144, 7, { data: { conversationId: "fork-20261116-093012-4f1c" } })],
  },
} as const;
