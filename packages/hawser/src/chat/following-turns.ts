// What the person has said while the agent works, in the order in which it will be answered: what was said to the turn that runs and
// was not seen comes before what waits.

import type { AgentTurn } from "@hawser/agent/host";

export interface FollowingTurn {
  /** Of the request or the steer; `""` until it is known. */
  readonly id: string;
  readonly words: string;
  /** Ends it. */
  readonly controller: AbortController;
  /** Undefined when it will not come. */
  readonly turn: Promise<AgentTurn | undefined>;
  readonly isSteer: boolean;
}

export function createFollowingTurns() {
  let all: FollowingTurn[] = [];
  return {
    add(turn: FollowingTurn): void {
      const steers = all.filter(({ isSteer }) => isSteer).length;
      all.splice(turn.isSteer ? steers : all.length, 0, turn);
    },
    next: (): FollowingTurn | undefined => all.shift(),
    /** It will not be answered by a turn of its own: seen, withdrawn or cancelled. */
    forget(id: string): void {
      all = all.filter((turn) => turn.id !== id);
    },
  };
}
