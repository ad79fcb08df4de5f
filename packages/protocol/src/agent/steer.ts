// The capabilities `steer` and `queue`: what a user says while a turn runs. It reaches the model at its next step, or waits as a
// message that can be listed, changed and taken back.

import * as v from "valibot";
import { described, number, text } from "../described.ts";
import { answer, conversationId, example, requestId as id, seq } from "./envelope.ts";

const steerId = text("Names this steer; if it becomes a message of its own, that message's id.");
const message = text("What the user says.");

export const steerRequests = {
  steer: {
    summary:
      "Additive. Says something to a turn that runs or waits: the model sees it at its next step, after the results of the tools that run now, and `steered` says so under the turn's id. Answered with `done`, whose `data.steerId` names it, once it is in the journal. If the turn ends before, it becomes the next queued message: a turn whose id is the `steerId`. An agent that owns its loop (ACP, Claude Code) sees it as that message. Answered with `error` when no turn has this id any more: send it as a `user_message` then.",
    schema: v.object({ id, kind: v.literal("steer"), target: text("The id of the turn."), message }),
    examples: [{ id: "req-uuid-140", kind: "steer", target: "req-uuid-123", message: "Only the TypeScript files, please." }],
  },
  list_queue: {
    summary:
      "Additive. What waits in a conversation: messages whose turn has not begun, in their order, and steers that the model has not seen. Answered with one `queue`, then `done`. Steers that a killed runtime had acknowledged are listed too: they go to the model with the next message, before it.",
    schema: v.object({ id, kind: v.literal("list_queue"), conversationId }),
    examples: [{ id: "req-uuid-141", kind: "list_queue", conversationId: "conv-456" }],
  },
  edit_queued: {
    summary:
      "Additive. Puts other words in the place of a message or steer that waits. Answered with `done`; with `error` once the model has seen it, or its turn has begun.",
    schema: v.object({ id, kind: v.literal("edit_queued"), target: text("The id of the message, or the `steerId`."), message }),
    examples: [{ id: "req-uuid-142", kind: "edit_queued", target: "req-uuid-126", message: "What is in this folder?" }],
  },
  withdraw: {
    summary:
      "Additive. Takes back a steer. Answered with `done`; with `error` once the model has seen it. A message that waits is taken back by `cancel`. After a restart of the runtime, `list_queue` comes first.",
    schema: v.object({ id, kind: v.literal("withdraw"), steerId }),
    examples: [{ id: "req-uuid-143", kind: "withdraw", steerId: "steer-1" }],
  },
} as const;

const chars = v.exactOptional(number("How long the whole message is, where only its beginning is shown."));

const queueData = v.object({
  requests: described(v.array(v.object({ id: text("For `cancel` and `edit_queued`."), message, chars })), "In the order of their turns."),
  steers: described(v.array(v.object({ steerId, message, chars })), "In the order in which they were sent."),
});

export const steerResponses = {
  steered: {
    summary: "Additive. The model sees this from now on. It stands in the history at this place.",
    schema: v.object({ ...answer("steered"), data: v.object({ steerId, message }), seq }),
    examples: [example("steered", 123, 4, { data: { steerId: "steer-1", message: "Only the TypeScript files, please." } })],
  },
  queue: {
    summary: "Additive. What waits in a conversation.",
    schema: v.object({ ...answer("queue"), data: queueData }),
    examples: [
      example("queue", 141, 7, {
        data: {
          requests: [{ id: "req-uuid-126", message: "What is in this file?" }],
          steers: [{ steerId: "steer-1", message: "Only the TypeScript files, please." }],
        },
      }),
    ],
  },
} as const;
