// The turns that run. The agent client gives each event once and in order; what was taken in before a lost connection
// is dropped here, and a gap is noticed, which the history fills at the end.

import type { TurnEvent } from "@hawser/agent/host/link";
import type { CompactionData } from "@hawser/protocol";
import { addToAnswer, failAnswer, keyOf } from "./message-parts.ts";
import type { Failure, Message, PageEvent, PageState, Thread, Turn } from "./page-state.ts";
import { needsLoad, withMessage, withThread } from "./threads.ts";

export function beginTurn(state: PageState, id: string, conversationId: string): PageState {
  if (state.turns[id]) return state;
  return withTurn(state, { id, conversationId, state: "running", seq: 0, isWhole: true, isStopping: false });
}

export const withTurn = (state: PageState, turn: Turn): PageState => ({ ...state, turns: { ...state.turns, [turn.id]: turn } });

export function receiveTurnEvent(state: PageState, event: TurnEvent): PageState {
  const turn = state.turns[event.id];
  const { seq } = event;
  if (turn?.state !== "running" || (seq !== undefined && seq <= turn.seq)) return state;
  // Not on the screen: it is loaded when it is opened.
  if (!state.threads[turn.conversationId]) return event.type === "done" ? endTurn(state, turn) : state;
  const isWhole = turn.isWhole && (seq === undefined || seq === turn.seq + 1);
  const next: Turn = { ...turn, seq: seq ?? turn.seq, isWhole, ...factsOf(event) };
  const changed = withThread(withTurn(state, next), turn.conversationId, (thread) => addToThread(thread, event));
  if (event.type !== "done") return changed;
  const ended = endTurn(changed, next);
  return isWhole ? ended : needsLoad(ended, turn.conversationId);
}

function factsOf(event: TurnEvent): Partial<Turn> {
  if (event.type === "progress") return event.data.toolId === undefined ? { progress: event.data.message } : {};
  // The history says what the summary is, and where it stands.
  if (event.type === "compaction") return { progress: undefined, isWhole: false };
  if (event.type !== "usage") return { progress: undefined };
  return { usage: event.data };
}

function addToThread(thread: Thread, event: TurnEvent): Thread {
  const { id, seq, timestamp } = event;
  const hasAnswer = thread.messages.some((message) => message.role === "assistant" && message.requestId === id);
  const present = hasAnswer ? thread : { ...thread, messages: [...thread.messages, toEmptyAnswer(id, timestamp)] };
  // What the history had of a running turn is told again by its events, from the first one on.
  const anew = seq === 1 && { parts: [], failure: undefined };
  const answered = withMessage(present, "assistant", id, (message) => addToAnswer({ ...message, state: "running", ...anew }, event));
  const messageId = event.type === "done" ? event.data?.userMessageId : undefined;
  return messageId === undefined ? answered : withMessage(answered, "user", id, (message) => ({ ...message, messageId }));
}

export const toEmptyAnswer = (id: string, at: number): Message => ({
  key: keyOf("assistant", id),
  role: "assistant",
  parts: [],
  at,
  state: "running",
  requestId: id,
});

/** There is room again, until the next answer says how much is in use. */
export function takeCompaction(state: PageState, { conversationId, tokensAfter }: CompactionData): PageState {
  const latest = Object.values(state.turns).findLast(
    (turn) => turn.conversationId === conversationId && turn.usage?.contextTokens !== undefined,
  );
  const noted = latest?.usage ? withTurn(state, { ...latest, usage: { ...latest.usage, contextTokens: tokensAfter } }) : state;
  return needsLoad(noted, conversationId);
}

const endTurn = (state: PageState, turn: Turn): PageState =>
  withTurn(state, { ...turn, state: "ended", isStopping: false, progress: undefined });

/** The history knows what became of an answer that failed, and the ids of its messages. */
export function failTurn(state: PageState, id: string, failure: Failure): PageState {
  const turn = state.turns[id];
  if (turn?.state !== "running") return state;
  const ended = withThread(endTurn(state, turn), turn.conversationId, (thread) =>
    withMessage(thread, "assistant", id, (message) => failAnswer(message, failure)),
  );
  return needsLoad(ended, turn.conversationId);
}

export function failAllTurns(state: PageState, text: string): PageState {
  const running = Object.values(state.turns).filter((turn) => turn.state === "running");
  return running.reduce((next, { id }) => failTurn(next, id, { text }), state);
}

const endedUnseen = "It ended while this page was not connected.";

type Resumed = Extract<PageEvent, { type: "resumed" }>;

/** Takes up the turn that runs, and ends those that have ended unseen. */
export function resumeTurns(state: PageState, { conversationId, running, known }: Resumed): PageState {
  const begun = running !== undefined ? beginTurn(state, running, conversationId) : state;
  const messages = begun.threads[conversationId]?.messages ?? [];
  // One that is in the history has begun; if it does not run, it has ended. If none runs, none waits either.
  const isOver = (id: string): boolean =>
    running === undefined || messages.some(({ requestId, messageId }) => requestId === id && messageId !== undefined);
  const over = known.filter((id) => id !== running && isOver(id));
  return over.reduce((next, id) => failTurn(next, id, { text: endedUnseen }), begun);
}
