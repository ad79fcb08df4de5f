// One tab's work with an agent: the link, the client over it, and the state that their lines make. It sees
// to it that what is on the screen is complete: it lists, loads and follows whenever a runtime greets, a
// conversation is opened, or an end was missed.

import { createAgentClient, type AgentClient, type AgentTurn } from "@hawser/agent/host/link";
import { agentProtocol, describeThrown, toHawserError, type AnyAgentRequest, type AnyAgentResponse } from "@hawser/wire";
import type { OpenPageLink, PassedLine } from "../links/page-link.ts";
import type { LineEvent } from "../state/page-event.ts";
import { isConnected, runningTurnsOf } from "../state/page-state.ts";
import { createStore, type Schedule, type Store } from "./store.ts";

export interface Session {
  readonly store: Store;
  readonly client: AgentClient;
  /** Opens a conversation; a new one when there is no id. Returns its id. */
  open(conversationId?: string): string;
  /** Reads a turn to its end, so that silence and loss are noticed. */
  follow(turn: AgentTurn): Promise<void>;
  notify(text: string): void;
  retryLink(): void;
  close(): Promise<void>;
}

export interface SessionOptions {
  readonly openLink: OpenPageLink;
  readonly schedule: Schedule;
  now(): number;
}

export function createSession({ openLink, schedule, now }: SessionOptions): Session {
  const store = createStore(schedule);
  const link = openLink({
    onLine: (line) => store.queue(toLineEvent(line, now())),
    onState: (state) => store.queue({ type: "link", link: state }),
  });
  const client = createAgentClient(link, { answersPermissions: true });
  const followed = new Set<string>();
  let noticeCount = 0;

  function notify(text: string): void {
    store.dispatch({ type: "notice", notice: { key: `notice-${++noticeCount}`, text } });
  }

  async function follow(turn: AgentTurn): Promise<void> {
    if (followed.has(turn.id)) return;
    followed.add(turn.id);
    try {
      for await (const _ of turn);
    } catch (error) {
      const { code, message } = toHawserError(error);
      // Everything else is an `error` of the runtime, or a lost link, and known from there.
      if (code === "timeout" || code === "overloaded") store.dispatch({ type: "turn_given_up", id: turn.id, text: message });
    } finally {
      followed.delete(turn.id);
    }
  }

  const keepComplete = createKeeper({ store, client, follow, isFollowed: (id) => followed.has(id) });
  const stop = store.subscribe(keepComplete);

  return {
    store,
    client,
    follow,
    notify,
    open(conversationId) {
      const id = conversationId ?? crypto.randomUUID();
      store.dispatch({ type: "opened", conversationId: id, isNew: conversationId === undefined });
      return id;
    },
    retryLink: () => link.retry(),
    async close() {
      stop();
      await client.close();
    },
  };
}

const connectingMs = 1_000;

interface KeeperOptions extends Pick<Session, "store" | "client" | "follow"> {
  isFollowed(id: string): boolean;
}

/** Called after every change: asks the runtime for what is missing, each thing once at a time. */
function createKeeper({ store, client, follow, isFollowed }: KeeperOptions): () => void {
  let greeting = 0;
  let endedTurns = 0;
  let loading: string | undefined;
  let isAskingAgain = false;

  /** How servers that are being connected to come out is told by nobody. */
  function askAgainWhileConnecting(): void {
    if (isAskingAgain || !store.getState().status?.servers?.some(({ state }) => state === "connecting")) return;
    isAskingAgain = true;
    setTimeout(() => {
      isAskingAgain = false;
      const state = store.getState();
      if (isConnected(state)) client.status(state.currentId).catch(() => {});
    }, connectingMs);
  }

  function refresh(): void {
    // What can't be had is not worth a word: the runtime may speak the contract only.
    const ignore = (): void => {};
    client.listConversations().catch(ignore);
    client.status(store.getState().currentId).catch(ignore);
  }

  async function load(conversationId: string, forGreeting: number): Promise<void> {
    try {
      await client.loadConversation(conversationId);
      store.flush();
      await resume(conversationId);
    } catch {
      // The reducer has seen the `error`; a lost link is followed by a greeting, and that by a load.
    } finally {
      store.flush();
      if (loading === toLoadName(conversationId, forGreeting)) loading = undefined;
    }
    keepComplete();
  }

  async function resume(conversationId: string): Promise<void> {
    const [known] = runningTurnsOf(store.getState(), conversationId);
    if (known && isFollowed(known.id)) return;
    const turn = await client.subscribe(conversationId, { since: known?.seq ?? 0 });
    if (!turn) return;
    void follow(turn);
    // Another turn than the one that was known: all of it is news.
    if (known && known.id !== turn.id) await client.subscribe(conversationId, { since: 0 });
  }

  function keepComplete(): void {
    const state = store.getState();
    const { runtime, currentId, threads, turns } = state;
    if (!runtime || !isConnected(state)) return;
    askAgainWhileConnecting();
    if (runtime.greeting !== greeting) {
      greeting = runtime.greeting;
      client.listModels().catch(() => {});
      refresh();
    }
    const ended = Object.values(turns).filter((turn) => turn.state === "ended").length;
    if (ended > endedTurns) refresh();
    endedTurns = ended;
    const name = toLoadName(currentId, greeting);
    if (threads[currentId]?.load === "needed" && loading !== name) {
      loading = name;
      void load(currentId, greeting);
    }
  }

  return keepComplete;
}

const toLoadName = (conversationId: string, greeting: number): string => `${greeting}:${conversationId}`;

function toLineEvent({ direction, value, chars }: PassedLine, at: number): LineEvent {
  if (direction === "received") return { type: "line", at, chars, value, line: { direction, message: toResponse(value) } };
  return { type: "line", at, chars, value, line: { direction, message: toRequest(value) } };
}

/** Undefined for what a newer runtime may say, and for what is damaged. */
function toResponse(value: unknown): AnyAgentResponse | undefined {
  // By far the most frequent one.
  const { type, token } = (value ?? {}) as { type?: unknown; token?: unknown };
  if (type === "token" && typeof token === "string") return value as AnyAgentResponse;
  return orUndefined(() => agentProtocol.parseResponse(value));
}

const toRequest = (value: unknown): AnyAgentRequest | undefined => orUndefined(() => agentProtocol.parseRequest(value));

function orUndefined<Value>(parse: () => Value): Value | undefined {
  try {
    return parse();
  } catch {
    return undefined;
  }
}

/** For a notice: what was tried, and why it did not work. */
export const toNotice = (what: string, error: unknown): string => `${what}: ${describeThrown(error)}`;
