// The capability `search`: a search over the text of all conversations.

import * as v from "valibot";
import { described, number, text } from "../described.ts";
import { answer, conversationId, example, requestId as id } from "./envelope.ts";

export const searchRequests = {
  search_conversations: {
    summary:
      "Additive. Finds messages of all conversations that hold these words, the latest first: all of them, in any order and case, each as the beginning of a word. Answered with one `found`, then `done`.",
    schema: v.object({
      id,
      kind: v.literal("search_conversations"),
      query: text("The words."),
      limit: v.exactOptional(
        v.pipe(v.number(), v.minValue(1), v.description("At most so many matches; 50 unless given, and 200 at most.")),
      ),
    }),
    examples: [{ id: "req-uuid-146", kind: "search_conversations", query: "harbour ships", limit: 20 }],
  },
} as const;

const searchMatch = v.object({
  conversationId,
  title: text("Of the conversation."),
  messageId: text("The message."),
  role: v.picklist(["user", "assistant"]),
  timestamp: number("Unix time in milliseconds."),
  excerpt: text("What stands around the words."),
});

export const searchResponses = {
  found: {
    summary: "Additive. The messages that were found.",
    schema: v.object({
      ...answer("found"),
      data: v.object({
        matches: described(v.array(searchMatch), "The latest first."),
        pending: v.exactOptional(
          number("Conversations whose latest text was not looked at yet, as at the first search of many: ask again for them."),
        ),
      }),
    }),
    examples: [
      example("found", 146, 7, {
        data: {
          matches: [
            {
              conversationId: "conv-456",
              title: "Harbour plans",
              messageId: "m2",
              role: "assistant",
              timestamp: 1234567890004,
              excerpt: "… the ships in the harbour are …",
            },
          ],
        },
      }),
    ],
  },
} as const;

export type SearchMatch = v.InferOutput<typeof searchMatch>;
