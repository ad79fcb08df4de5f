// The agent protocol, part four: what a user says while a turn runs, what waits, and forks. A runtime without it isn't faulty. The turns
// wait at a question of our agent, as in part three.

import { toScenarios } from "../scenario.ts";
import {
  ask,
  decides,
  done,
  during,
  endsTurn,
  endsWell,
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
        says("t", "42"),
        endsWell("t"),
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
        says({ $same: "steer" }, "42"),
        endsWell({ $same: "steer" }),
        endsWell("later"),
      ],
    },
    "steer-unknown": {
      title: "a steer of a turn that does not run, or has ended, is an error",
      requirements: ["H37"],
      steps: [
        ...fails("s1", "steer", { target: "nobody", message: words }),
        ...turn("t", "Hello"),
        ...fails("s2", "steer", { target: "t", message: words }),
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
        endsWell("t"),
        ...fails("w2", "withdraw", { steerId: { $same: "steer" } }),
        ...fails("w3", "withdraw", { steerId: "nobody" }),
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
        ...fails("e3", "edit_queued", { target: "t", message: "too late" }),
        ask("c", "cancel", { target: "q2" }),
        { expectAll: [failed("q2"), done("c")] },
        ...returns({ id: "l", kind: "list_queue", ...conversation }, "queue", {
          requests: [{ id: "q1", message: "what is 3 * 3?" }],
          steers: [{ steerId: { $same: "steer" }, message: words }],
        }),
        ...seen,
        endsWell("t"),
        says("q1", "9"),
        endsWell("q1"),
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
        ...returns({ id: "f", kind: "fork_conversation", ...conversation, after: { $same: "second" } }, "forked", {
          conversationId: { $type: "string", $bind: "fork" },
        }),
        say("t3", "what is my name?", { metadata: { conversationId: { $same: "fork" } } }),
        says("t3", "Ada"),
        endsWell("t3"),
        ...returns({ id: "l", kind: "list_conversations" }, "conversations", {
          conversations: { $some: { conversationId: { $same: "fork" }, messages: 4 } },
        }),
        ...hasStatus("s", { conversationLength: 4 }, { metadata: conversation }),
      ],
    },
    "fork-running": {
      title: "while a turn runs, a fork takes what is complete, and the turn goes on",
      requirements: ["H37"],
      steps: [
        ...turn("t1", "Hello", inConversation("conv-1")),
        ...waitingTurn("t", inConversation("conv-1")),
        ...returns({ id: "f", kind: "fork_conversation", ...conversation }, "forked", {
          conversationId: { $type: "string", $bind: "fork" },
        }),
        ...hasStatus("s", { conversationLength: 2 }, { metadata: { conversationId: { $same: "fork" } } }),
        ...decides("t", "deny", done("t")),
      ],
    },
    search: {
      title: "messages of all conversations are found by the beginnings of their words, and a query without words finds nothing",
      requirements: ["H37"],
      steps: [
        ...turn("t1", "my name is Ada", inConversation("conv-1")),
        ...turn("t2", "Hello", inConversation("conv-2")),
        ...returns({ id: "s1", kind: "search_conversations", query: "ADA nam" }, "found", {
          matches: { $some: { ...conversation, role: "user", messageId: { $type: "string" }, excerpt: { $regex: "my name is Ada" } } },
        }),
        ...returns({ id: "s2", kind: "search_conversations", query: "?" }, "found", { matches: [] }),
      ],
    },
    "fork-unknown": {
      title: "a fork of nothing, or after a message that is not there, is an error",
      requirements: ["H37"],
      steps: [
        ...fails("f1", "fork_conversation", { conversationId: "nothing" }),
        ...turn("t", "Hello", inConversation("conv-1")),
        ...fails("f2", "fork_conversation", { ...conversation, after: "nobody" }),
        { expectAlive: true },
      ],
    },
  },
  { additive: true, before: [ready] },
);
