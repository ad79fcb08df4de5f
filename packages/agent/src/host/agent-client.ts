// The host's side of the agent protocol over any link: a message becomes an async iterable of events, other requests
// become promises. A runtime that speaks only the contract works too: it is not sent what it does not know, and a
// request that is given up ends here while the runtime finishes it unheard.

import {
  type AnyAgentResponse,
  type CompactionData,
  type ConversationMessage,
  type ConversationSummary,
  HawserError,
  type ModelEntry,
  type OptionEntry,
  type StatusData,
} from "@hawser/protocol";
import type { AgentLink, HeldLines } from "./agent-link.ts";
import { createExchange, type AgentInfo, type ExchangeOptions, type RequestBody } from "./exchange.ts";
import { createFileMethods, type FileMethods } from "./file-methods.ts";
import type { AgentEvent, Decision, FollowOptions, PermissionAnswer, SendOptions } from "./open-request.ts";
import { createChangeMethods, type ChangeMethods } from "./change-methods.ts";
import { allOf, endOf, theOne, toTurn, withoutAnswer, type AgentTurn, type AskOne } from "./request-answers.ts";
import { createSettingsMethods, type SettingsMethods } from "./settings-methods.ts";
import { createSteerMethods, type SteerMethods } from "./steer-methods.ts";

export interface AgentClientOptions extends ExchangeOptions {
  /** Questions are answered, by `onPermission` or `respondPermission`, so they may wait for the user as long as they can. By default where there is an `onPermission`. */
  readonly answersPermissions?: boolean | undefined;
}

export interface AgentMessage {
  readonly message: string;
  readonly attachments?: readonly { readonly path: string; readonly mime: string }[] | undefined;
  /** Known members: `conversationId`, `userId`, `model`, `effort`, `budget`. */
  readonly metadata?: MessageMetadata | undefined;
}

export interface MessageMetadata extends Readonly<Record<string, unknown>> {
  /** How much the model is to think: `none`, `minimal`, `low`, `medium`, `high`, `xhigh` or `max`. */
  readonly effort?: string | undefined;
  /** What the turn may use. */
  readonly budget?: { readonly tokens?: number; readonly usd?: number; readonly ms?: number } | undefined;
}

export interface LoadedConversation {
  readonly conversationId: string;
  readonly title: string;
  readonly messages: readonly ConversationMessage[];
}

/** `pending`: conversations that were not looked at yet; ask again. */
export type SearchResult = Extract<AnyAgentResponse, { type: "found" }>["data"];

export interface LoadOptions {
  /** Only messages after this `messageId`. */
  readonly after?: string | undefined;
  /** Kinds of parts that are left out unless they are named: `steer`, `reasoning`, `plan`, `summary`. */
  readonly include?: readonly string[] | undefined;
}

export interface WorkspaceFolders {
  /** Absolute paths; relative ones of tools begin at the first. */
  readonly folders: readonly string[];
  /** Of this conversation alone, as the configuration has them. */
  readonly mcpServers?: Readonly<Record<string, unknown>> | undefined;
}

export interface OptionChoice {
  readonly optionId: string;
  readonly value: string | boolean;
  readonly model?: string | undefined;
}

export interface AgentClient extends SteerMethods, FileMethods, ChangeMethods, SettingsMethods {
  /** What the runtime says about itself; rejects when it never says `ready`. */
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
  loadConversation(conversationId: string, options?: LoadOptions): Promise<LoadedConversation>;
  /** Has the model summarise what was said before the last turn, so that there is room in its context. The messages stay. */
  compactConversation(conversationId: string, options?: SendOptions): Promise<CompactionData>;
  deleteConversation(conversationId: string): Promise<void>;
  renameConversation(conversationId: string, title: string): Promise<void>;
  /** Removes the messages after this one; all of them for null. */
  truncateConversation(conversationId: string, after: string | null): Promise<void>;
  /** Messages of all conversations that hold these words, the latest first. */
  search(query: string, options?: { readonly limit?: number | undefined }): Promise<SearchResult>;
  /** A new conversation that begins as this one does, up to the message `after` or its last complete answer; resolves to its id. */
  fork(conversationId: string, options?: { readonly after?: string | undefined }): Promise<string>;
  listModels(): Promise<readonly ModelEntry[]>;
  /**
   * The running turn of a conversation, from its beginning or after `since`; undefined when none runs. For
   * a host that has lost its link. Leaving its loop does not cancel it.
   */
  subscribe(conversationId: string, options?: FollowOptions): Promise<AgentTurn | undefined>;
  /**
   * Follows a request that another program sent to the same runtime, or this one over a link that was lost: what comes
   * of it from now on, in order, after `since`. Sends nothing. Neither leaving its loop nor `close` cancels it.
   */
  adopt(id: string, options?: FollowOptions): AgentTurn;
  /** Has the runtime send again what the running turn of a conversation has sent after `since`; resolves to its id. */
  repeat(conversationId: string, since?: number): Promise<string | undefined>;
  /** For a host without `onPermission`. Rejects when the question is unknown or has expired. */
  respondPermission(permissionId: string, answer: Decision | PermissionAnswer): Promise<void>;
  /**
   * The folders in which a conversation works. What they bring along counts once its user trusts them, which is asked through
   * `onPermission` as the tool `trust_folder`.
   */
  setWorkspace(conversationId: string, workspace: WorkspaceFolders, options?: SendOptions): Promise<void>;
  /** What can be chosen about the agent of a conversation; `model`: of another one than would answer next. */
  listOptions(conversationId: string, model?: string): Promise<readonly OptionEntry[]>;
  /** Returns all of them: one choice may change what else there is. */
  setOption(conversationId: string, choice: OptionChoice): Promise<readonly OptionEntry[]>;
  /** Ends every request with `closed`, cancels running turns, and lets go of the link. */
  close(): Promise<void>;
}

export function createAgentClient(link: AgentLink, options: AgentClientOptions = {}): AgentClient {
  const exchange = createExchange(link, options);

  /** A runtime is only asked for what it offers. */
  async function checkOffers(capability: string): Promise<void> {
    const { capabilities } = exchange.info ?? (await exchange.ready);
    if (capabilities.includes(capability)) return;
    const said = capabilities.length === 0 ? "it names no capabilities" : `it can: ${capabilities.join(", ")}`;
    throw new HawserError("unknown_method", `this agent runtime has no ${capability}; ${said}`);
  }

  async function ask(capability: string, body: RequestBody, askOptions?: SendOptions): Promise<AgentEvent[]> {
    await checkOffers(capability);
    return allOf(exchange.begin(body, askOptions));
  }

  const askOne: AskOne = async (capability, body, type, askOptions) => theOne(await ask(capability, body, askOptions), type);

  const change = async (body: RequestBody): Promise<void> => void (await askOne("conversations", body, "done"));

  async function repeat(conversationId: string, { since, signal }: FollowOptions): Promise<string | undefined> {
    const body = { kind: "subscribe" as const, conversationId, ...(since !== undefined && { since }) };
    return (await askOne("subscribe", body, "done", { signal })).data?.running;
  }

  function adopt(id: string, followOptions: FollowOptions, held?: HeldLines): AgentTurn {
    if (exchange.isOpen(id)) throw new HawserError("usage", `turn ${id} is followed by this client already`);
    return toTurn(exchange.adopt(id, followOptions, held));
  }

  return {
    ready: exchange.ready,
    get info() {
      return exchange.info;
    },
    send(message, sendOptions) {
      const { message: text, attachments, metadata: given } = typeof message === "string" ? { message } : message;
      const answersPermissions = options.answersPermissions ?? (options.onPermission ?? sendOptions?.onPermission) !== undefined;
      const metadata = answersPermissions ? { ...given, answersPermissions } : given;
      const body = {
        kind: "user_message" as const,
        message: text,
        ...(attachments && { attachments: attachments.map(({ path, mime }) => ({ path, mime })) }),
        ...(metadata && { metadata: { ...metadata } }),
      };
      return toTurn(exchange.begin(body, sendOptions));
    },
    async cancel(id) {
      await exchange.ready;
      if (!exchange.info || exchange.info.capabilities.includes("cancel")) {
        const { data } = await endOf(exchange.begin({ kind: "cancel", target: id }));
        return data?.cancelled === true;
      }
      const wasOpen = exchange.isOpen(id);
      exchange.giveUp(id, new HawserError("cancelled", "cancelled by the caller; the runtime can't cancel, and finishes it unheard"));
      return wasOpen;
    },
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
    async listConversations() {
      return (await askOne("conversations", { kind: "list_conversations" }, "conversations")).data.conversations;
    },
    async loadConversation(conversationId, { after, include } = {}) {
      const body = { conversationId, ...(after !== undefined && { after }), ...(include && { include: [...include] }) };
      const events = await ask("conversations", { kind: "load_conversation", ...body });
      const lines = events.filter((event) => event.type === "conversation").map(({ data }) => data);
      if (lines.length === 0) throw withoutAnswer("conversation");
      const title = lines.find((line) => line.title !== undefined)?.title ?? "";
      return { conversationId, title, messages: joinMessages(lines.flatMap(({ messages }) => messages)) };
    },
    async compactConversation(conversationId, sendOptions) {
      return (await askOne("compaction", { kind: "compact_conversation", conversationId }, "compaction", sendOptions)).data;
    },
    deleteConversation: (conversationId) => change({ kind: "delete_conversation", conversationId }),
    renameConversation: (conversationId, title) => change({ kind: "rename_conversation", conversationId, title }),
    truncateConversation: (conversationId, after) => change({ kind: "truncate_conversation", conversationId, after }),
    async search(query, { limit } = {}) {
      return (await askOne("search", { kind: "search_conversations", query, ...(limit !== undefined && { limit }) }, "found")).data;
    },
    async fork(conversationId, { after } = {}) {
      const body = { conversationId, ...(after !== undefined && { after }) };
      return (await askOne("fork", { kind: "fork_conversation", ...body }, "forked")).data.conversationId;
    },
    async listModels() {
      return (await askOne("models", { kind: "list_models" }, "models")).data.models;
    },
    subscribe: (conversationId, followOptions = {}) =>
      exchange.holding(async (held) => {
        const running = await repeat(conversationId, followOptions);
        return running === undefined ? undefined : adopt(running, followOptions, held);
      }),
    adopt: (id, followOptions = {}) => adopt(id, followOptions),
    repeat: (conversationId, since) => repeat(conversationId, { since }),
    async respondPermission(permissionId, answer) {
      await checkOffers("permissions");
      exchange.settleQuestion(permissionId);
      await endOf(exchange.answerQuestion(permissionId, typeof answer === "string" ? { decision: answer } : answer));
    },
    async setWorkspace(conversationId, { folders, mcpServers }, sendOptions) {
      const body = { conversationId, folders: [...folders], ...(mcpServers && { mcpServers: { ...mcpServers } }) };
      await askOne("workspaces", { kind: "set_workspace", ...body }, "done", sendOptions);
    },
    async listOptions(conversationId, model) {
      const body = { conversationId, ...(model !== undefined && { model }) };
      return (await askOne("options", { kind: "list_options", ...body }, "options")).data.options;
    },
    async setOption(conversationId, { optionId, value, model }) {
      const body = { conversationId, optionId, value, ...(model !== undefined && { model }) };
      return (await askOne("options", { kind: "set_option", ...body }, "options")).data.options;
    },
    ...createChangeMethods(askOne),
    ...createSteerMethods(exchange, askOne),
    ...createFileMethods(askOne),
    ...createSettingsMethods(askOne),
    close: () => exchange.close(new HawserError("closed", "the agent client was closed")),
  };
}

/** A message may be longer than a line: its parts then come in several, each with the same `messageId`. What a later line says about it counts. */
function joinMessages(pieces: readonly ConversationMessage[]): ConversationMessage[] {
  const joined: ConversationMessage[] = [];
  for (const piece of pieces) {
    const last = joined.at(-1);
    if (last?.messageId !== piece.messageId) joined.push({ ...piece, parts: [...piece.parts] });
    else joined[joined.length - 1] = { ...last, ...piece, parts: joinParts(last.parts, piece.parts) };
  }
  return joined;
}

// A text that was cut in two is one text again: the runtime never writes two of them in a row otherwise.
function joinParts(before: ConversationMessage["parts"], more: ConversationMessage["parts"]): ConversationMessage["parts"] {
  const [first, ...rest] = more;
  const last = before.at(-1);
  if (last?.type === "text" && first?.type === "text") return [...before.slice(0, -1), { ...last, text: last.text + first.text }, ...rest];
  if (last?.type === "reasoning" && first?.type === "reasoning")
    return [...before.slice(0, -1), { ...last, text: last.text + first.text }, ...rest];
  return [...before, ...more];
}
