// What a host says while a turn runs, and what waits: `steer`, `list_queue`, `edit_queued`, `withdraw`.

import type { AnyAgentResponse } from "@hawser/protocol";
import type { Exchange } from "./exchange.ts";
import type { SendOptions } from "./open-request.ts";
import { toTurn, withoutAnswer, type AgentTurn, type AskOne } from "./request-answers.ts";

export interface SteerOptions extends SendOptions {
  /**
   * The turn has ended before the model saw it, so it is a message of its own: this is its turn, from the first event on. Its `id` is the
   * `steerId`. Leaving its loop does not cancel it. The other options are meant for it.
   */
  onNext?(turn: AgentTurn): void;
}

/** What waits in a conversation. */
export type Queue = Extract<AnyAgentResponse, { type: "queue" }>["data"];

export interface SteerMethods {
  /** Says something to a turn: the model sees it at its next step. Resolves to its `steerId` when it is in the history; rejects when the turn has ended. */
  steer(target: string, message: string, options?: SteerOptions): Promise<string>;
  listQueue(conversationId: string): Promise<Queue>;
  /** Other words for a message or a steer that waits; rejects when it waits no more. */
  editQueued(target: string, message: string): Promise<void>;
  /** Takes a steer back; rejects when the model has seen it. */
  withdraw(steerId: string): Promise<void>;
}

export function createSteerMethods(exchange: Exchange, askOne: AskOne): SteerMethods {
  return {
    // Its turn may begin right behind the answer, in the same chunk.
    steer: (target, message, { onNext, ...options } = {}) =>
      exchange.holding(async (held) => {
        const { steerId } = (await askOne("steer", { kind: "steer", target, message }, "done")).data ?? {};
        if (steerId === undefined) throw withoutAnswer("steerId");
        if (onNext) exchange.expect(steerId, { options, onBegin: (request) => onNext(toTurn(request)) }, held);
        return steerId;
      }),
    async listQueue(conversationId) {
      return (await askOne("queue", { kind: "list_queue", conversationId }, "queue")).data;
    },
    async editQueued(target, message) {
      await askOne("queue", { kind: "edit_queued", target, message }, "done");
    },
    async withdraw(steerId) {
      await askOne("queue", { kind: "withdraw", steerId }, "done");
    },
  };
}
