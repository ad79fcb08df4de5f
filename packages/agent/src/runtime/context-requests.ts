// `compact_conversation`: a summary that the user asks for, by the model that answered last.

import { HawserError } from "@hawser/protocol";
import { untilAborted } from "@hawser/wire/internal";
import type { Conversation } from "../history/conversation-store.ts";
import type { Model } from "../model/model.ts";
import { turnLimits } from "./agent-parts.ts";
import type { Answer, ControlOptions } from "./control-requests.ts";
import { createTotals, createTurnContext } from "./turn-context.ts";
import { checkConversationId } from "./turn-metadata.ts";

export function createContextAnswers({ parts, turns, conversations }: ControlOptions): {
  readonly compact_conversation: Answer<"compact_conversation">;
} {
  const { agentHeartbeatMs } = turnLimits(parts);

  async function modelOf({ messages }: Conversation): Promise<Model> {
    const last = messages.findLast(({ model }) => model !== undefined)?.model;
    const model = await parts.models.pick(last);
    if ("stream" in model && !model.ownsContext) return model;
    throw new HawserError(
      "usage",
      `${model.name} keeps its context itself, and makes room in it when that is needed; nothing can be summarised here`,
    );
  }

  return {
    async compact_conversation({ conversationId }, reply, signal) {
      // A model may think about a summary for longer than a host waits in silence.
      const message = "the conversation is being summarised";
      const heartbeat = setInterval(() => void reply.emit({ type: "progress", data: { message } }).catch(() => {}), agentHeartbeatMs);
      const compact = (conversation: Conversation): Promise<void> =>
        parts.workspaces.use(conversation, async (workspace) => {
          const model = await modelOf(conversation);
          // What a turn would tell the model besides the conversation, so that the numbers are those of a turn.
          await untilAborted(signal, Promise.all([workspace.whenReady(), workspace.refresh()]));
          const request = { instructions: workspace.instructions, attachments: new Map(), signal };
          const scope = { emit: reply.emit, signal };
          const context = createTurnContext({ conversation, model, windows: parts.models.windows, totals: createTotals(), scope, request });
          if (await context.compact(turns.toolsOf(workspace), "asked")) return;
          throw new HawserError("usage", "there is nothing to summarise: the last turn stays as it is, and nothing was said before it");
        });
      try {
        await turns.lanes.alone(checkConversationId(conversationId), () => conversations.use(conversationId, compact));
      } finally {
        clearInterval(heartbeat);
      }
      await reply.done();
    },
  };
}
