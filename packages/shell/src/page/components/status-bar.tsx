// How things stand, in one line: which model answers, whether it is at work, what it has used, how long it
// has been running.

import { useEffect, useState } from "react";
import { usePage } from "../session/page-context.ts";
import type { PageState } from "../state/page-state.ts";
import { formatClock } from "../tools/describe-call.ts";
import { ModelPicker } from "./model-picker.tsx";

export function StatusBar() {
  const isWorking = usePage(({ turns }) => Object.values(turns).some(({ state }) => state === "running"));
  const phase = usePage(describePhase);
  return (
    <div
      role="group"
      aria-label="Status"
      className="flex flex-wrap items-center gap-x-4 gap-y-1 border-t border-line px-3 py-1.5 text-xs text-soft sm:px-6"
    >
      <ModelPicker />
      <span className="flex items-center gap-1.5">
        <span
          aria-hidden="true"
          className={`size-2 rounded-full ${phase === "ready" ? (isWorking ? "beat bg-sea" : "bg-leaf") : "bg-rope"}`}
        />
        {phase === "ready" ? (isWorking ? "working" : "idle") : phase}
      </span>
      <Tokens />
      <Uptime />
    </div>
  );
}

function describePhase({ link, runtime }: PageState): string {
  if (link.phase !== "open") return link.phase === "connecting" ? "connecting" : "not connected";
  return link.runtime === "running" && runtime ? "ready" : link.runtime;
}

function Tokens() {
  const turns = usePage((state) => state.turns);
  const currentId = usePage((state) => state.currentId);
  const model = usePage(({ pickedModel, runtime }) => pickedModel ?? runtime?.info.model);
  const used = Object.values(turns).flatMap(({ conversationId, usage }) => (conversationId === currentId && usage ? [usage] : []));
  if (used.length === 0) return model === "offline" ? <span>no cost</span> : null;
  const input = used.reduce((sum, { inputTokens }) => sum + inputTokens, 0);
  const output = used.reduce((sum, { outputTokens }) => sum + outputTokens, 0);
  // Of other models the price is not known here, and a guess would be worse than nothing.
  const isFree = used.every(({ model }) => model === "offline");
  return (
    <span title="Tokens of this conversation since the page was opened">
      {input.toLocaleString("en")} tokens in · {output.toLocaleString("en")} out{isFree && " · no cost"}
    </span>
  );
}

const tickMs = 1_000;

function Uptime() {
  const status = usePage((state) => state.status);
  const isUp = usePage(({ link }) => link.phase === "open" && link.runtime === "running");
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), tickMs);
    return () => clearInterval(timer);
  }, []);
  if (!status || !isUp) return null;
  return <span className="ml-auto">up {formatClock(status.uptime + Math.max(0, now - status.at))}</span>;
}
