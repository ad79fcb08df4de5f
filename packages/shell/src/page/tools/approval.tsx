// The question whether a tool may run, where it comes up: what exactly will happen, and three answers. The
// focus comes here, unless the user is writing; answers count only after a moment, so that a letter or a click
// that was meant for something else is no leave.

import type { Decision } from "@hawser/agent/host/link";
import { useEffect, useRef, useState, type KeyboardEvent } from "react";
import { usePageParts } from "../session/page-context.ts";
import type { ToolPart } from "../state/page-state.ts";
import { describeCall } from "./describe-call.ts";
import { reveal } from "./reveal.ts";
import { ChangePreview } from "./tool-result.tsx";

const deafMs = 600;

const answers: readonly { readonly key: string; readonly decision: Decision; readonly label: string; readonly className: string }[] = [
  { key: "a", decision: "allow", label: "Allow once", className: "button-main" },
  { key: "w", decision: "allow_always", label: "Always allow", className: "" },
  { key: "d", decision: "deny", label: "Deny", className: "" },
];

export function Approval({ tool }: { readonly tool: ToolPart }) {
  const { actions } = usePageParts();
  const [isSent, setIsSent] = useState(false);
  const { group, isDeaf } = useAppearance();
  const { toolName, permission } = tool;
  if (!permission) return null;

  function answer(decision: Decision): void {
    if (isSent || isDeaf || !permission) return;
    setIsSent(true);
    void actions.answer(permission.permissionId, decision);
  }
  function onKeyDown(event: KeyboardEvent): void {
    const chosen = answers.find(({ key }) => key === event.key.toLowerCase());
    if (!chosen || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    answer(chosen.decision);
  }
  return (
    <div
      ref={group}
      role="group"
      aria-label={`Permission needed: ${reveal(toolName)}`}
      tabIndex={-1}
      className="space-y-3 border-t-2 border-rope bg-rope-wash p-3 focus-visible:-outline-offset-2"
      onKeyDown={onKeyDown}
    >
      <p className="text-sm font-semibold wrap-anywhere">{describeCall(toolName, permission.input)}</p>
      <p className="text-xs text-soft wrap-anywhere">{reveal(permission.reason)}</p>
      <ChangePreview toolName={toolName} input={permission.input} openDepth={openDepthOf(permission.input)} />
      <div className="flex flex-wrap gap-2">
        {answers.map(({ key, decision, label, className }) => (
          <button key={key} type="button" className={`button ${className}`} disabled={isSent || isDeaf} onClick={() => answer(decision)}>
            {label}
            <kbd className="key" aria-hidden="true">
              {key.toUpperCase()}
            </kbd>
          </button>
        ))}
      </div>
    </div>
  );
}

function useAppearance() {
  const group = useRef<HTMLDivElement>(null);
  const [isDeaf, setIsDeaf] = useState(true);
  useEffect(() => {
    const { activeElement } = document;
    const isWriting = activeElement instanceof HTMLTextAreaElement && activeElement.value !== "";
    if (!isWriting && !document.querySelector("dialog[open]")) group.current?.focus();
    group.current?.scrollIntoView({ block: "nearest" });
    const timer = setTimeout(() => setIsDeaf(false), deafMs);
    return () => clearTimeout(timer);
  }, []);
  return { group, isDeaf };
}

const wholeChars = 20_000;

/** All of it is open, unless that would be more than anybody reads; what is closed then says how much it is. */
const openDepthOf = (input: unknown): number => ((JSON.stringify(input) ?? "").length <= wholeChars ? Infinity : 2);
