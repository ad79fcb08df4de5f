// The agent protocol, part three: what goes beyond the contract; a runtime without it isn't faulty. The scenarios use the English that
// the offline model understands, so that tools and questions can be tried without a language model.

import { toScenarios } from "../scenario.ts";
import {
  ask,
  decides,
  done,
  during,
  endsTurn,
  endsWell,
  eventually,
  failed,
  fails,
  hasStatus,
  inConversation,
  isDone,
  ready,
  returns,
  say,
  says,
  turn,
  waitingTurn,
} from "./agent-script.ts";

const anyOf = (...types: readonly string[]): object => ({ type: { $either: types } });
const conversation = { conversationId: "conv-1" };
const beforeTool = anyOf("token", "progress", "usage");
const beforeResult = anyOf("tool_use", "token", "progress", "usage");
const beforeText = anyOf("progress", "usage");

export const agentAdditionScenarios = toScenarios(
  {
    tool: {
      title: "a tool's use and its result carry one toolId, and the turn continues to its end",
      requirements: ["R122", "R123", "H39"],
      steps: [
        say("t", "list the files here"),
        {
          expect: {
            type: "tool_use",
            id: "t",
            data: { toolId: { $type: "string", $bind: "tool" }, toolName: { $bind: "name" }, input: { $type: "object" } },
          },
          skipping: beforeTool,
        },
        {
          expect: {
            type: "tool_result",
            id: "t",
            data: { toolId: { $same: "tool" }, toolName: { $same: "name" }, result: { $any: true } },
          },
          skipping: beforeTool,
        },
        endsWell("t"),
      ],
    },
    "failed-tool": {
      title: "a failed tool is a result with isError, and the turn continues",
      requirements: ["R134", "H35"],
      steps: [
        say("t", "read the file hawser-conform-no-such-file.txt"),
        {
          expect: { type: "tool_result", id: "t", data: { isError: true, error: { $regex: "." } } },
          skipping: beforeResult,
        },
        endsWell("t"),
      ],
    },
    "text-gap": {
      title: "text after a tool follows one token of two line feeds if the text before it didn't end its line",
      requirements: ["R121"],
      steps: [
        say("t", "what is 1 + 1? and list the files here"),
        says("t", "2"),
        eventually("t", { type: "tool_result", id: "t" }),
        { expect: { type: "token", id: "t", token: "\n\n" }, skipping: beforeText },
        { expect: { type: "token", id: "t", token: { $regex: "^[^\\n]" } }, skipping: beforeText },
        endsWell("t"),
      ],
    },
    "permission-deny": {
      title: "a tool that changes something asks; denied, it doesn't run, and the turn continues",
      requirements: ["H37", "G13"],
      steps: [...waitingTurn("t"), ...decides("t", "deny", { type: "tool_result", id: "t", data: { isError: true } }), endsWell("t")],
    },
    "permission-allow": {
      title: "allowed, the tool runs: here it fails, since there is no such file to change",
      requirements: ["H37", "G13"],
      steps: [
        ...waitingTurn("t", {}, 'replace "one" with "two" in hawser-conform-no-such-file.txt'),
        ...decides("t", "allow", { type: "tool_result", id: "t", data: { isError: true, error: { $regex: "^(?!.*denied)" } } }),
        endsWell("t"),
      ],
    },
    "permission-unknown": {
      title: "an answer to a question that was never asked is an error",
      requirements: ["H37"],
      steps: [...fails("p", "permission_response", { permissionId: "nobody", decision: "allow" }), { expectAlive: true }],
    },
    "permission-at-end": {
      title: "when the input ends while a question is open, the tool is denied, and the turn and the process end",
      requirements: ["G8", "H37"],
      steps: [
        ...waitingTurn("t"),
        { endInput: true },
        { expect: { type: "tool_result", data: { isError: true, error: { $regex: "denied" } } }, skipping: beforeResult, withinMs: 15_000 },
        endsWell("t"),
        { expectExit: { code: 0 }, withinMs: 15_000 },
      ],
    },
    "status-at-once": {
      title: "while a turn waits for its user, a status says busy at once",
      requirements: ["R117", "R129", "RUN-11"],
      steps: [...waitingTurn("t"), ...hasStatus("s", { state: "busy" }), ...endsTurn("c", "cancel", { target: "t" })],
    },
    cancel: {
      title: "cancel ends its target with one error that says cancelled, and itself with done",
      requirements: ["H37", "R131"],
      steps: [
        ...waitingTurn("t"),
        ...endsTurn("c", "cancel", { target: "t" }, { error: { $regex: "[Cc]ancelled" } }),
        { expectNothing: 200 },
        ...turn("next", "Hello"),
      ],
    },
    "cancel-unknown": {
      title: "cancel of an id that isn't in flight is not an error",
      requirements: ["H37"],
      steps: [...isDone("c", "cancel", { target: "nobody" }), { expectAlive: true }],
    },
    "duplicate-id": {
      title: "a second request under an id in flight is refused without a second end, and the first is unharmed",
      requirements: ["R131", "R146", "RUN-09"],
      steps: [
        ...waitingTurn("twin"),
        ask("twin", "get_status"),
        { expect: { type: "progress", id: "twin", data: { message: { $type: "string" } } } },
        ...decides("twin", "deny", done("twin")),
      ],
    },
    lanes: {
      title: "conversations run side by side: one that waits doesn't hold up another",
      requirements: ["H32", "R115"],
      steps: [
        ...waitingTurn("a", inConversation("conv-a")),
        ...turn("b", "Hello", inConversation("conv-b")),
        ...decides("a", "deny", done("a")),
        ...hasStatus("s", { conversationLength: 2 }, inConversation("conv-b")),
      ],
    },
    "clear-busy": {
      title: "clear_history during a turn is an error that says busy; forced, it ends the turn",
      requirements: ["H34", "RUN-11"],
      steps: [
        ...waitingTurn("t"),
        ...fails("c1", "clear_history", {}, { error: { $regex: "busy" } }),
        ...endsTurn("c2", "clear_history", { metadata: { force: true } }),
        ...hasStatus("s", { state: "idle", conversationLength: 0 }),
      ],
    },
    conversations: {
      title: "conversations are listed, loaded, renamed, cut and deleted",
      requirements: ["H37"],
      steps: [
        ...turn("t1", "Hello", inConversation("conv-1")),
        ...turn("t2", "Hello again", inConversation("conv-1")),
        ...isDone("r", "rename_conversation", { ...conversation, title: "Plans" }),
        ...returns({ id: "l", kind: "list_conversations" }, "conversations", {
          conversations: { $some: { conversationId: "conv-1", title: "Plans", messages: 4 } },
        }),
        ...returns({ id: "o", kind: "load_conversation", ...conversation }, "conversation", {
          ...conversation,
          messages: [
            { role: "user", parts: [{ type: "text", text: "Hello" }] },
            { role: "assistant", messageId: { $type: "string", $bind: "second" } },
            { role: "user" },
            { role: "assistant" },
          ],
        }),
        ...isDone("x", "truncate_conversation", { ...conversation, after: { $same: "second" } }),
        ...hasStatus("s", { conversationLength: 2 }, inConversation("conv-1")),
        ...isDone("d", "delete_conversation", conversation),
        ...returns({ id: "l2", kind: "list_conversations" }, "conversations", { conversations: [] }),
      ],
    },
    models: {
      title: "the models are listed, one of them as current",
      requirements: ["H37"],
      steps: returns({ id: "m", kind: "list_models" }, "models", {
        models: { $some: { model: { $type: "string" }, available: true, current: true } },
      }),
    },
    "model-unknown": {
      title: "a message that picks a model that does not exist is one error",
      requirements: ["H37"],
      steps: [say("t", "Hello", { metadata: { model: "nobody/nothing" } }), eventually("t", failed("t")), { expectAlive: true }],
    },
    subscribe: {
      title: "subscribe repeats what the running turn has sent, then says done",
      requirements: ["H37"],
      steps: [
        ...isDone("s0", "subscribe", conversation),
        ...waitingTurn("t", inConversation("conv-1")),
        ask("s1", "subscribe", conversation),
        { expect: { type: "permission_request", id: "t", data: { permissionId: { $same: "permission-t" } } }, skipping: during("t") },
        { expect: done("s1"), skipping: during("t") },
        ...decides("t", "deny", done("t")),
      ],
    },
  },
  { additive: true, before: [ready] },
);
