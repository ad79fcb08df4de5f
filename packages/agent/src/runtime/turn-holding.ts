// What one turn holds in memory, as it is told to the room that all turns share: the conversation, what is
// attached, and arguments that a model is sending. All of it is there several times while a model is asked.

import { HawserError, limits, type UserMessageRequest } from "@hawser/wire";
import type { Conversation } from "../history/conversation-store.ts";
import type { AttachedContent } from "../model/model.ts";
import type { TurnPlace } from "./turn-room.ts";

export interface HoldingOptions {
  readonly request: UserMessageRequest;
  readonly conversation: Conversation;
  readonly place: TurnPlace;
  readonly signal: AbortSignal;
}

export interface Holding {
  /** Says what is held now. */
  count(): void;
  /** The same, and waits until it may be more. */
  grow(): Promise<void>;
  /** Counts arguments that are coming, until the step is over. Throws when they are too long together. */
  growInput(chars: number): Promise<void>;
  endStep(): void;
}

// As it is, and as the text and the bytes of a request to a model.
const copies = 3;

export function createHolding(options: HoldingOptions, attachments: ReadonlyMap<string, AttachedContent>): Holding {
  const { request, conversation, place, signal } = options;
  const attached = request.attachments?.reduce((sum, { path }) => sum + (attachments.get(path)?.content.length ?? 0), 0) ?? 0;
  let inputChars = 0;
  const count = (): void => place.hold(copies * (conversation.bytes + attached + inputChars));
  const grow = (): Promise<void> => {
    count();
    return place.whenMayGrow(signal);
  };
  return {
    count,
    grow,
    growInput(chars) {
      inputChars += chars;
      if (inputChars > limits.agentStepInputChars)
        throw new HawserError("too_large", `the arguments of one step are longer than ${limits.agentStepInputChars} characters together`);
      return grow();
    },
    endStep: () => void (inputChars = 0),
  };
}
