// A runtime in the hands of a test: a real process behind the shell that moves lines to and from here. It answers lists, states
// and subscriptions as a runtime does; what a turn says, the test says.

import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import type {
  AnyAgentRequest,
  ConversationMessage,
  ConversationSummary,
  ModelEntry,
  OptionEntry,
  SearchMatch,
  SettingsData,
  TurnEvent,
} from "@hawser/protocol";
import { createMailbox } from "@hawser/wire/internal";

type RequestOf<Kind extends AnyAgentRequest["kind"]> = Extract<AnyAgentRequest, { kind: Kind }>;
type Body = TurnEvent extends infer Event ? (Event extends TurnEvent ? Omit<Event, "id" | "seq" | "timestamp"> : never) : never;

export interface PuppetTurn {
  readonly message: RequestOf<"user_message">;
  say(...bodies: readonly Body[]): void;
  end(error?: string): void;
}

export interface Puppet extends AsyncDisposable {
  /** For the shell. */
  readonly runtime: readonly string[];
  models: readonly ModelEntry[];
  options: readonly OptionEntry[];
  /** Why options can't be listed or set. */
  optionsError: string | undefined;
  history: readonly ConversationMessage[];
  /** What is set; without it the runtime has no settings. Before the shell starts. */
  settings: SettingsData | undefined;
  conversations: readonly ConversationSummary[];
  /** Requests of these kinds get no answer. */
  silent: readonly AnyAgentRequest["kind"][];
  /** The process ends, and what it was asked with it. */
  drop(): void;
  /** What searches find, one after the other; the last one stays. */
  found: readonly { readonly matches: readonly SearchMatch[]; readonly pending?: number }[];
  /** The requests of this kind, in order. */
  asked<Kind extends AnyAgentRequest["kind"]>(kind: Kind): readonly RequestOf<Kind>[];
  /** The next message of the user. */
  nextTurn(): Promise<PuppetTurn>;
}

const capabilities = [
  ...["streaming", "tools", "cancel", "permissions", "progress", "usage", "conversations", "models", "subscribe", "permission_via"],
  ...["reasoning", "plan", "permission_options", "options", "search"],
];

export async function startPuppet(): Promise<Puppet> {
  const folder = mkdtempSync(join(tmpdir(), "hawser-puppet-"));
  const requests: AnyAgentRequest[] = [];
  const turns = createMailbox<PuppetTurn>();
  const coming = turns.items[Symbol.asyncIterator]();
  let socket: Socket | undefined;
  let running: { id: string; conversationId: string; events: object[] } | undefined;
  const write = (value: object): void => void socket?.write(`${JSON.stringify({ timestamp: Date.now(), ...value })}\n`);

  function begin(message: RequestOf<"user_message">): void {
    const { id } = message;
    const conversationId = String(message.metadata?.["conversationId"]);
    const events: object[] = [];
    running = { id, conversationId, events };
    const emit = (body: object): void => {
      const event = { ...body, id, seq: events.length + 1, timestamp: Date.now() };
      events.push(event);
      write(event);
    };
    turns.put([
      {
        message,
        say: (...bodies) => bodies.forEach(emit),
        end(error) {
          emit(error === undefined ? { type: "done", data: { conversationId } } : { type: "error", error });
          running = undefined;
        },
      },
    ]);
  }

  function answer(request: AnyAgentRequest): void {
    const { id } = request;
    const done = (data?: object): void => write({ type: "done", id, ...(data && { data }) });
    switch (request.kind) {
      case "user_message":
        return begin(request);
      case "get_status":
        return write({ type: "status", id, data: { state: running ? "busy" : "idle", conversationLength: 0, uptime: 1_000 } });
      case "list_models":
        write({ type: "models", id, data: { models: puppet.models } });
        return done();
      case "list_conversations":
        write({ type: "conversations", id, data: { conversations: puppet.conversations } });
        return done();
      case "load_conversation":
        write({ type: "conversation", id, data: { conversationId: request.conversationId, messages: puppet.history } });
        return done();
      case "subscribe": {
        const turn = running?.conversationId === request.conversationId ? running : undefined;
        for (const event of turn?.events.slice(request.since ?? 0) ?? []) write(event);
        return done(turn && { running: turn.id });
      }
      case "search_conversations": {
        const searches = requests.filter(({ kind }) => kind === "search_conversations").length;
        const found = puppet.found[Math.min(searches, puppet.found.length) - 1];
        if (!found) return write({ type: "error", id, error: "the index can't be read" });
        write({ type: "found", id, data: found });
        return done();
      }
      case "set_option":
        if (puppet.optionsError !== undefined) return write({ type: "error", id, error: puppet.optionsError });
        puppet.options = puppet.options.map((option) =>
          option.optionId === request.optionId ? { ...option, value: request.value } : option,
        );
        write({ type: "options", id, data: { conversationId: request.conversationId, options: puppet.options } });
        return done();
      case "list_options":
        if (puppet.optionsError !== undefined) return write({ type: "error", id, error: puppet.optionsError });
        write({ type: "options", id, data: { conversationId: request.conversationId, options: puppet.options } });
        return done();
      case "get_settings":
      case "set_settings":
      case "restart_server":
        write({ type: "settings", id, data: puppet.settings });
        return done();
      default:
        return done();
    }
  }

  const path = join(folder, "runtime.sock");
  const server = createServer((connection) => {
    socket = connection.on("error", () => {});
    const offered = puppet.settings ? [...capabilities, "settings", "settings_edit"] : capabilities;
    write({
      type: "ready",
      version: "1.0.0",
      capabilities: offered,
      model: puppet.models.find(({ current }) => current)?.model ?? "offline",
    });
    createInterface({ input: connection }).on("line", (line) => {
      const request = JSON.parse(line) as AnyAgentRequest;
      requests.push(request);
      if (!puppet.silent.includes(request.kind)) answer(request);
    });
  });
  const puppet: Puppet = {
    runtime: [resolve(import.meta.dirname, "relay-runtime.mjs"), path],
    models: [{ model: "offline", available: true, current: true }],
    options: [],
    optionsError: undefined,
    history: [],
    settings: undefined,
    conversations: [],
    silent: [],
    drop: () => void socket?.destroy(),
    found: [],
    asked: <Kind extends AnyAgentRequest["kind"]>(kind: Kind) =>
      requests.filter((request): request is RequestOf<Kind> => request.kind === kind),
    async nextTurn() {
      const { value } = await coming.next();
      return value as PuppetTurn;
    },
    async [Symbol.asyncDispose]() {
      socket?.destroy();
      await new Promise((done) => server.close(done));
      rmSync(folder, { recursive: true, force: true });
    },
  };
  await new Promise<void>((listening) => server.listen(path, listening));
  return puppet;
}
