// How things stand, in one line: which model or agent answers, whether it is at work, how full its context is, what it has used, and
// where it works. Below it, what is broken.

import { usePage } from "../session/page-context.ts";
import { AgentPicker } from "./agent-picker.tsx";
import type { Switches } from "./keys.tsx";
import { ContextMeter } from "./context-meter.tsx";
import { Icon } from "./icon.tsx";
import { chosenModel, folderOf, isConnected, openQuestion, type PageState } from "../state/page-state.ts";
import { cutText, reveal, type UsageData } from "@hawser/protocol/internal";

export function StatusBar({ switches }: { readonly switches: Switches }) {
  const phase = usePage(describePhase);
  const since = usePage(describeUptime);
  const light = phase === "working" ? "beat bg-sea" : phase === "idle" ? "bg-leaf" : "bg-rope";
  return (
    <div
      role="group"
      aria-label="Status"
      className="flex flex-wrap items-center gap-x-3 gap-y-1 border-t border-line px-3 py-1.5 text-xs text-soft sm:px-6 short:flex-nowrap short:overflow-x-auto short:py-0.5 short:whitespace-nowrap short:*:shrink-0"
    >
      <AgentPicker />
      <span className="flex items-center gap-1.5" title={since}>
        <span aria-hidden="true" className={`size-2 rounded-full ${light}`} />
        {phase}
      </span>
      <ContextMeter />
      <Tokens />
      <Instructions onOpen={switches.setting} />
      <Root onFolder={switches.folder} />
      <ServerFaults />
    </div>
  );
}

function describePhase(state: PageState): string {
  const { link, turns } = state;
  if (link.phase !== "open") return link.phase === "connecting" ? "connecting" : "not connected";
  if (!isConnected(state)) return link.runtime;
  const running = Object.values(turns).filter((turn) => turn.state === "running");
  if (running.length === 0) return "idle";
  return running.every(({ conversationId }) => openQuestion(state, conversationId)) ? "asks you" : "working";
}

const describeUptime = ({ status }: PageState): string | undefined =>
  status && `The agent runs since ${new Date(status.at - status.uptime).toLocaleString()}.`;

function Tokens() {
  const turns = usePage((state) => state.turns);
  const currentId = usePage((state) => state.currentId);
  const model = usePage(chosenModel);
  const used = Object.values(turns).flatMap(({ conversationId, usage }) => (conversationId === currentId && usage ? [usage] : []));
  if (used.length === 0) return model === "offline" ? <span>no cost</span> : null;
  const input = used.reduce((sum, { inputTokens = 0 }) => sum + inputTokens, 0);
  const output = used.reduce((sum, { outputTokens = 0 }) => sum + outputTokens, 0);
  const isCounted = used.some(({ inputTokens, outputTokens }) => inputTokens !== undefined || outputTokens !== undefined);
  const cost = showCost(used);
  // An agent may say how full its context is, and nothing else.
  if (!isCounted) return cost === unknownCost ? null : <span>{cost}</span>;
  return (
    <span
      className="short:max-lg:hidden"
      title={`${input.toLocaleString("en")} tokens in and ${output.toLocaleString("en")} out in this conversation since the page was opened. What they cost is known where agent.json has your model's prices, and Claude Code says it itself when it has answered.`}
    >
      {brief.format(input)} in · {brief.format(output)} out · {cost}
    </span>
  );
}

/** `1.2K`: the exact number is shown when the pointer rests. */
const brief = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

const unknownCost = "cost not known";

/** A sum with a part missing would be wrong, and a guess worse than nothing. */
function showCost(used: readonly UsageData[]): string {
  let sum = 0;
  for (const { model, costUsd } of used) {
    if (model === "offline") continue;
    if (costUsd === undefined) return unknownCost;
    sum += costUsd;
  }
  return sum === 0 ? "no cost" : sum < 0.01 ? "under $0.01" : `$${sum.toFixed(2)}`;
}

/** How many files the agent is told, and the way to them. */
function Instructions({ onOpen }: { onOpen(): void }) {
  const status = usePage((state) => state.status);
  const count = (status?.instructions?.length ?? 0) + (status?.skills?.length ?? 0);
  if (count === 0) return null;
  return (
    <button type="button" className="chip" onClick={onOpen}>
      {count === 1 ? "1 instruction" : `${count} instructions`}
    </button>
  );
}

/** Where the conversation works, and the way to another folder. */
function Root({ onFolder }: { onFolder(): void }) {
  const root = usePage((state) => folderOf(state, state.currentId));
  const canChoose = usePage(({ runtime }) => runtime?.info.capabilities.includes("workspaces") ?? false);
  if (root === undefined) return null;
  const parts = root.split(/(?=[/\\])/);
  const shown = reveal(parts.length > 3 ? `…${parts.slice(-2).join("")}` : root);
  const title = `The agent works in ${reveal(root)}`;
  const look = "flex max-w-full min-w-0 items-center gap-1.5 sm:ml-auto short:shrink!";
  if (!canChoose)
    return (
      <span title={title} className={look}>
        <span className="sr-only">Folder: </span>
        <span className="truncate">{shown}</span>
      </span>
    );
  return (
    <button type="button" title={title} className={`${look} chip`} onClick={onFolder}>
      <Icon name="folder" className="size-3.5 text-soft" />
      <span className="sr-only">Folder: </span>
      <span className="truncate">{shown}</span>
    </button>
  );
}

const maxReasonChars = 300;

/** MCP servers that can't be used. Their tools are missing, which nothing else on the page would say. */
function ServerFaults() {
  const servers = usePage(({ status }) => status?.servers);
  const broken = (servers ?? []).filter(({ state }) => state === "failed" || state === "lost");
  return (
    <div role="status" className="w-full space-y-0.5 empty:hidden short:sr-only">
      {broken.map(({ name, state, reason }) => (
        // The settings have all of it.
        <p key={name} className="line-clamp-2 wrap-anywhere text-alarm" title={reason && reveal(reason)}>
          MCP server {reveal(JSON.stringify(name))}{" "}
          {state === "failed" ? "can't be connected to" : "is lost; the next call of one of its tools tries again"}
          {reason !== undefined && `: ${reveal(cutText(reason, maxReasonChars))}`}
        </p>
      ))}
    </div>
  );
}
