// The question whether a tool may run, where it comes up: what exactly will happen, and three answers. The
// focus comes here, unless the user is writing; keys count only after a moment, so that a letter that was
// meant for something else is no leave.

import type { Decision } from "@hawser/agent/host/link";
import { useEffect, useRef, useState, type KeyboardEvent } from "react";
import { usePageParts } from "../session/page-context.ts";
import type { ToolPart } from "../state/page-state.ts";
import { describeCall } from "./describe-call.ts";
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
  const { group, isDeaf } = useFocusOnAppearance();
  const { toolName, permission } = tool;
  if (!permission) return null;

  function answer(decision: Decision): void {
    if (isSent || !permission) return;
    setIsSent(true);
    void actions.answer(permission.permissionId, decision);
  }
  function onKeyDown(event: KeyboardEvent): void {
    const chosen = answers.find(({ key }) => key === event.key.toLowerCase());
    if (!chosen || isDeaf() || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    answer(chosen.decision);
  }
  return (
    <div
      ref={group}
      role="group"
      aria-label={`Permission needed: ${toolName}`}
      tabIndex={-1}
      className="space-y-3 border-t-2 border-rope bg-rope-wash p-3 focus-visible:-outline-offset-2"
      onKeyDown={onKeyDown}
    >
      <p className="text-sm font-semibold wrap-anywhere">{describeCall(toolName, permission.input)}</p>
      <p className="text-xs text-soft">{permission.reason}</p>
      <ChangePreview toolName={toolName} input={permission.input} />
      <div className="flex flex-wrap gap-2">
        {answers.map(({ key, decision, label, className }) => (
          <button key={key} type="button" className={`button ${className}`} disabled={isSent} onClick={() => answer(decision)}>
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

function useFocusOnAppearance() {
  const group = useRef<HTMLDivElement>(null);
  const appearedAt = useRef(0);
  useEffect(() => {
    appearedAt.current = performance.now();
    const { activeElement } = document;
    const isWriting = activeElement instanceof HTMLTextAreaElement && activeElement.value !== "";
    if (!isWriting && !document.querySelector("dialog[open]")) group.current?.focus();
    group.current?.scrollIntoView({ block: "nearest" });
  }, []);
  return { group, isDeaf: () => performance.now() - appearedAt.current < deafMs };
}
