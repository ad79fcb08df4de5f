// The agent protocol, part four: what a user says while a turn runs, what waits, and forks. A runtime without it isn't faulty. The turns
// wait at a question of our agent, as in part three.

import { toScenarios } from "../scenario.ts";
import {
  ask,
  decides,
  done,
  during,
  endsTurn,
  eventually,
  failed,
  inConversation,
  isDone,
  ready,
  returns,
  say,
  turn,
  waitingTurn,
} from "./agent-script.ts";

const conversation = { conversationId: "conv-1" };
const words = "what is 20 + 22?";

/** Says something to the turn `t`; the scenario knows it by `name` afterwards. */
const steers = (id: string, name: string, message = words) => [
  ask(id, "steer", { target: "t", message }),
  { expect: done(id, { data: { steerId: { $type: "string", $bind: name } } }), skipping: during("t") },
];

/** Lets the turn `t` go on to its model's next step. */
const seen = decides("t", "deny", { type: "steered", id: "t", data: { steerId: { $same: "steer" }, message: words } });

export const agentSteeringScenarios = toScenarios(
  {
    steer: {
      title: "what is said to a turn reaches its model at the next step, after the result of the tool, and stands there in the history",
      requirements: ["H37"],
      steps: [
        ...waitingTurn("t", inConversation("conv-1")),
        ...steers("s", "steer"),
        ...seen,
        eventually("t", { type: "token", id: "t", token: { $regex: "42" } }),
        eventually("t", done("t")),
        ...returns({ id: "l", kind: "load_conversation", ...conversation, include: ["steer"] }, "conversation", {
          messages: [
            { role: "user" },
            { role: "assistant", parts: { $some: { type: "steer", steerId: { $same: "steer" }, message: words } } },
          ],
        }),
      ],
    },
    "steer-unseen": {
      title: "unseen at the turn's end, it becomes the next message, before one that waits: a turn under the id of the steer",
      requirements: ["H37"],
      steps: [
        ...waitingTurn("t"),
        say("later", "Hello"),
        ...steers("s", "steer"),
        ...endsTurn("c", "cancel", { target: "t" }),
        eventually({ $same: "steer" }, { type: "token", id: { $same: "steer" }, token: { $regex: "42" } }),
        eventually({ $same: "steer" }, done({ $same: "steer" })),
        eventually("later", done("later")),
      ],
    },
    "steer-unknown": {
      title: "a steer of a turn that does not run, or has ended, is an error",
      requirements: ["H37"],
      steps: [
        ask("s1", "steer", { target: "nobody", message: words }),
        { expect: failed("s1") },
        ...turn("t", "Hello"),
        ask("s2", "steer", { target: "t", message: words }),
        { expect: failed("s2") },
        { expectAlive: true },
      ],
    },
    "steer-withdraw": {
      title: "a steer can be taken back until the model has seen it, and not afterwards",
      requirements: ["H37"],
      steps: [
        ...waitingTurn("t"),
        ...steers("s1", "gone", "never mind"),
        ...isDone("w1", "withdraw", { steerId: { $same: "gone" } }),
        ...steers("s2", "steer"),
        ...seen,
        eventually("t", done("t")),
        ask("w2", "withdraw", { steerId: { $same: "steer" } }),
        { expect: failed("w2") },
        ask("w3", "withdraw", { steerId: "nobody" }),
        { expect: failed("w3") },
      ],
    },
    queue: {
      title: "what waits is listed, changed and taken back, each with one end",
      requirements: ["H37"],
      steps: [
        ...waitingTurn("t", inConversation("conv-1")),
        say("q1", "Hello", inConversation("conv-1")),
        say("q2", "not wanted", inConversation("conv-1")),
        ...steers("s", "steer", "draft"),
        ...isDone("e1", "edit_queued", { target: "q1", message: "what is 3 * 3?" }),
        ...isDone("e2", "edit_queued", { target: { $same: "steer" }, message: words }),
        ask("e3", "edit_queued", { target: "t", message: "too late" }),
        { expect: failed("e3") },
        ask("c", "cancel", { target: "q2" }),
        { expectAll: [failed("q2"), done("c")] },
        ...returns({ id: "l", kind: "list_queue", ...conversation }, "queue", {
          requests: [{ id: "q1", message: "what is 3 * 3?" }],
          steers: [{ steerId: { $same: "steer" }, message: words }],
        }),
        ...seen,
        eventually("t", done("t")),
        eventually("q1", { type: "token", id: "q1", token: { $regex: "9" } }),
        eventually("q1", done("q1")),
        ...returns({ id: "l2", kind: "list_queue", ...conversation }, "queue", { requests: [], steers: [] }),
      ],
    },
    fork: {
      title: "a fork begins as the conversation does, up to a message, and each goes on without the other",
      requirements: ["H37"],
      steps: [
        ...turn("t1", "my name is Ada", inConversation("conv-1")),
        ...turn("t2", "Hello", inConversation("conv-1")),
        ...returns({ id: "o", kind: "load_conversation", ...conversation }, "conversation", {
          messages: [{}, { messageId: { $type: "string", $bind: "second" } }, {}, {}],
        }),
        ask("f", "fork_conversation", { ...conversation, after: { $same: "second" } }),
        { expect: { type: "forked", id: "f", data: { conversationId: { $type: "string", $bind: "fork" } } } },
        { expect: done("f") },
        say("t3", "what is my name?", { metadata: { conversationId: { $same: "fork" } } }),
        eventually("t3", { type: "token", id: "t3", token: { $regex: "Ada" } }),
        eventually("t3", done("t3")),
        ...returns({ id: "l", kind: "list_conversations" }, "conversations", {
          conversations: { $some: { conversationId: { $same: "fork" }, messages: 4 } },
        }),
        ask("s", "get_status", { metadata: conversation }),
        { expect: { type: "status", id: "s", data: { conversationLength: 4 } } },
      ],
    },
    "fork-running": {
      title: "while a turn runs, a fork takes what is complete, and the turn goes on",
      requirements: ["H37"],
      steps: [
        ...turn("t1", "Hello", inConversation("conv-1")),
        ...waitingTurn("t", inConversation("conv-1")),
        ask("f", "fork_conversation", conversation),
        { expect: { type: "forked", id: "f", data: { conversationId: { $type: "string", $bind: "fork" } } } },
        { expect: done("f") },
        ask("s", "get_status", { metadata: { conversationId: { $same: "fork" } } }),
        { expect: { type: "status", id: "s", data: { conversationLength: 2 } } },
        ...decides("t", "deny", done("t")),
      ],
    },
    search: {
      title: "messages of all conversations are found by the beginnings of their words, and a query without words finds nothing",
      requirements: ["H37"],
      steps: [
        ...turn("t1", "my name is Ada", inConversation("conv-1")),
        ...turn("t2", "Hello", inConversation("conv-2")),
        ask("s1", "search_conversations", { query: "ADA nam" }),
        {
          expect: {
            type: "found",
            id: "s1",
            data: {
              matches: { $some: { ...conversation, role: "user", messageId: { $type: "string" }, excerpt: { $regex: "my name is Ada" } } },
            },
          },
        },
        { expect: done("s1") },
        ...returns({ id: "s2", kind: "search_conversations", query: "?" }, "found", { matches: [] }),
      ],
    },
    "fork-unknown": {
      title: "a fork of nothing, or after a message that is not there, is an error",
      requirements: ["H37"],
      steps: [
        ask("f1", "fork_conversation", { conversationId: "nothing" }),
        { expect: failed("f1") },
        ...turn("t", "Hello", inConversation("conv-1")),
        ask("f2", "fork_conversation", { ...conversation, after: "nobody" }),
        { expect: failed("f2") },
        { expectAlive: true },
      ],
    },
  },
  { additive: true, before: [ready] },
);
