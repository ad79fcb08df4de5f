// Changes to the conversations that are held: their messages, and what the history says about them.

import type { LoadedConversation } from "@hawser/agent/host/link";
import { shellLimits } from "../../limits.ts";
import { asksFor, findTool, fromHistory } from "./message-parts.ts";
import { runningTurnsOf, type Message, type PageState, type Part, type Thread } from "./page-state.ts";

export function conversationOfPermission({ threads }: PageState, permissionId: string): string | undefined {
  return Object.values(threads).find(({ messages }) => messages.some((message) => asksFor(message, permissionId)))?.conversationId;
}

export function withThread(state: PageState, conversationId: string, change: (thread: Thread) => Thread): PageState {
  const thread = state.threads[conversationId];
  if (!thread) return state;
  const changed = change(thread);
  return changed === thread ? state : { ...state, threads: { ...state.threads, [conversationId]: changed } };
}

/** Changes the message of a request, or the answer to it, if there is one. */
export function withMessage(thread: Thread, role: Message["role"], requestId: string, change: (message: Message) => Message): Thread {
  const { messages } = thread;
  const at = messages.findLastIndex((message) => message.role === role && message.requestId === requestId);
  const message = messages[at];
  return message ? { ...thread, messages: messages.with(at, change(message)) } : thread;
}

export function openThread(state: PageState, conversationId: string, isNew: boolean): PageState {
  const title = state.conversations.find((summary) => summary.conversationId === conversationId)?.title ?? "";
  const thread = state.threads[conversationId] ?? { conversationId, title, messages: [], load: isNew ? "done" : "needed" };
  // The one that was opened last is the last of them.
  const { [conversationId]: _, ...others } = state.threads;
  return forgetOldThreads({ ...state, currentId: conversationId, threads: { ...others, [conversationId]: thread } });
}

function forgetOldThreads(state: PageState): PageState {
  const idle = Object.keys(state.threads).filter((id) => id !== state.currentId && runningTurnsOf(state, id).length === 0);
  const gone = idle.slice(0, Math.max(0, idle.length - shellLimits.shellThreadEntries));
  return gone.length === 0 ? state : gone.reduce(dropThread, state);
}

/** With everything that is known of its turns. */
export function dropThread(state: PageState, conversationId: string): PageState {
  const { [conversationId]: _, ...threads } = state.threads;
  const turns = Object.fromEntries(Object.entries(state.turns).filter(([, turn]) => turn.conversationId !== conversationId));
  return { ...state, threads, turns };
}

/** What is held may be incomplete. */
export const needsLoad = (state: PageState, conversationId: string): PageState =>
  withThread(state, conversationId, (thread) => ({ ...thread, load: "needed" }));

/**
 * What the history says, with what it can't know yet: messages on their way, and the answer that is being
 * written, of which it has only the finished steps.
 */
export function takeHistory(state: PageState, { conversationId, title, messages }: LoadedConversation): PageState {
  return withThread(state, conversationId, (thread) => {
    const shown = new Map(
      thread.messages.flatMap((each) => (each.role === "assistant" && each.requestId !== undefined ? [[each.requestId, each]] : [])),
    );
    const loaded = withOwnKeys(messages.map(fromHistory)).map((message) => keepWhatIsKnown(state, shown, message));
    const isLoaded = new Set(loaded.map(({ requestId }) => requestId));
    const unwritten = thread.messages.filter(
      ({ messageId, requestId }) => messageId === undefined && requestId !== undefined && !isLoaded.has(requestId),
    );
    return { ...thread, title: title || thread.title, messages: [...loaded, ...unwritten], load: "done" };
  });
}

/** `answers`: those that are shown, by their requests; of several the last. */
function keepWhatIsKnown(state: PageState, answers: ReadonlyMap<string, Message>, message: Message): Message {
  if (message.role === "user" || message.requestId === undefined) return message;
  const shown = answers.get(message.requestId);
  if (!shown) return message;
  const turn = state.turns[message.requestId];
  if (turn?.state === "running" && turn.seq > 0) return { ...shown, messageId: message.messageId };
  return {
    ...message,
    parts: withUnwritten(
      message.parts.map((part) => withTimes(part, shown.parts)),
      shown.parts,
    ),
    failure: message.failure && (shown.failure ?? message.failure),
  };
}

/** The history does not hold how long a tool took. */
function withTimes(part: Part, shown: readonly Part[]): Part {
  if (part.kind !== "tool") return part;
  const known = findTool(shown, part.toolId);
  if (!known) return part;
  const { durationMs, permission } = known;
  return { ...part, durationMs, permission };
}

/** Nor what was thought and planned: it stays where it stood, by how many other parts stood before it. */
function withUnwritten(parts: readonly Part[], shown: readonly Part[]): readonly Part[] {
  const merged = [...parts];
  // A summary that was told stands elsewhere in the history.
  const others = shown.filter(({ kind }) => kind !== "summary");
  for (const [at, part] of others.entries()) if (part.kind === "thought" || part.kind === "plan") merged.splice(at, 0, part);
  return merged;
}

/** Ids are unique only among requests in flight: a host may use one again. */
function withOwnKeys(messages: readonly Message[]): readonly Message[] {
  const seen = new Set<string>();
  return messages.map((message) => {
    const key = seen.has(message.key) ? `${message.key}:${message.messageId}` : message.key;
    seen.add(key);
    return key === message.key ? message : { ...message, key };
  });
}
