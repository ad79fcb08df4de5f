// `steer`, `list_queue`, `edit_queued` and `withdraw`: what a user says while a turn runs. A steer is in the journal before it is
// acknowledged, and leaves what waits in one write: as a part of the answer, as a message, or withdrawn. So it is seen once, or
// taken back, never both.

import { randomUUID } from "node:crypto";
import { cutText, HawserError, quoteShort } from "@hawser/protocol/internal";
import { createRecentMap, type InFlightTable } from "@hawser/wire/internal";
import type { Conversation } from "../history/conversation-store.ts";
import { agentLimits } from "../limits.ts";
import type { Answer } from "./control-requests.ts";
import type { RecentConversations } from "./recent-conversations.ts";
import { checkConversationId } from "./turn-metadata.ts";
import type { Turn, Turns } from "./turns.ts";

export interface SteerAnswerOptions {
  readonly turns: Turns;
  readonly inFlight: InFlightTable;
  readonly conversations: RecentConversations;
}

interface SteerAnswers {
  readonly steer: Answer<"steer">;
  readonly list_queue: Answer<"list_queue">;
  readonly edit_queued: Answer<"edit_queued">;
  readonly withdraw: Answer<"withdraw">;
}

export function createSteerAnswers({ turns, inFlight, conversations }: SteerAnswerOptions): SteerAnswers {
  /** Conversations of steers that were named by this runtime; requests about a steer name no conversation. */
  const homes = createRecentMap<string>(agentLimits.agentKnownSteerEntries);

  /** Throws where it does not wait any more, or is not known. */
  async function changeWaiting(steerId: string, change: (conversation: Conversation) => Promise<boolean>): Promise<void> {
    const home = homes.get(steerId);
    if (home === undefined) throw notWaiting(steerId, "nothing that waits has this id; list the queue to see what waits");
    await conversations.use(home, async (conversation) => {
      if (await change(conversation)) return;
      const reason = isSeen(conversation, steerId) ? "the model has seen it" : "it was withdrawn";
      throw notWaiting(steerId, `it waits no more: ${reason}`);
    });
  }

  async function editTurn(turn: Turn, message: string): Promise<void> {
    const { request } = turn;
    turn.place?.resize(weigh(message));
    turn.request = { ...request, message };
    // It may begin meanwhile, with the new words.
    if (turn.isNext) await conversations.use(turn.conversationId, (conversation) => conversation.changeSteer(request.id, message));
  }

  return {
    async steer({ target, message }, reply) {
      checkMessage(message);
      const turn = turns.find(target);
      if (!turn)
        throw new HawserError("invalid_message", `no turn ${quoteShort(target, 100)} runs or waits; send it as a message of its own`);
      const { conversationId } = turn;
      const steerId = `steer-${randomUUID()}`;
      turn.isSteered = true;
      homes.set(steerId, conversationId);
      await conversations.use(conversationId, (conversation) => conversation.addSteer({ steerId, target, message }));
      await turns.afterSteer(turn);
      await reply.done({ steerId });
    },
    async list_queue({ conversationId }, reply) {
      checkConversationId(conversationId);
      const steers = await conversations.use(conversationId, async (conversation) => conversation.steers);
      for (const { steerId } of steers) homes.set(steerId, conversationId);
      const waiting = steers.filter(({ steerId }) => !turns.find(steerId));
      const data = {
        requests: turns.waitingOf(conversationId).map(({ request }) => ({ id: request.id, ...toShown(request.message) })),
        steers: waiting.map(({ steerId, message }) => ({ steerId, ...toShown(message) })),
      };
      await reply.emit({ type: "queue", data });
      await reply.done();
    },
    async edit_queued({ target, message }, reply) {
      checkMessage(message);
      const turn = turns.find(target);
      if (turn?.state === "running") throw notWaiting(target, "its turn has begun; steer it, or cancel it");
      if (turn) await editTurn(turn, message);
      else await changeWaiting(target, (conversation) => conversation.changeSteer(target, message));
      await reply.done();
    },
    async withdraw({ id, steerId }, reply) {
      const turn = turns.find(steerId);
      if (turn && !turn.isNext) throw notWaiting(steerId, "it is a message and not a steer; cancel it");
      if (turn?.state === "running") throw notWaiting(steerId, "it waits no more: its turn has begun; cancel it");
      const ended = turns.whenEnded(steerId);
      // Before anything is awaited: it must not begin meanwhile.
      inFlight.cancel(steerId, new HawserError("cancelled", `withdrawn by request ${id}`));
      await changeWaiting(steerId, (conversation) => conversation.withdrawSteer(steerId));
      await ended;
      await reply.done();
    },
  };
}

const weigh = (message: string): number => 2 * Buffer.byteLength(message);

function checkMessage(message: string): void {
  if (message.trim() === "") throw new HawserError("invalid_message", '"message" is empty; say something');
}

const notWaiting = (id: string, reason: string): HawserError => new HawserError("invalid_message", `${quoteShort(id, 100)}: ${reason}`);

const isSeen = ({ messages }: Conversation, steerId: string): boolean =>
  messages.some(({ requestId, parts }) => requestId === steerId || parts.some((part) => part.type === "steer" && part.steerId === steerId));

/** All that wait are one line, so a long one is cut. */
function toShown(message: string): { readonly message: string; readonly chars?: number } {
  const { agentQueueShownChars } = agentLimits;
  return message.length <= agentQueueShownChars ? { message } : { message: cutText(message, agentQueueShownChars), chars: message.length };
}
