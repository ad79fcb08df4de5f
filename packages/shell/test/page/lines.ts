// What a runtime and pages say, for the tests of the state: as events of the agent client, and as lines over a link.

import type { AgentInfo, ParsedLine, TurnEvent } from "@hawser/agent/host/link";
import type { AnyAgentRequest, AnyAgentResponse } from "@hawser/protocol";
import { createMailbox } from "@hawser/wire/internal";
import { HawserError } from "@hawser/protocol";
import type { PageLinkEvents } from "../../src/page/links/page-link.ts";
import { createSession, type Session } from "../../src/page/session/session.ts";
import { initialState, type PageEvent, type PageState } from "../../src/page/state/page-state.ts";
import { reduce } from "../../src/page/state/reduce.ts";

export const conversationId = "c1";

/** Every response of a turn. */
export type TurnResponse = TurnEvent | Extract<AnyAgentResponse, { type: "error" }>;

/** As the client tells it. */
export const happens = (event: TurnResponse): PageEvent =>
  event.type === "error"
    ? { type: "turn_failed", id: event.id, failure: { text: event.error, code: event.code } }
    : { type: "turn", event };

export const asked = (request: AnyAgentRequest, at = 0): PageEvent => ({ type: "asked", request, at });

export const passed = (value: object, direction: "sent" | "received" | "other_tab" = "received", at = 0): PageEvent => ({
  type: "line_passed",
  direction,
  value,
  chars: JSON.stringify(value).length,
  at,
});

export const says = (id: string, message = "hello"): AnyAgentRequest => ({
  id,
  kind: "user_message",
  message,
  metadata: { conversationId },
});

export const ready = (startedAt = 1): PageEvent => ({
  type: "greeted",
  info: { version: "1.0.0", capabilities: [], model: "offline", startedAt } satisfies AgentInfo,
});

type Body = TurnResponse extends infer Response
  ? Response extends TurnResponse
    ? Omit<Response, "id" | "seq" | "timestamp">
    : never
  : never;

/** The responses of a turn, numbered and timed as a runtime does. */
export const turnOf = (id: string, bodies: readonly Body[]): TurnResponse[] =>
  bodies.map((body, at) => ({ ...body, id, seq: at + 1, timestamp: 1_000 + at }) as TurnResponse);

export const wholeTurn = (id: string): TurnResponse[] =>
  turnOf(id, [
    { type: "token", token: "I " },
    { type: "token", token: "look." },
    { type: "tool_use", data: { toolId: "t1", toolName: "write_file", input: { path: "a", content: "b" } } },
    {
      type: "permission_request",
      data: {
        permissionId: "p1",
        toolId: "t1",
        toolName: "write_file",
        input: { path: "a", content: "b" },
        reason: "changes files",
        replaces: true,
      },
    },
    { type: "progress", data: { toolId: "t1", done: 1, total: 2 } },
    { type: "tool_result", data: { toolId: "t1", toolName: "write_file", result: { bytes: 1 }, durationMs: 7 } },
    { type: "usage", data: { model: "offline", inputTokens: 3, outputTokens: 4 } },
    { type: "token", token: "Done" },
    { type: "token", token: "." },
    { type: "done", data: { conversationId, userMessageId: "m1", assistantMessageId: "m2" } },
  ]);

export const fold = (events: readonly PageEvent[], state: PageState = opened): PageState => events.reduce(reduce, state);

const link: PageEvent = { type: "link", link: { phase: "open", runtime: "running" } };

/** Connected, with one conversation on the screen. */
export const opened: PageState = [link, ready(), { type: "opened", conversationId, isNew: true } as const].reduce<PageState>(
  reduce,
  initialState,
);

export const shown = (state: PageState) => state.threads[conversationId]?.messages ?? [];

const capabilities = ["cancel", "permissions", "conversations", "models", "subscribe", "options"];

export interface Screen {
  readonly session: Session;
  /** The requests that are no routine, as they were sent. */
  readonly requests: AnyAgentRequest[];
  say(response: object): void;
  overhear(request: AnyAgentRequest): void;
  lose(): void;
  greet(): void;
  /** Resolves when everything that was said has been taken in. */
  settled(): Promise<void>;
}

/** A whole session over a link in memory. Answers lists and states by itself; what else is asked is for the test to answer. */
export function openScreen(): Screen {
  const incoming = createMailbox<ParsedLine | { readonly lost: HawserError }>();
  const requests: AnyAgentRequest[] = [];
  let events: PageLinkEvents | undefined;
  const say = (response: object): void => {
    const value = { timestamp: 1, ...response };
    incoming.put([{ value, text: JSON.stringify(value) }]);
  };
  function answer(line: string): void {
    const request = JSON.parse(line) as AnyAgentRequest;
    const { id } = request;
    if (request.kind === "get_status") return say({ type: "status", id, data: { state: "idle", conversationLength: 0, uptime: 1 } });
    if (request.kind !== "list_models" && request.kind !== "list_conversations") return void requests.push(request);
    if (request.kind === "list_models") say({ type: "models", id, data: { models: [] } });
    else say({ type: "conversations", id, data: { conversations: [] } });
    say({ type: "done", id });
  }
  const session = createSession({
    openLink(given) {
      events = given;
      return { incoming: incoming.items, send: answer, retry() {}, close: () => incoming.end() };
    },
    schedule: (flush) => void setImmediate(flush),
    now: () => 0,
  });
  const link = (phase: "open" | "closed"): void => events?.onState({ phase, runtime: "running" });
  return {
    session,
    requests,
    say,
    overhear: (request) => events?.onOverheard({ value: request, text: JSON.stringify(request) }),
    lose() {
      link("closed");
      incoming.put([{ lost: new HawserError("connection_lost", "lost") }]);
    },
    greet() {
      link("open");
      say({ type: "ready", timestamp: 1, capabilities, model: "offline" });
    },
    async settled() {
      for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
    },
  };
}
