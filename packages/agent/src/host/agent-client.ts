// The host's side of the agent protocol over any link: a message becomes an async iterable of events, other
// requests become promises. A runtime that speaks only the contract works too: it is not sent what it does
// not know; a request that is given up then ends here, while the runtime finishes it unheard.

import { HawserError } from "@hawser/wire";
import type { AnyAgentResponse, ConversationMessage, ConversationSummary, ModelEntry, StatusData } from "@hawser/wire";
import type { AgentLink } from "./agent-link.ts";
import { createExchange, type AgentInfo, type Exchange, type ExchangeOptions, type RequestOptions } from "./exchange.ts";
import { joinMessages } from "./join-messages.ts";
import type { AgentEvent, Decision, OpenRequest, PermissionAnswer } from "./open-request.ts";

export interface AgentClientOptions extends ExchangeOptions {
  /** Questions are answered, by `onPermission` or `respondPermission`, so they may wait for the user as long as they can. By default where there is an `onPermission`. */
  readonly answersPermissions?: boolean | undefined;
}
export type SendOptions = RequestOptions;

export interface AgentMessage {
  readonly message: string;
  readonly attachments?: readonly { readonly path: string; readonly mime: string }[] | undefined;
  /** Known members: `conversationId`, `userId`, `model`. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}

/** What a turn says, ended by `done`. */
export type TurnEvent = Extract<
  AnyAgentResponse,
  { type: "token" | "tool_use" | "tool_result" | "permission_request" | "progress" | "usage" | "done" }
>;

/**
 * Can be read once. Throws a HawserError for the runtime's `error`, for silence, and when the runtime ends.
 * Leaving the loop early cancels the turn.
 */
export interface AgentTurn extends AsyncIterable<TurnEvent> {
  /** For `cancel`. */
  readonly id: string;
}

export interface LoadedConversation {
  readonly conversationId: string;
  readonly title: string;
  readonly messages: readonly ConversationMessage[];
}

export interface AgentClient {
  /** What the runtime says about itself; rejects when it never does. */
  readonly ready: Promise<AgentInfo>;
  /** Of the present runtime, once it is ready. */
  readonly info: AgentInfo | undefined;
  /** Begins a turn at once, whether it is read or not. */
  send(message: string | AgentMessage, options?: SendOptions): AgentTurn;
  /** Ends a turn, which then throws `cancelled`. Resolves to whether it was under way. */
  cancel(id: string): Promise<boolean>;
  status(conversationId?: string): Promise<StatusData>;
  /** With `force`, also while a turn of it runs, which is ended. */
  clearHistory(options?: { readonly conversationId?: string | undefined; readonly force?: boolean | undefined }): Promise<void>;
  /** The latest first. */
  listConversations(): Promise<readonly ConversationSummary[]>;
  loadConversation(conversationId: string, options?: { readonly after?: string | undefined }): Promise<LoadedConversation>;
  deleteConversation(conversationId: string): Promise<void>;
  renameConversation(conversationId: string, title: string): Promise<void>;
  /** Removes the messages after this one; all of them for null. */
  truncateConversation(conversationId: string, after: string | null): Promise<void>;
  listModels(): Promise<readonly ModelEntry[]>;
  /**
   * The running turn of a conversation, from its beginning or after `since`; undefined when none runs. For
   * a host that has lost its link. Leaving its loop does not cancel it.
   */
  subscribe(conversationId: string, options?: SendOptions & { readonly since?: number | undefined }): Promise<AgentTurn | undefined>;
  /** For a host without `onPermission`. Rejects when the question is unknown or has expired. */
  respondPermission(permissionId: string, decision: Decision, via?: PermissionAnswer["via"]): Promise<void>;
  /** Ends every request with `closed`, cancels running turns, and lets go of the link. */
  close(): Promise<void>;
}

export function createAgentClient(link: AgentLink, options: AgentClientOptions = {}): AgentClient {
  const exchange = createExchange(link, options);

  function send(message: string | AgentMessage, sendOptions?: SendOptions): AgentTurn {
    const { message: text, attachments, metadata: given } = typeof message === "string" ? { message } : message;
    const answersPermissions = options.answersPermissions ?? (options.onPermission ?? sendOptions?.onPermission) !== undefined;
    const metadata = answersPermissions ? { ...given, answersPermissions } : given;
    const request = exchange.begin(
      {
        kind: "user_message",
        message: text,
        ...(attachments && { attachments: attachments.map(({ path, mime }) => ({ path, mime })) }),
        ...(metadata && { metadata: { ...metadata } }),
      },
      sendOptions,
    );
    return toTurn(request);
  }

  async function cancel(id: string): Promise<boolean> {
    await exchange.ready;
    if (!exchange.info || exchange.info.capabilities.includes("cancel")) {
      const { data } = await endOf(exchange.begin({ kind: "cancel", target: id }));
      return data?.cancelled === true;
    }
    const wasOpen = exchange.isOpen(id);
    exchange.giveUp(id, new HawserError("cancelled", "cancelled by the caller; the runtime can't cancel, and finishes it unheard"));
    return wasOpen;
  }

  return {
    ready: exchange.ready,
    get info() {
      return exchange.info;
    },
    send,
    cancel,
    async status(conversationId) {
      const metadata = conversationId === undefined ? undefined : { conversationId };
      const events = await allOf(exchange.begin({ kind: "get_status", ...(metadata && { metadata }) }));
      return theOne(events, "status").data;
    },
    async clearHistory({ conversationId, force } = {}) {
      const metadata = { ...(conversationId !== undefined && { conversationId }), ...(force && { force }) };
      const hasMetadata = Object.keys(metadata).length > 0;
      await endOf(exchange.begin({ kind: "clear_history", ...(hasMetadata && { metadata }) }));
    },
    ...conversationRequests(exchange),
    subscribe: (conversationId, subscribeOptions) => subscribe(exchange, conversationId, subscribeOptions),
    async respondPermission(permissionId, decision, via) {
      await require(exchange, "permissions");
      exchange.settleQuestion(permissionId);
      await endOf(exchange.answerQuestion(permissionId, { decision, via }));
    },
    close: () => exchange.close(new HawserError("closed", "the agent client was closed")),
  };
}

type ConversationRequests = Pick<
  AgentClient,
  "listConversations" | "loadConversation" | "deleteConversation" | "renameConversation" | "truncateConversation" | "listModels"
>;

function conversationRequests(exchange: Exchange): ConversationRequests {
  return {
    async listConversations() {
      await require(exchange, "conversations");
      return theOne(await allOf(exchange.begin({ kind: "list_conversations" })), "conversations").data.conversations;
    },
    async loadConversation(conversationId, { after } = {}) {
      await require(exchange, "conversations");
      const events = await allOf(exchange.begin({ kind: "load_conversation", conversationId, ...(after !== undefined && { after }) }));
      const lines = events.filter((event) => event.type === "conversation").map(({ data }) => data);
      const title = lines.find((line) => line.title !== undefined)?.title ?? "";
      return { conversationId, title, messages: joinMessages(lines.flatMap(({ messages }) => messages)) };
    },
    async deleteConversation(conversationId) {
      await require(exchange, "conversations");
      await endOf(exchange.begin({ kind: "delete_conversation", conversationId }));
    },
    async renameConversation(conversationId, title) {
      await require(exchange, "conversations");
      await endOf(exchange.begin({ kind: "rename_conversation", conversationId, title }));
    },
    async truncateConversation(conversationId, after) {
      await require(exchange, "conversations");
      await endOf(exchange.begin({ kind: "truncate_conversation", conversationId, after }));
    },
    async listModels() {
      await require(exchange, "models");
      return theOne(await allOf(exchange.begin({ kind: "list_models" })), "models").data.models;
    },
  };
}

async function subscribe(
  exchange: Exchange,
  conversationId: string,
  { since, ...options }: Parameters<AgentClient["subscribe"]>[1] = {},
): Promise<AgentTurn | undefined> {
  await require(exchange, "subscribe");
  const hold = exchange.hold();
  try {
    const body = { kind: "subscribe" as const, conversationId, ...(since !== undefined && { since }) };
    const running = (await endOf(exchange.begin(body, { signal: options.signal }))).data?.running;
    if (running === undefined) return undefined;
    if (exchange.isOpen(running)) throw new HawserError("usage", `turn ${running} is followed by this client already`);
    return toTurn(exchange.adopt(running, hold, options));
  } finally {
    hold.letGo();
  }
}

/** What a runtime does not offer is not asked of it. */
async function require(exchange: Exchange, capability: string): Promise<void> {
  const { capabilities } = exchange.info ?? (await exchange.ready);
  if (capabilities.includes(capability)) return;
  const said = capabilities.length === 0 ? "it names no capabilities" : `it can: ${capabilities.join(", ")}`;
  throw new HawserError("unknown_method", `this agent runtime has no ${capability}; ${said}`);
}

// A turn gets no other events: `status` and the rest answer requests of their own.
const toTurn = ({ id, iterator }: OpenRequest): AgentTurn => ({
  id,
  [Symbol.asyncIterator]: () => iterator as AsyncIterator<TurnEvent, undefined>,
});

async function allOf({ iterator }: OpenRequest): Promise<AgentEvent[]> {
  const events: AgentEvent[] = [];
  for await (const event of { [Symbol.asyncIterator]: () => iterator }) events.push(event);
  return events;
}

const endOf = async (request: OpenRequest): Promise<EventOf<"done">> => theOne(await allOf(request), "done");

type EventOf<Type> = Extract<AgentEvent, { type: Type }>;

function theOne<const Type extends AgentEvent["type"]>(events: readonly AgentEvent[], type: Type): EventOf<Type> {
  const found = events.find((event): event is EventOf<Type> => event.type === type);
  if (!found) throw new HawserError("invalid_message", `the agent ended its answer without \`${type}\``);
  return found;
}
