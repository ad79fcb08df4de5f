// The question whether a tool may run: what exactly will happen, and three answers. An answer is a click, a key on a button
// that the user went to, or a shortcut with a modifier: what is typed never answers. Answers count only after a moment, since
// a click or a shortcut may have been meant for what stood there before.

import { reveal } from "@hawser/protocol";
import type { Decision } from "@hawser/agent/host/link";
import { useEffect, useEffectEvent, useRef, useState } from "react";
import { answerEvent, answerKeys } from "../components/keys.tsx";
import { Keys } from "../components/keys.tsx";
import { usePage, usePageParts } from "../session/page-context.ts";
import { openQuestion, type AskingTool } from "../state/page-state.ts";
import { describeCall } from "./describe-call.ts";
import { ChangePreview } from "./tool-result.tsx";

const deafMs = 600;

const answers = [
  { decision: "allow", label: "Allow once", className: "button-main", keys: answerKeys.allow },
  { decision: "allow_always", label: "Always allow", className: "", keys: [] },
  { decision: "deny", label: "Deny", className: "", keys: answerKeys.deny },
] as const;

export function Approval({ tool }: { readonly tool: AskingTool }) {
  const { actions } = usePageParts();
  const [isSent, setIsSent] = useState(false);
  const { toolName, permission } = tool;
  // Of several questions the first one has the shortcuts.
  const hasShortcuts = usePage(openQuestion)?.permission.permissionId === permission.permissionId;
  const isDeaf = useMomentOfDeafness(hasShortcuts);
  const group = useRef<HTMLDivElement>(null);
  const buttons = useRef<HTMLDivElement>(null);
  useEffect(() => group.current?.scrollIntoView({ block: "nearest" }), []);

  function answer(decision: Decision, via: "click" | "key" | "shortcut"): void {
    if (isSent || isDeaf) return;
    setIsSent(true);
    // The button that had the focus goes away, and what is typed next belongs into the message box.
    if (group.current?.contains(document.activeElement)) document.querySelector<HTMLElement>("#message-box")?.focus();
    void actions.answer(permission.permissionId, decision, via);
  }
  // A question that has scrolled away is shown, and not answered unseen.
  function onShortcut(decision: Decision): void {
    if (!buttons.current || isInView(buttons.current)) answer(decision, "shortcut");
    else buttons.current.scrollIntoView({ block: "nearest" });
  }
  useShortcuts(hasShortcuts, onShortcut);
  return (
    <div
      ref={group}
      role="group"
      aria-label={`Permission needed: ${reveal(toolName)}`}
      className="space-y-3 border-t-2 border-rope bg-rope-wash p-3"
    >
      <p className="text-sm font-semibold wrap-anywhere">{describeCall(toolName, permission)}</p>
      <p className="text-xs text-soft wrap-anywhere">{reveal(permission.reason)}</p>
      <ChangePreview toolName={toolName} input={permission.input} openDepth={openDepthOf(permission.input)} />
      <div ref={buttons} className="flex flex-wrap gap-2">
        {answers.map(({ decision, label, className, keys }) => (
          <button
            key={decision}
            type="button"
            className={`button ${className}`}
            disabled={isSent || isDeaf}
            aria-keyshortcuts={hasShortcuts && keys.length > 0 ? keys.join("+") : undefined}
            // Enter or Space on a button is a click without a pointer.
            onClick={({ detail }) => answer(decision, detail === 0 ? "key" : "click")}
          >
            {label}
            {hasShortcuts && <Keys keys={keys} isHidden />}
          </button>
        ))}
      </div>
    </div>
  );
}

/** From when the question appears, and from when it gets the shortcuts: what stood there before may have moved. */
function useMomentOfDeafness(hasShortcuts: boolean): boolean {
  const [listensWith, setListensWith] = useState<boolean>();
  useEffect(() => {
    const timer = setTimeout(() => setListensWith(hasShortcuts), deafMs);
    return () => clearTimeout(timer);
  }, [hasShortcuts]);
  return listensWith !== hasShortcuts;
}

function useShortcuts(isOn: boolean, onShortcut: (decision: Decision) => void): void {
  const onAnswer = useEffectEvent(onShortcut);
  useEffect(() => {
    if (!isOn) return undefined;
    const listener = (event: Event): void => onAnswer((event as CustomEvent<Decision>).detail);
    addEventListener(answerEvent, listener);
    return () => removeEventListener(answerEvent, listener);
  }, [isOn]);
}

function isInView(element: HTMLElement): boolean {
  const { top, bottom } = element.getBoundingClientRect();
  const list = element.closest("[role=log]")?.getBoundingClientRect();
  // Fonts and zoom make parts of pixels.
  return !list || (top >= list.top - 1 && bottom <= list.bottom + 1);
}

const wholeChars = 20_000;

/** All of it is open, unless that is too much to read; what is closed then says how much it is. */
const openDepthOf = (input: unknown): number => ((JSON.stringify(input) ?? "").length <= wholeChars ? Infinity : 2);
