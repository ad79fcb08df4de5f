// What a request changes, whichever tab sent it: a message appears at once, an answered question is no
// longer asked. Everything else waits for the runtime's answer.

import { cutText } from "@hawser/wire";
import type { AnyAgentRequest } from "@hawser/wire";
import { changePermission, keyOf } from "./message-parts.ts";
import type { Message, PageState, Part } from "./page-state.ts";
import { withThread } from "./threads.ts";
import { beginTurn } from "./turns.ts";

export const defaultConversationId = "default";

export function reduceRequest(state: PageState, request: AnyAgentRequest, at: number): PageState {
  if (request.kind === "user_message") return sayAsUser(state, request, at);
  if (state.requests[request.id]) return state;
  const known = { ...state, requests: { ...state.requests, [request.id]: request } };
  if (request.kind === "permission_response") return decidePermission(known, request.permissionId, toDecision(request.decision));
  if (request.kind !== "cancel") return known;
  const turn = known.turns[request.target];
  return turn?.state === "running" ? { ...known, turns: { ...known.turns, [turn.id]: { ...turn, isStopping: true } } } : known;
}

type UserMessage = Extract<AnyAgentRequest, { kind: "user_message" }>;

function sayAsUser(state: PageState, request: UserMessage, at: number): PageState {
  if (state.turns[request.id]) return state;
  const { conversationId = defaultConversationId } = (request.metadata ?? {}) as { conversationId?: string };
  const begun = beginLater(noteConversation(state, conversationId, request.message, at), request.id, conversationId);
  return withThread(begun, conversationId, (thread) => ({
    ...thread,
    title: thread.title || toTitle(request.message),
    messages: [...thread.messages, toUserMessage(request, at), toEmptyAnswer(request.id, at)],
  }));
}

/** Begun after every `subscribe` that is still unanswered. */
function beginLater(state: PageState, id: string, conversationId: string): PageState {
  const begun = beginTurn(state, id, conversationId);
  const turn = begun.turns[id];
  const earlier = Object.values(state.requests).filter(({ kind }) => kind === "subscribe");
  if (!turn || earlier.length === 0) return begun;
  return { ...begun, turns: { ...begun.turns, [id]: { ...turn, laterThan: earlier.map((request) => request.id) } } };
}

/** It is in the list at once, at the top; the runtime's own list follows. */
function noteConversation(state: PageState, conversationId: string, text: string, at: number): PageState {
  const known = state.conversations.find((summary) => summary.conversationId === conversationId);
  const summary = known ?? { conversationId, title: toTitle(text), updatedAt: at, messages: 0 };
  const others = state.conversations.filter((other) => other !== known);
  return { ...state, conversations: [{ ...summary, updatedAt: at, messages: summary.messages + 1 }, ...others] };
}

const titleChars = 60;

const toTitle = (text: string): string => cutText(text.trim().split("\n", 1)[0] ?? "", titleChars);

function toUserMessage({ id, message, attachments = [] }: UserMessage, at: number): Message {
  const text: Part[] = message === "" ? [] : [{ kind: "text", text: message }];
  const files = (attachments as readonly { path: string; mime: string }[]).map(({ path, mime }): Part => ({
    kind: "attachment",
    path,
    mime,
  }));
  return { key: keyOf("user", id), role: "user", parts: [...text, ...files], at, state: "ended", requestId: id };
}

const toEmptyAnswer = (id: string, at: number): Message => ({
  key: keyOf("assistant", id),
  role: "assistant",
  parts: [],
  at,
  state: "running",
  requestId: id,
});

const toDecision = (decision: string): "allow" | "allow_always" | "deny" =>
  decision === "allow" || decision === "allow_always" ? decision : "deny";

export function decidePermission(
  state: PageState,
  permissionId: string,
  decision: "allow" | "allow_always" | "deny" | "expired",
): PageState {
  const asks = (message: Message): boolean =>
    message.parts.some((part) => part.kind === "tool" && part.permission?.permissionId === permissionId);
  const conversationId = Object.values(state.threads).find(({ messages }) => messages.some(asks))?.conversationId;
  if (conversationId === undefined) return state;
  return withThread(state, conversationId, (thread) => ({
    ...thread,
    messages: thread.messages.map((message) => (asks(message) ? changePermission(message, permissionId, decision) : message)),
  }));
}
