// To wait for a runtime that is about to be started again: the moment from which it counts is taken before, so that one that is quick
// is not missed, and the one that is about to end does not count.

import { HawserError } from "@hawser/protocol";
import { isConnected } from "../state/page-state.ts";
import type { Store } from "./store.ts";

/** What it returns resolves once another runtime has greeted than by now, and rejects when none can be started. */
export function nextGreeting({ getState, subscribe }: Pick<Store, "getState" | "subscribe">): () => Promise<void> {
  const before = getState();
  return () =>
    new Promise((resolve, reject) => {
      function look(): void {
        const state = getState();
        const { link, runtime } = state;
        const hasGreeted = (runtime?.greeting ?? 0) > (before.runtime?.greeting ?? 0) && isConnected(state);
        // One that had failed by then is being started.
        const hasFailed = link !== before.link && (link.runtime === "failed" || link.phase === "ended");
        if (!hasGreeted && !hasFailed) return;
        stop();
        if (hasGreeted) resolve();
        else reject(new HawserError("connection_lost", `the agent can't be started: ${link.message ?? "it has ended"}`));
      }
      const stop = subscribe(look);
      look();
    });
}
