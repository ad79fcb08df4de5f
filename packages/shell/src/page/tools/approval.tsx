// The question whether something may be done: what exactly will happen, and the answers there are. An answer is a click, a key on a
// button that the user went to, or a shortcut with a modifier: what is typed never answers. Answers count only after a moment, since
// a click or a shortcut may have been meant for what stood there before.

import { isRecord, reveal, trustTool } from "@hawser/protocol/internal";
import type { Decision } from "@hawser/agent/host/link";
import { useEffect, useEffectEvent, useRef, useState, type KeyboardEvent } from "react";
import { answerEvent, Keys } from "../components/keys.tsx";
import { usePage, usePageParts } from "../session/page-context.ts";
import { openQuestion, type AskingTool } from "../state/page-state.ts";
import { Diffs, KindAndPlaces } from "./about-use.tsx";
import { answerByKeys, answersTo, firstFocus, type PossibleAnswer } from "./answers.ts";
import { describeQuestion } from "./describe-call.ts";
import { JsonTree } from "./json-tree.tsx";
import { ChangePreview } from "./tool-result.tsx";

const deafMs = 600;

export function Approval({ tool }: { readonly tool: AskingTool }) {
  const { actions } = usePageParts();
  const [isSent, setIsSent] = useState(false);
  const { toolName, permission } = tool;
  const answers = answersTo(toolName, permission);
  // Of several questions the first one has the shortcuts.
  const hasShortcuts = usePage(openQuestion)?.permission.permissionId === permission.permissionId;
  const isDeaf = useMomentOfDeafness(hasShortcuts);
  const group = useRef<HTMLDivElement>(null);
  const buttons = useRef<HTMLDivElement>(null);
  useEffect(() => group.current?.scrollIntoView({ block: "nearest" }), []);

  function answer({ decision, optionId }: PossibleAnswer, via: "click" | "key" | "shortcut"): void {
    if (isSent || isDeaf) return;
    setIsSent(true);
    // The button that had the focus goes away, and what is typed next belongs into the message box.
    if (group.current?.contains(document.activeElement)) document.querySelector<HTMLElement>("#message-box")?.focus();
    void actions.answer(permission.permissionId, { decision, via, ...(optionId !== undefined && { optionId }) });
  }
  // A question that has scrolled away is shown, and not answered unseen.
  function onShortcut(decision: Decision): void {
    const meant = answerByKeys(answers, decision);
    if (buttons.current && !isInView(buttons.current)) buttons.current.scrollIntoView({ block: "nearest" });
    else if (meant) answer(meant, "shortcut");
  }
  useShortcuts(hasShortcuts, onShortcut);
  return (
    <div
      ref={group}
      role="group"
      aria-label={`Permission needed: ${reveal(permission.title ?? toolName)}`}
      className="space-y-3 border-t-2 border-rope bg-rope-wash p-3"
    >
      <p className="text-sm font-semibold whitespace-pre-line wrap-anywhere">{describeQuestion(toolName, permission)}</p>
      {toolName === trustTool ? <Brought input={permission.input} /> : <WhatHappens tool={tool} />}
      <p className="text-xs text-soft wrap-anywhere">{reveal(permission.reason)}</p>
      <div ref={buttons}>
        <AnswerButtons answers={answers} isDisabled={isSent || isDeaf} hasShortcuts={hasShortcuts} onAnswer={answer} />
      </div>
    </div>
  );
}

/** What an agent says about it, and exactly what it is given: closed where the change itself is shown. */
function WhatHappens({ tool: { toolName, permission } }: { readonly tool: AskingTool }) {
  const { input, diffs = [] } = permission;
  const preview = <ChangePreview toolName={toolName} input={input} openDepth={openDepthOf(input)} />;
  return (
    <>
      <KindAndPlaces locations={permission.locations} />
      {diffs.length > 0 && <Diffs diffs={diffs} />}
      {diffs.length === 0 ? preview : <JsonTree value={input} name="input" openDepth={0} />}
    </>
  );
}

/** What a folder brings along, which counts once it is trusted. */
function Brought({ input }: { readonly input: unknown }) {
  const { brings } = isRecord(input) ? input : {};
  if (!Array.isArray(brings)) return <JsonTree value={input} name="input" openDepth={openDepthOf(input)} />;
  return (
    <div className="text-sm">
      <p>It brings settings of its own, which count once you trust it:</p>
      <ul aria-label="What the folder brings" className="mt-1 list-disc pl-5">
        {brings.map((thing: unknown, at) => (
          <li key={at} className="wrap-anywhere whitespace-pre-wrap">
            {reveal(String(thing))}
          </li>
        ))}
      </ul>
      <p className="mt-1">If you don't trust it, the agent works there without them.</p>
    </div>
  );
}

const tones = {
  allow: "button-main",
  lasting: "border-sea bg-sheet text-sea",
  reject: "border-alarm bg-sheet text-alarm",
} as const;

interface AnswerButtonsProps {
  readonly answers: readonly PossibleAnswer[];
  readonly isDisabled: boolean;
  readonly hasShortcuts: boolean;
  onAnswer(answer: PossibleAnswer, via: "click" | "key"): void;
}

/** One stop for Tab, at an answer that does not last; the arrow keys lead to the others. */
function AnswerButtons({ answers, isDisabled, hasShortcuts, onAnswer }: AnswerButtonsProps) {
  const [stop, setStop] = useState(() => firstFocus(answers));
  function onKeyDown(event: KeyboardEvent<HTMLElement>): void {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (step === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const next = (stop + step + answers.length) % answers.length;
    setStop(next);
    event.currentTarget.querySelectorAll("button")[next]?.focus();
  }
  return (
    <div role="toolbar" aria-label="Answers" className="flex flex-wrap gap-2" onKeyDown={onKeyDown}>
      {answers.map((answer, at) => (
        <button
          key={at}
          type="button"
          className={`button max-w-full flex-wrap ${tones[answer.tone]}`}
          disabled={isDisabled}
          tabIndex={at === stop ? 0 : -1}
          aria-keyshortcuts={hasShortcuts && answer.keys.length > 0 ? answer.keys.join("+") : undefined}
          onFocus={() => setStop(at)}
          // Enter or Space on a button is a click without a pointer.
          onClick={({ detail }) => onAnswer(answer, detail === 0 ? "key" : "click")}
        >
          <span className="wrap-anywhere">{answer.label}</span>
          {answer.effect !== undefined && <span className="text-xs font-normal">{answer.effect}</span>}
          {hasShortcuts && <Keys keys={answer.keys} isHidden />}
        </button>
      ))}
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
