// Keeps the options of the agent that answers next in the state: asks for them when an agent is chosen, another conversation is
// opened, a turn has ended (an agent may change its own mode), or another tab has set one. Each reason for a failure is told once.

import type { AgentClient } from "@hawser/agent/host/link";
import { describeThrown, isAgentName } from "@hawser/protocol/internal";
import { chosenModel, isConnected } from "../state/page-state.ts";
import type { Store } from "./store.ts";

interface OptionsKeeperOptions {
  readonly store: Store;
  readonly client: Pick<AgentClient, "listOptions">;
  notify(text: string): void;
}

export function createOptionsKeeper({ store, client, notify }: OptionsKeeperOptions) {
  let changes = 0;
  let asked = "";
  let told = "";

  async function ask(conversationId: string, model: string): Promise<void> {
    const question = asked;
    try {
      const entries = await client.listOptions(conversationId, model);
      told = "";
      // An answer that another question has overtaken is old.
      if (question === asked) store.dispatch({ type: "learned", facts: { agentOptions: { conversationId, model, entries } } });
    } catch (error) {
      // A lost link is told elsewhere, and everything is asked again when the runtime greets.
      if (!isConnected(store.getState()) || question !== asked) return;
      const text = `What can be chosen about ${model} is not known: ${describeThrown(error)}`;
      if (text !== told) notify(text);
      told = text;
    }
  }

  /** Called after every change of the state. */
  function keep(): void {
    const state = store.getState();
    const { runtime, currentId, turns } = state;
    const model = chosenModel(state);
    if (!runtime?.info.capabilities.includes("options") || !isConnected(state)) return;
    if (model === undefined || !isAgentName(model) || currentId === "") return;
    const ended = Object.values(turns).filter((turn) => turn.conversationId === currentId && turn.state === "ended").length;
    const question = JSON.stringify([runtime.greeting, currentId, model, ended, changes]);
    if (question === asked) return;
    asked = question;
    void ask(currentId, model);
  }

  return {
    keep,
    /** Somebody else has set one. */
    onChanged(): void {
      changes++;
      keep();
    },
  };
}
