// A turn as a person on a terminal sees it: thoughts dim, the answer as it is written, cards for the tools and the plan, and after a
// second of silence a line that says what is waited for. While a question is open nothing is written over it.

import type { TurnEvent } from "@hawser/agent/host";
import { createProseRevealer } from "@hawser/protocol/internal";
import { fitLine } from "../command-line/output.ts";
import { showCompaction, toMeter } from "./context.ts";
import { createMarkdownStream } from "./markdown-stream.ts";
import { showPlan, showResult, showUse, type Screen } from "./tool-card.ts";
import { createWordWrap, wrapText } from "./word-wrap.ts";

export type TurnView = ReturnType<typeof createTurnView>;

const waitMs = 1_000;
const eraseLine = "\r\u001b[2K";

export function createTurnView(screen: Screen) {
  const { paint, isPlain, write } = screen;
  const markdown = createMarkdownStream(paint);
  const revealer = createProseRevealer();
  const thoughtRevealer = createProseRevealer();
  const wrap = createWordWrap(() => screen.width);
  const thoughtWrap = createWordWrap(() => screen.width);
  let isThinking = false;
  let shownPlan = "";
  let meter: string | undefined;
  let isLineOpen = false;
  let isAfterCard = false;
  let kept: string[] | undefined;
  let waiting: { since: number; doing: string; timer: NodeJS.Timeout; isShown: boolean } | undefined;

  function put(text: string): void {
    if (text === "") return;
    hideWaiting();
    if (kept) kept.push(text);
    else write(text);
    isLineOpen = !text.endsWith("\n");
  }

  function putLine(text: string): void {
    if (isLineOpen) put("\n");
    put(text);
  }

  function renderText(revealed: string): string {
    const text = revealed.replaceAll("\r\n", "\n");
    return wrap.push(isPlain ? text : markdown.push(text));
  }

  /** What was held back, since it could have gone on. */
  const renderRest = (): string => renderText(revealer.end()) + wrap.push(isPlain ? "" : markdown.end()) + wrap.end();

  // A model separates what it says from what it said before; between them now stands a card.
  function putText(text: string): void {
    endThought();
    const rest = isAfterCard ? text.replace(/^\n+/, "") : text;
    if (rest === "") return;
    const shown = renderText(revealer.push(rest));
    put(isAfterCard ? `\n${shown}` : shown);
    isAfterCard = false;
  }

  function putCard(text: string): void {
    endThought();
    put(renderRest());
    putLine(text);
    isAfterCard = true;
  }

  function putThought(text: string): void {
    if (isThinking) return put(dim(thoughtRevealer.push(text)));
    put(renderRest());
    putLine(dim(`Thinking: ${thoughtRevealer.push(text)}`));
    isThinking = true;
  }

  /** What follows is not thought any more. */
  function endThought(): void {
    if (!isThinking) return;
    isThinking = false;
    put(dim(thoughtRevealer.end()) + dimmed(thoughtWrap.end()));
    if (isLineOpen) put("\n");
    isAfterCard = true;
  }

  const dimmed = (text: string): string => (text === "" ? "" : paint("dim", text));
  const dim = (text: string): string => dimmed(thoughtWrap.push(text.replaceAll("\r\n", "\n")));

  function putPlan(plan: Extract<TurnEvent, { type: "plan" }>["data"]): void {
    const text = showPlan(plan, screen);
    // An agent may say the same again.
    if (text !== shownPlan && plan.entries.length > 0) putCard(text);
    shownPlan = text;
  }

  function wait(doing: string): void {
    hideWaiting();
    const state = { since: performance.now(), doing, isShown: false, timer: setInterval(() => draw(state), waitMs) };
    waiting = state;
  }

  function draw(state: NonNullable<typeof waiting>): void {
    if (isLineOpen || kept) return;
    const seconds = Math.round((performance.now() - state.since) / 1_000);
    write(`${eraseLine}${paint("dim", fitLine(`${state.doing} (${seconds} s, Ctrl-C stops it)`, screen.width - 1))}`);
    state.isShown = true;
  }

  function hideWaiting(): void {
    clearInterval(waiting?.timer);
    if (waiting?.isShown) write(eraseLine);
    waiting = undefined;
  }

  function show(event: TurnEvent): void {
    switch (event.type) {
      case "token":
        return putText(event.token);
      case "tool_use":
        putCard(showUse(event.data, screen));
        return wait(event.data.title ?? event.data.toolName);
      case "tool_result":
        putCard(showResult(event.data, screen));
        return wait("the model reads the result");
      case "progress":
        return void (waiting && (waiting.doing = event.data.message ?? waiting.doing));
      case "reasoning":
        return putThought(event.data.text);
      case "plan":
        return putPlan(event.data);
      case "steered":
        return putCard(`${paint("green", "↪")} ${paint("dim", "the model sees now:")} ${fitLine(event.data.message, maxNoticeChars)}\n`);
      case "compaction":
        return putCard(`${dimmed(wrapText(showCompaction(event.data), screen.width))}\n`);
      case "usage":
        meter = toMeter(event.data);
        return;
      case "permission_request":
      case "done":
    }
  }

  return {
    /** A message was sent to this model, which has said nothing yet. */
    begin: (model: string | undefined): void => wait(awaitedWords(model)),
    show,
    /** A line of its own, whatever is being written. */
    notice: (text: string): void => putLine(`${paint("dim", wrapText(fitLine(text, maxNoticeChars), screen.width))}\n`),
    /** Keeps back what comes until `resume`. */
    pause(): void {
      hideWaiting();
      put(renderRest());
      if (isLineOpen) put("\n");
      kept ??= [];
    },
    resume(): void {
      const texts = kept ?? [];
      kept = undefined;
      for (const text of texts) write(text);
    },
    /** Ends the line that is being written; a new turn may follow. */
    end(): void {
      hideWaiting();
      endThought();
      put(renderRest());
      if (isLineOpen) put("\n");
      if (meter !== undefined) put(`${dimmed(meter)}\n`);
      meter = undefined;
      shownPlan = "";
      isAfterCard = false;
    },
  };
}

const maxNoticeChars = 500;

/** A server on the user's own machine reads gigabytes before its first word. */
const awaitedWords = (model = "the model"): string =>
  model.startsWith("ollama/") ? `waiting for ${model}, maybe still loading` : `waiting for ${model}`;
