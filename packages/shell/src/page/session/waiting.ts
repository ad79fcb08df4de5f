// What waits in the conversation on the screen: messages whose turn has not begun, and what was said to a turn and the model has not
// seen. Asked of the runtime whenever that may have changed, each time once, and only while something runs.

import type { AgentClient, Queue } from "@hawser/agent/host/link";
import { isConnected, runningTurnsOf } from "../state/page-state.ts";
import type { Store } from "./store.ts";

const nothing: Queue = { requests: [], steers: [] };

interface WaitingKeeperOptions {
  readonly store: Store;
  readonly client: Pick<AgentClient, "listQueue">;
}

export function createWaitingKeeper({ store, client }: WaitingKeeperOptions) {
  let changes = 0;
  let asked = "";

  async function ask(conversationId: string, question: string): Promise<void> {
    const queue = await client.listQueue(conversationId).catch(() => nothing);
    // An answer that another question has overtaken is old.
    if (question === asked) store.dispatch({ type: "learned", facts: { waiting: { conversationId, ...queue } } });
  }

  /** Called after every change of the state. */
  function keep(): void {
    const state = store.getState();
    const { runtime, currentId } = state;
    if (!runtime?.info.capabilities.includes("queue") || !isConnected(state) || currentId === "") return;
    const running = runningTurnsOf(state, currentId).map(({ id, seq }) => [id, seq > 0]);
    const question = JSON.stringify([runtime.greeting, currentId, running, changes]);
    if (question === asked) return;
    asked = question;
    if (running.length > 0) return void ask(currentId, question);
    if (state.waiting) store.dispatch({ type: "learned", facts: { waiting: undefined } });
  }

  return {
    keep,
    /** Something was added, changed, taken back or seen. */
    onChanged(): void {
      changes++;
      keep();
    },
  };
}
