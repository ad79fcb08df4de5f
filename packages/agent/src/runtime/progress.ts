// What a tool reports while it runs, on its way to the host. A tool may report faster than a host reads:
// only a few reports wait, and of those that find no room the latest is sent when there is some.

import { cutText, limits } from "@hawser/wire";
import type { TurnEvent } from "./replay.ts";

export type Report = (done?: unknown, total?: unknown, message?: unknown) => void;

/** Never throws; `emit` may reject, which means that nobody needs the report. */
export function createProgress(toolId: string, emit: (event: TurnEvent) => Promise<void>): Report {
  let waiting = 0;
  let latest: TurnEvent | undefined;

  function send(event: TurnEvent): void {
    waiting++;
    void emit(event)
      .catch(() => {})
      .then(() => {
        waiting--;
        const next = latest;
        latest = undefined;
        if (next) send(next);
      });
  }

  return (done, total, message) => {
    const event = { type: "progress", data: { toolId, ...countOf("done", done), ...countOf("total", total), ...textOf(message) } };
    if (waiting < limits.agentProgressEntries) send(event);
    else latest = event;
  };
}

// What a tool hands in is whatever it likes; the protocol knows finite numbers and text.
const countOf = (name: string, value: unknown): object => (Number.isFinite(value) ? { [name]: value } : {});
const textOf = (value: unknown): object =>
  typeof value === "string" ? { message: cutText(value, limits.maxErrorTextChars).toWellFormed() } : {};
