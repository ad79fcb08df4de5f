// The link inside a desktop window: responses come as the event `agent_stream`, requests go to the command `agent_send`, and
// the runtime, which is supervised on the other side, tells its state with the event `agent_state`. `agent_hello` asks for the
// state and the greeting again, which may have come before this page listened.

import type { LostRuntime, ParsedLine } from "@hawser/agent/host/link";
import { describeThrown, HawserError, isRecord } from "@hawser/protocol/internal";
import { createMailbox } from "@hawser/wire/internal";
import { isGone, type RuntimeFacts, type RuntimeState } from "../../link/page-frames.ts";
import { parseLine, type PageLink, type PageLinkEvents } from "./page-link.ts";
import type { TauriPowers } from "./desktop.ts";

export function createTauriLink({ listen, invoke }: TauriPowers, { onState }: PageLinkEvents): PageLink {
  const incoming = createMailbox<ParsedLine | LostRuntime>();
  const stops: (() => void)[] = [];
  let isClosed = false;
  let facts: RuntimeFacts = {};

  function receive(payload: unknown): void {
    const line = typeof payload === "string" ? parseLine(payload) : { value: payload, text: JSON.stringify(payload) ?? "" };
    // A runtime that speaks runs, even if its state has not come yet.
    if (isRecord(line.value) && line.value["type"] === "ready") onState({ ...facts, phase: "open", runtime: "running" });
    incoming.put([line]);
  }

  function takeState(payload: unknown): void {
    if (!isRecord(payload) || !runtimeStates.includes(payload["runtime"])) return;
    const { runtime, message, root, examples } = payload as unknown as RuntimeState;
    facts = { root, examples };
    if (isGone({ runtime })) incoming.put([{ lost: new HawserError("connection_lost", message ?? "the agent has ended") }]);
    onState({ ...facts, phase: "open", runtime, message });
  }

  async function follow(event: string, handler: (payload: unknown) => void): Promise<void> {
    const stop = await listen(event, ({ payload }) => (isClosed ? undefined : handler(payload)));
    if (isClosed) stop();
    else stops.push(stop);
  }

  async function begin(): Promise<void> {
    onState({ phase: "connecting", runtime: "starting" });
    try {
      await Promise.all([follow("agent_stream", receive), follow("agent_state", takeState)]);
      await invoke("agent_hello", {});
    } catch (error) {
      onState({ phase: "ended", runtime: "failed", message: describeThrown(error) });
      incoming.end();
    }
  }

  void begin();
  return {
    incoming: incoming.items,
    async send(line) {
      // Only this line is lost: its request fails, and the others go on.
      await invoke("agent_send", { line }).catch((cause: unknown) => {
        throw toRefusal(cause);
      });
    },
    retry() {},
    close() {
      isClosed = true;
      for (const stop of stops.splice(0)) stop();
      incoming.end();
      onState({ phase: "ended", runtime: "failed" });
    },
  };
}

const refusals = ["connection_lost", "overloaded", "too_large", "usage"] as const;

/** The process says which one it is, as a server would; what Tauri itself refuses is only a text. */
function toRefusal(cause: unknown): HawserError {
  const { code, message } = isRecord(cause) ? cause : {};
  const known = refusals.find((name) => name === code) ?? "overloaded";
  const reason = typeof message === "string" ? message : describeThrown(cause);
  return new HawserError(known, `the agent did not take it: ${reason}`, { cause });
}

const runtimeStates: readonly unknown[] = ["starting", "running", "restarting", "failed"];
