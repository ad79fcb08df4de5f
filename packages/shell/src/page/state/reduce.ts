// The reducer: one event after the other makes the state. Pure: no clock, no network, nothing remembered besides the
// state. The agent client has matched responses to requests already; here is what they mean for the screen.

import type { AgentInfo } from "@hawser/agent/host/link";
import { type AnyAgentRequest, cutText, defaultConversation } from "@hawser/protocol/internal";
import { shellLimits } from "../../limits.ts";
import { isGone } from "../../link/page-frames.ts";
import { asksFor, changePermission, keyOf, type Answer } from "./message-parts.ts";
import { runningTurnsOf, type LinkState, type Message, type PageEvent, type PageState, type Part } from "./page-state.ts";
import { conversationOfPermission, dropThread, needsLoad, openThread, takeHistory, withMessage, withThread } from "./threads.ts";
import { beginTurn, failAllTurns, failTurn, receiveTurnEvent, resumeTurns, takeCompaction, toEmptyAnswer, withTurn } from "./turns.ts";
import { addWireEntry, clearWireLog } from "./wire-log.ts";

type Reducers = { readonly [Type in PageEvent["type"]]: (state: PageState, event: Extract<PageEvent, { type: Type }>) => PageState };

const reducers: Reducers = {
  line_passed: addWireEntry,
  link: (state, { link }) => reduceLink(state, link),
  greeted: (state, { info }) => greet(state, info),
  asked: (state, { request, at }) => reduceRequest(state, request, at),
  turn: (state, { event }) => receiveTurnEvent(state, event),
  turn_failed: (state, { id, failure }) => failTurn(state, id, failure),
  resumed: resumeTurns,
  loaded: (state, { conversation }) => takeHistory(state, conversation),
  load_failed: (state, { conversationId, reason }) =>
    withThread(state, conversationId, (thread) => ({ ...thread, load: reason === undefined ? "done" : "failed", loadError: reason })),
  load_wanted: (state, { conversationId }) => needsLoad(state, conversationId),
  moved: (state, { conversationId, folder }) => move(state, conversationId, folder),
  renamed: (state, { conversationId, title }) => rename(state, conversationId, title),
  deleted: (state, { conversationId }) => forget(state, conversationId),
  truncated: (state, { conversationId, after }) => truncate(state, conversationId, after),
  learned: (state, { facts }) => ({
    ...state,
    ...facts,
    ...(facts.conversations && { conversations: withRunning(state, facts.conversations) }),
  }),
  opened: (state, { conversationId, isNew, messageId }) => ({
    ...openThread(state, conversationId, isNew),
    sought: messageId === undefined ? undefined : { conversationId, messageId },
  }),
  compacted: (state, { compaction }) => takeCompaction(state, compaction),
  answered_elsewhere: (state, { answer }) => decidePermission(state, answer.permissionId, { ...answer, isFromElsewhere: true }),
  permission_expired: (state, { permissionId }) => decidePermission(state, permissionId, { decision: "expired" }),
  permission_reopened: (state, { permissionId }) => decidePermission(state, permissionId, { decision: undefined }),
  notice: (state, { notice }) => ({ ...state, notices: [...state.notices, notice].slice(-shellLimits.shellNoticeEntries) }),
  notice_dismissed: (state, { key }) => ({ ...state, notices: state.notices.filter((notice) => notice.key !== key) }),
  wire_cleared: (state) => ({ ...state, wire: clearWireLog(state.wire) }),
};

export function reduce(state: PageState, event: PageEvent): PageState {
  // The types can't say that the reducer and the event are of one type.
  const reducer = reducers[event.type] as (state: PageState, event: PageEvent) => PageState;
  return reducer(state, event);
}

const runtimeGone = "The agent ended before it had answered.";

/** A lost connection says nothing about the runtime, whose turns go on. */
function reduceLink(state: PageState, link: LinkState): PageState {
  return { ...(link.phase === "open" && isGone(link) ? failAllTurns(state, runtimeGone) : state), link };
}

const startedAgain = "The agent was started again. What it was doing is lost; what it had said is kept.";

function greet(state: PageState, info: AgentInfo): PageState {
  const { runtime } = state;
  const isAnother = runtime !== undefined && runtime.info.startedAt !== info.startedAt;
  const kept = isAnother ? failAllTurns(state, startedAgain) : state;
  // What is held may be behind, whichever runtime it is.
  const threads = Object.fromEntries(
    Object.entries(kept.threads).map(([id, thread]) => [id, runtime ? { ...thread, load: "needed" as const } : thread]),
  );
  return { ...kept, threads, runtime: { info, greeting: (runtime?.greeting ?? 0) + 1 } };
}

/** What a request changes at once: a message appears, an answered question is no longer asked. The rest waits for the runtime. */
function reduceRequest(state: PageState, request: AnyAgentRequest, at: number): PageState {
  if (request.kind === "user_message") return sayAsUser(state, request, at);
  if (request.kind === "permission_response") return decidePermission(state, request.permissionId, request);
  if (request.kind === "edit_queued") return reword(state, request.target, request.message);
  const turn = request.kind === "cancel" ? state.turns[request.target] : undefined;
  return turn?.state === "running" ? withTurn(state, { ...turn, isStopping: true }) : state;
}

/** Of a message whose turn has not begun; a steer isn't a message yet. */
function reword(state: PageState, id: string, text: string): PageState {
  const turn = state.turns[id];
  if (turn?.state !== "running" || turn.seq > 0) return state;
  return withThread(state, turn.conversationId, (thread) =>
    withMessage(thread, "user", id, (message) => ({
      ...message,
      parts: [{ kind: "text", text }, ...message.parts.filter(({ kind }) => kind !== "text")],
    })),
  );
}

type UserMessage = Extract<AnyAgentRequest, { kind: "user_message" }>;

function sayAsUser(state: PageState, request: UserMessage, at: number): PageState {
  if (state.turns[request.id]) return state;
  const conversationId = conversationOf(request);
  const begun = beginTurn(noteConversation(state, conversationId, request.message, at), request.id, conversationId);
  return withThread(begun, conversationId, (thread) => ({
    ...thread,
    title: thread.title || toTitle(request.message),
    messages: thread.messages.some(({ requestId }) => requestId === request.id)
      ? thread.messages
      : [...thread.messages, toUserMessage(request, at), toEmptyAnswer(request.id, at)],
  }));
}

/** Of a request with metadata; without it, the runtime's default. */
export function conversationOf({ metadata }: { readonly metadata?: unknown }): string {
  const { conversationId = defaultConversation } = (metadata ?? {}) as { conversationId?: string };
  return conversationId;
}

/** It is in the list at once, at the top; the runtime's own list follows. */
function noteConversation(state: PageState, conversationId: string, text: string, at: number): PageState {
  const known = state.conversations.find((summary) => summary.conversationId === conversationId);
  const summary = known ?? { conversationId, title: toTitle(text), updatedAt: at, messages: 0 };
  const others = state.conversations.filter((other) => other !== known);
  return { ...state, conversations: [{ ...summary, updatedAt: at, messages: summary.messages + 1 }, ...others] };
}

/** One that was begun while the runtime made its list is not in it yet. */
function withRunning(state: PageState, listed: PageState["conversations"]): PageState["conversations"] {
  const known = new Set(listed.map(({ conversationId }) => conversationId));
  const begun = state.conversations.filter(
    ({ conversationId }) => !known.has(conversationId) && runningTurnsOf(state, conversationId).length > 0,
  );
  return begun.length === 0 ? listed : [...begun, ...listed];
}

const titleChars = 60;

const toTitle = (text: string): string => cutText(text.trim().split("\n", 1)[0] ?? "", titleChars);

function toUserMessage({ id, message, attachments = [] }: UserMessage, at: number): Message {
  const text: Part[] = message === "" ? [] : [{ kind: "text", text: message }];
  const files = attachments.map(({ path, mime }): Part => ({ kind: "attachment", path, mime }));
  return { key: keyOf("user", id), role: "user", parts: [...text, ...files], at, state: "ended", requestId: id };
}

function decidePermission(state: PageState, permissionId: string, answer: Answer): PageState {
  const conversationId = conversationOfPermission(state, permissionId);
  if (conversationId === undefined) return state;
  return withThread(state, conversationId, (thread) => ({
    ...thread,
    messages: thread.messages.map((message) =>
      asksFor(message, permissionId) ? changePermission(message, permissionId, answer) : message,
    ),
  }));
}

function rename(state: PageState, conversationId: string, title: string): PageState {
  const conversations = state.conversations.map((summary) => (summary.conversationId === conversationId ? { ...summary, title } : summary));
  return withThread({ ...state, conversations }, conversationId, (thread) => ({ ...thread, title }));
}

function move(state: PageState, conversationId: string, folder: string): PageState {
  const conversations = state.conversations.map((summary) =>
    summary.conversationId === conversationId ? { ...summary, folder } : summary,
  );
  return withThread({ ...state, conversations }, conversationId, (thread) => ({ ...thread, folder }));
}

function forget(state: PageState, conversationId: string): PageState {
  const conversations = state.conversations.filter((summary) => summary.conversationId !== conversationId);
  const dropped = dropThread({ ...state, conversations }, conversationId);
  if (state.currentId !== conversationId) return dropped;
  // The conversation that is on the screen stays there, empty.
  return { ...dropped, threads: { ...dropped.threads, [conversationId]: { conversationId, title: "", messages: [], load: "done" } } };
}

function truncate(state: PageState, conversationId: string, after: string | null): PageState {
  const thread = state.threads[conversationId];
  const at = after === null ? 0 : (thread?.messages.findIndex(({ messageId }) => messageId === after) ?? -1) + 1;
  if (after !== null && at === 0) return needsLoad(state, conversationId);
  return withThread(state, conversationId, (present) => ({ ...present, messages: present.messages.slice(0, at) }));
}
