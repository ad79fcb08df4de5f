// One use of a tool: its name, what it was given, how it stands and how long it took, in one line that opens
// to everything. While it waits for leave, the question stands below it.

import { cutText, isRecord, reveal, trustTool } from "@hawser/protocol/internal";
import { memo, useState } from "react";
import { Button, Icon } from "../components/icon.tsx";
import { isAsking, type Permission, type ToolPart } from "../state/page-state.ts";
import { KindAndPlaces } from "./about-use.tsx";
import { Approval } from "./approval.tsx";
import { CallInput } from "./call-input.tsx";
import { formatDuration, summarizeInput, wordsOfKind } from "./describe-call.ts";
import { ToolResult } from "./tool-result.tsx";

export const ToolCard = memo(function ToolCard({ tool }: { readonly tool: ToolPart }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <section aria-label={`Tool ${reveal(tool.toolName)}`} className="overflow-hidden rounded-lg border border-line bg-sheet">
      <button
        type="button"
        aria-expanded={isOpen}
        className="flex min-h-10 w-full items-center gap-2 px-3 py-1.5 text-left text-sm hover:bg-raised"
        onClick={() => setIsOpen(!isOpen)}
      >
        <Icon name={isOpen ? "open" : "shut"} className="size-3.5 text-soft" />
        <CardTitle tool={tool} />
        <CardState tool={tool} />
      </button>
      {tool.state === "running" && tool.progress && <Progress tool={tool} />}
      {tool.error !== undefined && tool.error !== plainNo && <Trouble tool={tool} error={tool.error} />}
      {isAsking(tool) && <Approval key={tool.permission.permissionId} tool={tool} />}
      {/* The reader of this page saw a question go away. */}
      {tool.permission?.isFromElsewhere && !isOpen && (
        <p className="border-t border-line px-3 py-1.5 text-xs text-soft wrap-anywhere">{describeDecision(tool.permission)}</p>
      )}
      {isOpen && <CardBody tool={tool} />}
    </section>
  );
});

/** A no is what the user wanted, so it does not look like a failure. */
const isDenied = ({ state, error, permission }: ToolPart): boolean =>
  state === "failed" && (permission?.decision === "deny" || (error ?? "").startsWith("denied:"));

/** The runtime's words for the user's own no, which the state of the card says already. */
const plainNo = "denied: the user said no";

const troubleChars = 2_000;

function Trouble({ tool, error }: { readonly tool: ToolPart; readonly error: string }) {
  const [isWhole, setIsWhole] = useState(false);
  const shown = isWhole ? error : cutText(error, troubleChars);
  const look = isDenied(tool) ? "text-soft" : "bg-alarm-wash text-alarm";
  return (
    <div className={`border-t border-line px-3 py-2 text-sm ${look}`}>
      <p className="whitespace-pre-wrap wrap-anywhere">{reveal(shown)}</p>
      {shown !== error && <Button label="Show all of it" isSmall onClick={() => setIsWhole(true)} />}
    </div>
  );
}

/** In the agent's own words where it has some. */
function CardTitle({ tool: { toolName, toolKind, title: given, input } }: { readonly tool: ToolPart }) {
  const isTrust = toolName === trustTool;
  const title = isTrust && isRecord(input) ? String(input["folder"]) : given;
  const hasTitle = title !== undefined && title.trim() !== "";
  const head = isTrust ? "Trust" : hasTitle ? wordsOfKind(toolKind) || reveal(toolName) : reveal(toolName);
  return (
    <>
      <span className={`shrink-0 text-xs font-semibold ${hasTitle ? "" : "font-mono"}`}>{head}</span>
      <span className={`min-w-0 flex-1 truncate text-xs text-soft ${hasTitle ? "" : "font-mono"}`}>
        {hasTitle ? reveal(title) : summarizeInput(input)}
      </span>
    </>
  );
}

const ends = {
  done: { word: "done", icon: "check", className: "text-leaf" },
  failed: { word: "failed", icon: "alert", className: "text-alarm" },
  denied: { word: "denied", icon: "denied", className: "text-soft" },
} as const;

function CardState({ tool }: { readonly tool: ToolPart }) {
  const { state, durationMs } = tool;
  const time = durationMs === undefined ? "" : formatDuration(durationMs);
  if (isAsking(tool)) return <span className="shrink-0 text-xs font-medium text-rope">asks you</span>;
  if (state === "running") return <span className="shrink-0 text-xs text-sea">running…</span>;
  const { word, icon, className } = isDenied(tool) ? ends.denied : ends[state];
  return (
    <span className={`flex shrink-0 items-center gap-1.5 text-xs ${className}`}>
      <span className="text-soft" title="How long it took">
        {time}
      </span>
      <Icon name={icon} className="size-3.5" />
      <span className={state === "done" ? "sr-only" : ""}>{word}</span>
    </span>
  );
}

function Progress({ tool }: { readonly tool: ToolPart }) {
  const { message, done, total } = tool.progress ?? {};
  return (
    <p className="flex items-center gap-2 border-t border-line px-3 py-1.5 text-xs text-soft">
      {done !== undefined && total !== undefined && (
        <progress className="h-1.5 w-24 accent-sea" aria-label="Progress" value={done} max={total} />
      )}
      <span>{message ?? (done === undefined ? "" : String(done))}</span>
    </p>
  );
}

function CardBody({ tool }: { readonly tool: ToolPart }) {
  const { permission } = tool;
  return (
    <div className="space-y-3 border-t border-line p-3">
      {permission?.decision !== undefined && (
        <p className="text-xs text-soft wrap-anywhere">
          {describeDecision(permission)} {reveal(permission.reason)}
        </p>
      )}
      <KindAndPlaces {...tool} />
      <CallInput tool={tool} />
      {tool.state === "running" ? <p className="text-xs text-soft">The result is not there yet.</p> : <ToolResult tool={tool} />}
    </div>
  );
}

function describeDecision({ decision = "expired", options = [], optionId, isFromElsewhere = false }: Permission): string {
  const chosen = options.find((option) => option.optionId === optionId);
  if (chosen && decision !== "expired")
    return isFromElsewhere ? `“${reveal(chosen.name)}” was chosen on another page.` : `You chose “${reveal(chosen.name)}”.`;
  return isFromElsewhere && decision !== "expired" ? decisionsElsewhere[decision] : decisions[decision];
}

const decisionsElsewhere = {
  allow: "Allowed once on another page.",
  allow_always: "Always allowed, on another page.",
  deny: "Denied on another page.",
} as const;

const decisions = {
  allow: "You allowed this once.",
  allow_always: "You chose to always allow this.",
  deny: "You denied this.",
  expired: "The question was answered elsewhere, or not answered in time.",
} as const;
