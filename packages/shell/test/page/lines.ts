// Lines of a runtime and of pages, for the tests of the state.

import type { AnyAgentRequest, AnyAgentResponse } from "@hawser/wire";
import type { LineEvent, PageEvent } from "../../src/page/state/page-event.ts";
import { initialState, type PageState, type TurnResponse } from "../../src/page/state/page-state.ts";
import { reduce } from "../../src/page/state/reduce.ts";

export const conversationId = "c1";

export const received = (message: AnyAgentResponse, at = 0): LineEvent => ({
  type: "line",
  at,
  chars: JSON.stringify(message).length,
  value: message,
  line: { direction: "received", message },
});

export const sent = (message: AnyAgentRequest, direction: "sent" | "other_tab" = "sent", at = 0): LineEvent => ({
  type: "line",
  at,
  chars: JSON.stringify(message).length,
  value: message,
  line: { direction, message },
});

export const says = (id: string, message = "hello"): AnyAgentRequest => ({
  id,
  kind: "user_message",
  message,
  metadata: { conversationId },
});

export const ready = (timestamp = 1): LineEvent =>
  received({ type: "ready", timestamp, version: "1.0.0", capabilities: [], model: "offline" });

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
    { type: "tool_result", data: { toolId: "t1", toolName: "write_file", result: { bytes: 1 } } },
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
