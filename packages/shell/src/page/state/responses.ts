// What a response changes. Those of turns go to their turn; the others answer a request, whose `done` is
// what makes a change true: a conversation is renamed, emptied, cut or gone.

import type { AnyAgentRequest, AnyAgentResponse } from "@hawser/wire";
import type { PageState, TurnResponse } from "./page-state.ts";
import { defaultConversationId } from "./requests.ts";
import { dropThread, takeHistory, withThread } from "./threads.ts";
import { beginTurn, loseAllTurns, loseTurn, needsLoad, receiveTurnEvent } from "./turns.ts";

export function reduceResponse(state: PageState, response: AnyAgentResponse, at: number): PageState {
  switch (response.type) {
    case "ready":
      return greet(state, response);
    case "status":
      return dropRequest({ ...state, status: { ...response.data, at } }, response.id);
    case "conversations":
      return { ...state, conversations: response.data.conversations };
    case "models":
      return { ...state, models: response.data.models };
    case "conversation":
      return addLoaded(state, response);
    case "done":
    case "error": {
      const request = state.requests[response.id];
      return request ? dropRequest(endRequest(state, request, response), request.id) : receiveTurnEvent(state, response);
    }
    default:
      return receiveTurnEvent(state, response);
  }
}

type Ready = Extract<AnyAgentResponse, { type: "ready" }>;

const startedAgain = "The agent was started again. What it was doing is lost; what it had said is kept.";

function greet(state: PageState, { timestamp, version, capabilities = [], build, model }: Ready): PageState {
  const { runtime } = state;
  const isAnother = runtime !== undefined && runtime.startedAt !== timestamp;
  const kept = isAnother ? loseAllTurns(state, startedAgain) : state;
  // What is held may be behind, whichever runtime it is.
  const threads = Object.fromEntries(
    Object.entries(kept.threads).map(([id, thread]) => [id, runtime ? { ...thread, load: "needed" as const } : thread]),
  );
  const info = { version, capabilities, build, model };
  return { ...kept, threads, runtime: { info, startedAt: timestamp, greeting: (runtime?.greeting ?? 0) + 1 } };
}

type Conversation = Extract<AnyAgentResponse, { type: "conversation" }>;

function addLoaded(state: PageState, { id, data }: Conversation): PageState {
  const request = state.requests[id];
  // A part of a conversation is nothing to show, and of a request that was not seen it can't be told.
  if (request?.kind !== "load_conversation" || request.after !== undefined || !state.threads[data.conversationId]) return state;
  const loading = { ...state.loading, [id]: [...(state.loading[id] ?? []), ...data.messages] };
  return withThread({ ...state, loading }, data.conversationId, (thread) => ({ ...thread, title: data.title ?? thread.title }));
}

function dropRequest(state: PageState, id: string): PageState {
  const { [id]: gone, ...requests } = state.requests;
  const { [id]: _, ...loading } = state.loading;
  const isAsked = Object.values(requests).some(({ kind }) => kind === "subscribe");
  return gone ? { ...state, requests, loading, unclaimed: isAsked ? state.unclaimed : [] } : state;
}

type End = Extract<TurnResponse, { type: "done" | "error" }>;

function endRequest(state: PageState, request: AnyAgentRequest, end: End): PageState {
  if (end.type === "error") return request.kind === "load_conversation" ? stopLoading(state, request.conversationId) : state;
  switch (request.kind) {
    case "load_conversation": {
      // Without a line of it there is nothing; asking again would not help.
      const history = state.loading[request.id];
      return history ? takeHistory(state, request.conversationId, history) : stopLoading(state, request.conversationId);
    }
    case "subscribe":
      return followRunning(state, request, end.data?.running);
    case "delete_conversation":
      return forget(state, request.conversationId);
    case "rename_conversation":
      return rename(state, request.conversationId, request.title);
    case "truncate_conversation":
      return truncate(state, request.conversationId, request.after);
    case "clear_history":
      return truncate(state, (request.metadata as { conversationId?: string } | undefined)?.conversationId ?? defaultConversationId, null);
    default:
      return state;
  }
}

/** It can't be loaded: asking again and again would not help. */
const stopLoading = (state: PageState, conversationId: string): PageState =>
  withThread(state, conversationId, (thread) => ({ ...thread, load: "done" }));

const endedUnseen = "It ended while this page was not connected.";

type Subscribe = Extract<AnyAgentRequest, { kind: "subscribe" }>;

function followRunning(state: PageState, { id: asked, conversationId }: Subscribe, running: string | undefined): PageState {
  const thread = state.threads[conversationId];
  const begun = running !== undefined && thread ? beginTurn(state, running, conversationId) : state;
  const told = begun.unclaimed.filter(({ id }) => id === running).reduce(receiveTurnEvent, begun);
  // One that is in the history has begun; if it does not run, it has ended. If none runs, none waits either.
  const isOver = (id: string): boolean =>
    running === undefined || (thread?.messages.some(({ requestId, messageId }) => requestId === id && messageId !== undefined) ?? false);
  const over = Object.values(told.turns).filter(
    (turn) =>
      turn.conversationId === conversationId &&
      turn.state === "running" &&
      turn.id !== running &&
      !turn.laterThan?.includes(asked) &&
      isOver(turn.id),
  );
  return over.reduce((next, { id }) => loseTurn(next, id, endedUnseen), told);
}

function forget(state: PageState, conversationId: string): PageState {
  const conversations = state.conversations.filter((summary) => summary.conversationId !== conversationId);
  const dropped = dropThread({ ...state, conversations }, conversationId);
  if (state.currentId !== conversationId) return dropped;
  // The conversation that is on the screen stays there, empty.
  return { ...dropped, threads: { ...dropped.threads, [conversationId]: { conversationId, title: "", messages: [], load: "done" } } };
}

function rename(state: PageState, conversationId: string, title: string): PageState {
  const conversations = state.conversations.map((summary) => (summary.conversationId === conversationId ? { ...summary, title } : summary));
  return withThread({ ...state, conversations }, conversationId, (thread) => ({ ...thread, title }));
}

function truncate(state: PageState, conversationId: string, after: unknown): PageState {
  const thread = state.threads[conversationId];
  const at = after === null ? 0 : (thread?.messages.findIndex(({ messageId }) => messageId === after) ?? -1) + 1;
  if (after !== null && at === 0) return needsLoad(state, conversationId);
  return withThread(state, conversationId, (present) => ({ ...present, messages: present.messages.slice(0, at) }));
}
