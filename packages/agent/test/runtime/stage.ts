// A runtime on a stage: the real server between in-memory pipes, a model that follows a script, a store in
// memory, and a host that writes lines and reads every answer. `check` holds all that was said against the
// contract: ids, times, order, one end each.

import { PassThrough } from "node:stream";
import { agentProtocol, HawserError, type AnyAgentResponse, type ConversationMessage } from "@hawser/protocol";
import type { Tool } from "@hawser/tools";
import { createLifecycle, createStreamTransport, ndjson, type LifecycleControl } from "@hawser/wire/internal/node";
import type { Conversation, ConversationStore } from "../../src/history/conversation-store.ts";
import type { Steer } from "../../src/history/record.ts";
import type { Model, ModelEvent, ModelStep } from "../../src/model/model.ts";
import type { PermissionPolicy, ToolCall, Verdict } from "../../src/permissions/policy.ts";
import type { AgentParts, Workspace } from "../../src/runtime/agent-parts.ts";
import { createOneWorkspace } from "../../src/runtime/one-workspace.ts";
import { serveAgent } from "../../src/runtime/serve-agent.ts";

export type Script = (step: ModelStep, count: number) => AsyncIterable<ModelEvent> | Iterable<ModelEvent>;

/** A `user_message`. */
export const say = (id: string, message: string, conversationId?: string) => ({
  id,
  kind: "user_message",
  message,
  ...(conversationId && { metadata: { conversationId } }),
});

/** The last thing that the user said. */
export const saidBy = (step: ModelStep): string => {
  const user = step.messages.findLast(({ role }) => role === "user");
  return user?.parts.map((part) => (part.type === "text" ? part.text : "")).join("") ?? "";
};

export const toolResultsIn = (step: ModelStep) => (step.messages.at(-1)?.parts ?? []).filter((part) => part.type === "tool_result");

function scriptedModel(script: Script, name = "scripted"): Model {
  let count = 0;
  return {
    name,
    async *stream(step) {
      yield* script(step, count++);
    },
  };
}

export interface StageOptions
  extends Partial<Omit<AgentParts, "models">>, Partial<Pick<Workspace, "readAttachments" | "instructions" | "servers">> {
  readonly script?: Script;
  readonly models?: AgentParts["models"];
  readonly tools?: readonly Tool[];
  readonly decide?: (call: ToolCall) => Verdict;
  readonly allowAlways?: PermissionPolicy["allowAlways"];
}

export interface Stage {
  readonly responses: AnyAgentResponse[];
  readonly notes: string[];
  readonly lifecycle: LifecycleControl;
  readonly input: PassThrough;
  readonly output: PassThrough;
  readonly served: Promise<void>;
  send(request: object): void;
  write(text: string): void;
  /** The first response that fits, also one that has already come. */
  next(fits: (response: AnyAgentResponse) => boolean): Promise<AnyAgentResponse>;
  endOf(id: string): Promise<AnyAgentResponse>;
  of(id: string): AnyAgentResponse[];
  /** Ends the input and waits for the end; then every rule of the contract is checked. */
  close(): Promise<void>;
}

const isEnd = ({ type }: AnyAgentResponse): boolean => type === "done" || type === "error" || type === "status";

export function openStage(options: StageOptions = {}): Stage {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const transport = createStreamTransport({ readable: input, writable: output, codec: ndjson, tap: undefined });
  const lifecycle = createLifecycle();
  const notes: string[] = [];
  const served = serveAgent(transport, partsOf(options, notes), { lifecycle }).finally(() => void transport.close());
  const responses: AnyAgentResponse[] = [];
  let listeners: (() => void)[] = [];
  const reading = (async () => {
    let rest = "";
    for await (const chunk of output) {
      const lines = (rest + String(chunk)).split("\n");
      rest = lines.pop() ?? "";
      responses.push(...lines.map((line) => JSON.parse(line) as AnyAgentResponse));
      const told = listeners;
      listeners = [];
      for (const tell of told) tell();
    }
  })().catch(() => {}); // a test may break the stream

  async function next(fits: (response: AnyAgentResponse) => boolean): Promise<AnyAgentResponse> {
    for (;;) {
      const found = responses.find(fits);
      if (found) return found;
      await new Promise<void>((resolve) => listeners.push(resolve));
    }
  }

  const write = (text: string): void => void input.write(text);
  return {
    responses,
    notes,
    lifecycle,
    input,
    output,
    served,
    write,
    send: (request) => write(`${JSON.stringify(request)}\n`),
    next,
    endOf: (id) => next((response) => "id" in response && response.id === id && isEnd(response)),
    of: (id) => responses.filter((response) => "id" in response && response.id === id),
    async close() {
      input.end();
      await served;
      await reading;
      lifecycle.dispose();
      check(responses);
    },
  };
}

/** What must hold of everything a runtime writes, whatever happened (R118, R119, R123, R128, R131). */
function check(responses: readonly AnyAgentResponse[]): void {
  const ended = new Set<string>();
  const open = new Map<string, string>();
  const seqs = new Map<string, number>();
  responses.forEach((response, at) => {
    agentProtocol.parseResponse(response);
    if ((response.type === "ready") !== (at === 0)) throw new Error("`ready` is the first line, and only that");
    if (response.type === "ready") return;
    if (String(response.timestamp).length !== 13) throw new Error(`not a time in milliseconds: ${response.timestamp}`);
    if (ended.has(response.id)) throw new Error(`something came after the end of ${response.id}: ${JSON.stringify(response)}`);
    if (isEnd(response)) ended.add(response.id);
    if ("seq" in response && response.seq !== undefined) {
      const before = seqs.get(response.id) ?? 0;
      if (response.seq !== before + 1) throw new Error(`seq ${response.seq} of ${response.id} follows ${before}`);
      seqs.set(response.id, response.seq);
    }
    if (response.type === "tool_use") open.set(response.data.toolId, response.data.toolName);
    if (response.type === "tool_result" && open.get(response.data.toolId) !== response.data.toolName)
      throw new Error(`a result without its use: ${JSON.stringify(response)}`);
  });
}

export const textOf = (responses: readonly AnyAgentResponse[]): string =>
  responses.map((response) => (response.type === "token" ? response.token : "")).join("");

export function partsOf(options: StageOptions, notes: string[] = []): AgentParts {
  const model = scriptedModel(options.script ?? ((step) => [{ type: "text", text: `you said: ${saidBy(step)}` }]));
  const { tools = [], decide: _decide, allowAlways: _allowAlways, script: _, readAttachments, instructions, servers, ...rest } = options;
  const workspace = {
    readAttachments: readAttachments ?? (() => Promise.resolve([])),
    instructions: instructions ?? "Help.",
    ...(servers && { servers }),
    tools: () => tools,
    policy: policyOf(notes, options),
  };
  return {
    models: { current: model.name, pick: () => Promise.resolve(model), list: () => Promise.resolve([]) },
    store: options.store ?? arrayStore(),
    workspaces: createOneWorkspace(workspace),
    build: "0.0.0-test",
    ...rest,
  };
}

function policyOf(notes: string[], { decide, allowAlways }: StageOptions): PermissionPolicy {
  return {
    decide: decide ?? (() => ({ decision: "allow", reason: "everything is allowed here" })),
    allowAlways: allowAlways ?? (({ toolName }) => notes.push(`always ${toolName}`) > 0),
    note: ({ toolName }, { decision, by, via }) => void notes.push(`${decision} ${toolName}: ${by}, by ${via}`),
  };
}

/** The simplest store that keeps its promises. */
export function arrayStore(): ConversationStore {
  const kept = new Map<string, Kept>();
  return {
    async open(conversationId) {
      const used = { tokens: 0, usd: 0, ms: 0 };
      const state = kept.get(conversationId) ?? { title: "", folders: [], messages: [], steers: [], summaries: [], used };
      kept.set(conversationId, state);
      return toConversation(conversationId, state);
    },
    list: async () =>
      [...kept].map(([conversationId, { title, messages }]) => ({ conversationId, title, updatedAt: 0, messages: messages.length })),
    lengthOf: async (conversationId) => kept.get(conversationId)?.messages.length ?? 0,
    delete: async (conversationId) => void kept.delete(conversationId),
    search: () => Promise.resolve({ matches: [], pending: 0 }),
    fork: () => Promise.reject(new HawserError("internal", "this store forks nothing")),
    close: async () => {},
  };
}

interface Kept {
  title: string;
  folders: readonly string[];
  messages: ConversationMessage[];
  summaries: Conversation["summaries"][number][];
  used: Conversation["used"];
  steers: Steer[];
  agentSession?: NonNullable<Conversation["agentSession"]>;
}

function toConversation(conversationId: string, state: Kept): Conversation {
  const find = (messageId: string): ConversationMessage => {
    const message = state.messages.at(-1);
    if (message?.messageId !== messageId) throw new HawserError("internal", "only the last message grows");
    return message;
  };
  return {
    conversationId,
    get title() {
      return state.title;
    },
    get folders() {
      return state.folders;
    },
    isUnfinished: () => false,
    get messages() {
      return state.messages;
    },
    get bytes() {
      return state.messages.flatMap(({ parts }) => parts).reduce((sum, part) => sum + (part.type === "text" ? part.text.length : 1_000), 0);
    },
    isStale: false,
    async add(message, answer, session) {
      state.messages.push(structuredClone(message), ...(answer ? [structuredClone(answer)] : []));
      if (session) state.agentSession = session;
    },
    beforeCall: async () => {},
    addParts: async (messageId, parts) => void find(messageId).parts.push(...structuredClone(parts)),
    get summaries() {
      return state.summaries;
    },
    addSummary: async (summary) => void state.summaries.push(summary),
    get used() {
      return state.used;
    },
    finish: async (messageId, interrupted) => void (interrupted !== undefined && Object.assign(find(messageId), { interrupted })),
    get agentSession() {
      return state.agentSession;
    },
    keepAgentSession: async (session) => void (state.agentSession = session),
    get steers() {
      return state.steers;
    },
    addSteer: async (steer) => void state.steers.push(steer),
    changeSteer: () => Promise.resolve(false),
    withdrawSteer: () => Promise.resolve(false),
    takeSteers: () => Promise.resolve([]),
    rename: async (title) => void (state.title = title),
    setFolders: async (folders) => void (state.folders = folders),
    suggestTitle: async (title) => void (state.title ||= title),
    async truncate(after) {
      state.messages.length = after === null ? 0 : state.messages.findIndex(({ messageId }) => messageId === after) + 1;
    },
    clear: async () => void (state.messages.length = 0),
    close: async () => {},
  };
}

/** Something that ends when it is told to. */
export function createGate(): { readonly opened: Promise<void>; open(): void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: resolve };
}
