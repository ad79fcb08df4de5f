// The room that bodies of running calls share. Each alone is bounded; many at the same time would still
// be too much. Once the room is used up, a call that has begun its body waits for others to leave, and
// one at a time may always finish, so that no two wait for each other.

import type { ByteBudget } from "@hawser/wire";

export interface BodyRoom {
  /** Says how many bytes are kept now; a promise where no more may be taken until it resolves. */
  keep(bytes: number): Promise<void> | undefined;
  /** Gives everything back. */
  leave(): void;
}

export function openBodyRoom(budget: ByteBudget): BodyRoom {
  let waiting: PromiseWithResolvers<void> | undefined;
  const share = budget.openShare(wake);
  function wake(): void {
    waiting?.resolve();
    waiting = undefined;
  }
  return {
    keep(bytes) {
      share.set(bytes);
      return share.mayGrow() ? undefined : (waiting ??= Promise.withResolvers<void>()).promise;
    },
    leave() {
      share.set(0);
      wake();
    },
  };
}
