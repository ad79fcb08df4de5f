// The turns that run. Each event is taken in once and in its place: what was seen is dropped, what comes
// before its time waits for what is missing, so that live events and those that are sent again after a lost
// connection may mix. When an end comes before what is missing, the history is asked instead.

import { limits } from "@hawser/wire";
import { addToAnswer, endTools, keyOf } from "./message-parts.ts";
import type { Message, PageState, Thread, Turn, TurnResponse } from "./page-state.ts";
import { withAnswer, withThread } from "./threads.ts";

export function beginTurn(state: PageState, id: string, conversationId: string): PageState {
  if (state.turns[id]) return state;
  const turn: Turn = { id, conversationId, state: "running", seq: 0, held: {}, isStopping: false };
  return { ...state, turns: { ...state.turns, [id]: turn } };
}

export function receiveTurnEvent(state: PageState, event: TurnResponse): PageState {
  const known = claim(state, event.id);
  const turn = known.turns[event.id];
  if (!turn) return keepUnclaimed(state, event);
  if (turn.state === "ended") return state;
  const { seq } = event;
  // Not on the screen: it is loaded when it is opened.
  if (!known.threads[turn.conversationId]) return isEnd(event) ? endTurn(known, turn) : known;
  if (seq === undefined) return take(known, turn, event);
  if (seq <= turn.seq) return known;
  if (seq === turn.seq + 1) return takeHeld(take(known, turn, event), turn.id);
  return isEnd(event) ? endWithGap(known, turn, event) : hold(known, turn, event, seq);
}

/** A turn that another page began, and that this one knows from the history only. */
function claim(state: PageState, id: string): PageState {
  if (state.turns[id]) return state;
  const thread = Object.values(state.threads).find(({ messages }) => messages.at(-1)?.requestId === id);
  return thread ? beginTurn(state, id, thread.conversationId) : state;
}

/** Only while a `subscribe` is under way can it turn out whose they are. */
function keepUnclaimed(state: PageState, event: TurnResponse): PageState {
  const isAsked = Object.values(state.requests).some(({ kind }) => kind === "subscribe");
  if (!isAsked || state.unclaimed.length >= limits.shellHeldEntries) return state;
  return { ...state, unclaimed: [...state.unclaimed, event] };
}

const isEnd = ({ type }: TurnResponse): boolean => type === "done" || type === "error";

function hold(state: PageState, turn: Turn, event: TurnResponse, seq: number): PageState {
  if (Object.keys(turn.held).length >= limits.shellHeldEntries) return state;
  return withTurn(state, { ...turn, held: { ...turn.held, [seq]: event } });
}

function takeHeld(state: PageState, id: string): PageState {
  let next = state;
  for (;;) {
    const turn = next.turns[id];
    const event = turn?.held[turn.seq + 1];
    if (!turn || !event) return next;
    const { [turn.seq + 1]: _, ...held } = turn.held;
    next = take(next, { ...turn, held }, event);
  }
}

function endWithGap(state: PageState, turn: Turn, end: TurnResponse): PageState {
  const filled = Object.values(turn.held).reduce((next, event) => take(next, next.turns[turn.id] ?? turn, event), state);
  const ended = take(filled, { ...(filled.turns[turn.id] ?? turn), held: {} }, end);
  return needsLoad(ended, turn.conversationId);
}

export const needsLoad = (state: PageState, conversationId: string): PageState =>
  withThread(state, conversationId, (thread) => ({ ...thread, load: "needed" }));

const withTurn = (state: PageState, turn: Turn): PageState => ({ ...state, turns: { ...state.turns, [turn.id]: turn } });

function take(state: PageState, turn: Turn, event: TurnResponse): PageState {
  const next: Turn = { ...turn, seq: event.seq ?? turn.seq, ...factsOf(event) };
  const changed = withThread(withTurn(state, next), turn.conversationId, (thread) => {
    const present = withPlaceForAnswer(thread, event);
    return withUserMessageId(
      withAnswer(present, turn.id, (message) => addToAnswer(fromTheBeginning(message, event), event)),
      event,
    );
  });
  if (!isEnd(event)) return changed;
  // The history knows what became of an answer that failed, and the ids that its `error` does not name.
  return event.type === "error" ? needsLoad(endTurn(changed, next), turn.conversationId) : endTurn(changed, next);
}

function factsOf(event: TurnResponse): Partial<Turn> {
  if (event.type === "progress") return event.data.toolId === undefined ? { progress: event.data.message } : {};
  if (event.type !== "usage") return { progress: undefined };
  const { model, inputTokens = 0, outputTokens = 0, costUsd } = event.data;
  return { usage: { model, inputTokens, outputTokens, costUsd } };
}

/** What the history had of a running turn is told again by its events, from the first one on. */
const fromTheBeginning = (message: Message, { seq }: TurnResponse): Message =>
  seq === 1 ? { ...message, parts: [], state: "running", failure: undefined } : { ...message, state: "running" };

function withPlaceForAnswer(thread: Thread, { id, timestamp }: TurnResponse): Thread {
  if (thread.messages.some((message) => message.role === "assistant" && message.requestId === id)) return thread;
  const answer: Message = { key: keyOf("assistant", id), role: "assistant", parts: [], at: timestamp, state: "running", requestId: id };
  return { ...thread, messages: [...thread.messages, answer] };
}

function withUserMessageId(thread: Thread, event: TurnResponse): Thread {
  const messageId = event.type === "done" ? event.data?.userMessageId : undefined;
  const at = thread.messages.findLastIndex(({ role, requestId }) => role === "user" && requestId === event.id);
  const message = thread.messages[at];
  if (messageId === undefined || !message) return thread;
  return { ...thread, messages: thread.messages.with(at, { ...message, messageId }) };
}

function endTurn(state: PageState, turn: Turn): PageState {
  return withTurn(state, { ...turn, state: "ended", held: {}, isStopping: false, progress: undefined });
}

/** Ends it from here: nobody will say how it went. */
export function loseTurn(state: PageState, id: string, text: string): PageState {
  const turn = state.turns[id];
  if (turn?.state !== "running") return state;
  const ended = withThread(endTurn(state, turn), turn.conversationId, (thread) =>
    withAnswer(thread, id, (message) => ({ ...endTools(message, text), state: "ended", failure: { text } })),
  );
  return needsLoad(ended, turn.conversationId);
}

export function loseAllTurns(state: PageState, text: string): PageState {
  const running = Object.values(state.turns).filter((turn) => turn.state === "running");
  return running.reduce((next, { id }) => loseTurn(next, id, text), state);
}
