// One tab's work with an agent. The agent client understands the lines; its events make the state. The session sees to it
// that what is on the screen is complete: it lists, loads and follows whenever a runtime greets, a conversation is
// opened, or an end was missed.

import { createAgentClient, type AgentClient, type AgentTurn, type ParsedLine } from "@hawser/agent/host/link";
import { agentProtocol, cutText, privateKinds, toHawserError, type AnyAgentRequest, type HawserError } from "@hawser/protocol/internal";
import { orUndefined } from "../../or-undefined.ts";
import type { OpenPageLink } from "../links/page-link.ts";
import { isConnected, runningTurnsOf, type PageEvent, type Turn } from "../state/page-state.ts";
import { conversationOf } from "../state/reduce.ts";
import { createOptionsKeeper } from "./agent-options.ts";
import { createWaitingKeeper } from "./waiting.ts";
import { createStore, type Schedule, type Store } from "./store.ts";

export interface Session {
  readonly store: Store;
  readonly client: AgentClient;
  /** Opens a conversation, at a message if one is named; a new one when there is no id. Returns its id. */
  open(conversationId?: string, messageId?: string): string;
  /** Shows a turn up to its end. */
  follow(turn: AgentTurn): Promise<void>;
  notify(text: string, isNews?: boolean): void;
  /** What waits in a conversation has changed. */
  onWaitingChanged(): void;
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
  const link = openLink({ onOverheard, onState: (state) => store.queue({ type: "link", link: state }) });
  const client = createAgentClient(link, {
    answersPermissions: true,
    onReady: (info) => store.dispatch({ type: "greeted", info }),
    onNoise(reason, line) {
      if (line !== undefined) log("received", `${reason}: ${cutText(line, noiseChars)}`, line.length);
    },
    onMessage(direction, message, { length }) {
      if (direction === "RECV") return log("received", message, length);
      const { id, kind } = message;
      // It may hold a key: nothing of the page keeps it, and the wire view shows only that it was sent.
      if (privateKinds.includes(String(kind))) return log("sent", { id, kind, notShown: "it may hold secrets" }, length);
      store.dispatch({ type: "asked", request: message as unknown as AnyAgentRequest, at: now() });
      log("sent", message, length);
    },
  });
  const followed = new Set<string>();
  let noticeCount = 0;

  function log(direction: "sent" | "received" | "other_tab", value: unknown, chars: number): void {
    store.queue({ type: "line_passed", direction, value, chars, at: now() });
  }

  /** What another tab sent, whose answers every tab gets: its turn is followed like one's own, and what it changes is changed here. */
  function onOverheard({ value, text }: ParsedLine): void {
    // A newer page may ask what this one does not know.
    const request = orUndefined(() => agentProtocol.parseRequest(value));
    // Of several answers to a question the first counts; which one that is, the runtime says.
    if (request && request.kind !== "permission_response") store.queue({ type: "asked", request, at: now() });
    log("other_tab", value, text.length);
    if (!request || followed.has(request.id)) return;
    if (request.kind === "user_message") void follow(client.adopt(request.id));
    if (request.kind === "set_option") void whenDone(client.adopt(request.id)).then(options.onChanged, ignore);
    if (changesWhatWaits.includes(request.kind)) void whenDone(client.adopt(request.id)).then(waiting.onChanged, ignore);
    if (request.kind === "compact_conversation") void followCompaction(client.adopt(request.id)).catch(ignore);
    const change = changeOf(request);
    if (change) void whenDone(client.adopt(request.id)).then(() => store.dispatch(change), ignore);
  }

  async function follow(turn: AgentTurn): Promise<void> {
    followed.add(turn.id);
    try {
      for await (const event of turn) {
        store.queue({ type: "turn", event });
        if (event.type === "steered") waiting.onChanged();
      }
    } catch (thrown) {
      const error = toHawserError(thrown);
      // A turn outlives the link: it is followed again when its runtime greets.
      if (!isLinkLost(error)) store.queue({ type: "turn_failed", id: turn.id, failure: { text: error.message, code: error.code } });
    } finally {
      followed.delete(turn.id);
    }
  }

  /** Of another tab. */
  async function followCompaction(work: AgentTurn): Promise<void> {
    for await (const event of work) if (event.type === "compaction") store.queue({ type: "compacted", compaction: event.data });
  }

  const notify = (text: string, isNews = false): void =>
    store.dispatch({ type: "notice", notice: { key: `notice-${++noticeCount}`, text, isNews } });
  const options = createOptionsKeeper({ store, client, notify });
  const stopOptions = store.subscribe(options.keep);
  const waiting = createWaitingKeeper({ store, client });
  const stopWaiting = store.subscribe(waiting.keep);
  const stop = store.subscribe(createKeeper({ store, client, follow, isFollowed: (id) => followed.has(id), now }));

  return {
    store,
    client,
    follow,
    notify,
    onWaitingChanged: waiting.onChanged,
    open(conversationId, messageId) {
      const id = conversationId ?? crypto.randomUUID();
      store.dispatch({ type: "opened", conversationId: id, isNew: conversationId === undefined, messageId });
      return id;
    },
    retryLink: () => link.retry(),
    async close() {
      stop();
      stopOptions();
      stopWaiting();
      await client.close();
    },
  };
}

const changesWhatWaits: readonly string[] = ["steer", "edit_queued", "withdraw"];

const noiseChars = 200;

const ignore = (): void => {};

async function whenDone(turn: AgentTurn): Promise<void> {
  for await (const _ of turn);
}

/** What becomes true when the runtime says `done` to it. */
function changeOf(request: AnyAgentRequest): PageEvent | undefined {
  switch (request.kind) {
    case "rename_conversation":
      return { type: "renamed", conversationId: request.conversationId, title: request.title };
    case "delete_conversation":
      return { type: "deleted", conversationId: request.conversationId };
    case "truncate_conversation":
      return { type: "truncated", conversationId: request.conversationId, after: request.after };
    case "clear_history":
      return { type: "truncated", conversationId: conversationOf(request), after: null };
    case "set_workspace":
      return request.folders[0] === undefined
        ? undefined
        : { type: "moved", conversationId: request.conversationId, folder: request.folders[0] };
    case "permission_response":
      return { type: "answered_elsewhere", answer: request };
    default:
      return undefined;
  }
}

/** The runtime may say `connection_lost` too, of its model: that ends the turn. */
const isLinkLost = ({ code, facts }: HawserError): boolean =>
  (code === "connection_lost" || code === "closed") && facts["saidByAgent"] !== true;

const connectingMs = 1_000;

interface KeeperOptions extends Pick<Session, "store" | "client" | "follow">, Pick<SessionOptions, "now"> {
  isFollowed(id: string): boolean;
}

/** Called after every change: asks the runtime for what is missing, each thing once at a time. */
function createKeeper({ store, client, follow, isFollowed, now }: KeeperOptions): () => void {
  let greeting = 0;
  let endedTurns = 0;
  let isAskingAgain = false;
  let beingCompleted = new Set<string>();

  function askStatus(): void {
    const asked = client.status(store.getState().currentId);
    asked.then((status) => store.dispatch({ type: "learned", facts: { status: { ...status, at: now() } } }), ignore);
  }

  /** The runtime does not announce whether connecting to its tool servers has worked. */
  function askAgainWhileConnecting(): void {
    if (isAskingAgain || !store.getState().status?.servers?.some(({ state }) => state === "connecting")) return;
    isAskingAgain = true;
    setTimeout(() => {
      isAskingAgain = false;
      if (isConnected(store.getState())) askStatus();
    }, connectingMs);
  }

  /** A runtime that speaks only the contract has no list: there is then nothing to show. */
  function refresh(): void {
    client.listConversations().then((conversations) => store.dispatch({ type: "learned", facts: { conversations } }), ignore);
    askStatus();
  }

  async function complete(conversationId: string): Promise<void> {
    const inProgress = beingCompleted;
    if (inProgress.has(conversationId)) return;
    inProgress.add(conversationId);
    const known = runningTurnsOf(store.getState(), conversationId).filter(({ id }) => !isFollowed(id));
    try {
      for (const { id, seq } of known) void follow(client.adopt(id, { since: seq }));
      const { currentId, threads } = store.getState();
      if (conversationId === currentId && threads[conversationId]?.load === "needed") await load(conversationId);
      await resume(conversationId, known);
    } catch (error) {
      // Left in the set: nothing is tried again before the runtime greets.
      if (isLinkLost(toHawserError(error))) return;
    }
    inProgress.delete(conversationId);
    keepComplete();
  }

  async function load(conversationId: string): Promise<void> {
    const { capabilities = [] } = store.getState().runtime?.info ?? {};
    const asked = [...(capabilities.includes("steer") ? ["steer"] : []), ...(capabilities.includes("compaction") ? ["summary"] : [])];
    const include = asked.length > 0 ? asked : undefined;
    try {
      store.dispatch({ type: "loaded", conversation: await client.loadConversation(conversationId, { include }) });
    } catch (thrown) {
      const error = toHawserError(thrown);
      if (isLinkLost(error) || error.code === "timeout") throw error;
      store.dispatch({ type: "load_failed", conversationId, reason: error.code === "unknown_method" ? undefined : error.message });
    }
  }

  async function resume(conversationId: string, known: readonly Turn[]): Promise<void> {
    const [first] = known;
    if (!first) {
      if (runningTurnsOf(store.getState(), conversationId).length > 0) return;
      const turn = await client.subscribe(conversationId, { since: 0 });
      if (!turn) return;
      store.dispatch({ type: "resumed", conversationId, running: turn.id, known: [] });
      return void follow(turn);
    }
    const running = await client.repeat(conversationId, first.seq);
    store.dispatch({ type: "resumed", conversationId, running, known: known.map(({ id }) => id) });
    if (running === undefined || running === first.id) return;
    // Another turn than the one that ran: all of it is news.
    if (!isFollowed(running)) void follow(client.adopt(running));
    await client.repeat(conversationId, 0);
  }

  function keepComplete(): void {
    const state = store.getState();
    const { runtime, currentId, threads, turns } = state;
    if (!runtime || !isConnected(state)) return;
    askAgainWhileConnecting();
    if (runtime.greeting !== greeting) {
      greeting = runtime.greeting;
      beingCompleted = new Set();
      client.listModels().then((models) => store.dispatch({ type: "learned", facts: { models } }), ignore);
      refresh();
    }
    const all = Object.values(turns);
    const ended = all.filter((turn) => turn.state === "ended").length;
    if (ended > endedTurns) refresh();
    endedTurns = ended;
    if (threads[currentId]?.load === "needed") void complete(currentId);
    for (const turn of all) if (turn.state === "running" && !isFollowed(turn.id)) void complete(turn.conversationId);
  }

  return keepComplete;
}
