// The agent protocol, part one: turns, status and history as the contract has them.

import { toScenarios } from "../scenario.ts";
import { ask, done, during, ended, endsWell, eventually, failed, hasStatus, isDone, ready, say, status, turn } from "./agent-script.ts";

const oddTexts = ["line\nbreak", "\u2028 and \u2029", "é💥\u0001"];
const megabyte = [{ utf8: '{"id":"large","kind":"user_message","message":"' }, { utf8: "x", times: 1_048_576 }, { utf8: '"}\n' }];

const readyLine = { type: "ready", id: { $absent: true }, timestamp: { $number: { min: 1_000_000_000_000 } } };

const start = toScenarios({
  ready: {
    title: "the first line is ready, and it comes once; if it names a version of the protocol, it also says what the runtime can do",
    requirements: ["R112", "R118", "R119", "R120", "H31"],
    steps: [
      {
        // The contract's first form has neither; a later section of it has both.
        expect: {
          $either: [
            { ...readyLine, version: { $absent: true } },
            { ...readyLine, version: { $regex: "^\\d+\\.\\d+\\.\\d+$" }, capabilities: { $some: "streaming" } },
          ],
        },
        withinMs: 15_000,
      },
      { expectAlive: true },
      { expectNothing: 200 },
    ],
  },
});

const turns = toScenarios(
  {
    turn: {
      title: "a message is answered with tokens and one done, each with the request's id and a time in milliseconds",
      requirements: ["R113", "R118", "R121", "R124", "R128", "R130", "R131", "R141"],
      steps: [
        say("test-1", "Hello"),
        {
          expect: { type: "token", id: "test-1", token: { $type: "string" } },
          skipping: { id: "test-1", type: { $either: ["progress", "usage"] } },
          withinMs: 30_000,
        },
        endsWell("test-1"),
        { expectNothing: 300 },
        { expectAlive: true },
      ],
    },
    "two-turns": {
      title: "two messages of one conversation are answered one after the other",
      requirements: ["H32", "R131"],
      steps: [say("a", "Hello"), say("b", "Hello again"), endsWell("a"), endsWell("b"), { expectAlive: true }],
    },
    "many-turns": {
      title: "each of 20 messages ends exactly once, under its own id",
      requirements: ["R128", "R131", "G1"],
      steps: [{ repeat: 20, steps: turn({ $index: "t" }, "Hello") }, { expectAlive: true }],
    },
    texts: {
      title: "line feeds, separators, emoji, control characters and a megabyte in a message keep every answer on one line",
      requirements: ["R127", "H38", "G5"],
      steps: [
        ...oddTexts.flatMap((text, at) => [say(`t${at}`, text), eventually(`t${at}`, ended(`t${at}`))]),
        { sendBytes: megabyte },
        eventually("large", ended("large")),
        { expectAlive: true },
      ],
    },
    status: {
      title: "get_status is answered by one status with state, length of the conversation and uptime",
      requirements: ["R117", "R126"],
      steps: [
        ...hasStatus("s", {
          state: { $either: ["idle", "busy", "stopping", "error"] },
          conversationLength: 0,
          uptime: { $number: { min: 0, max: 600_000 } },
        }),
        { expectNothing: 200 },
      ],
    },
    length: {
      title: "a turn adds a user's and an assistant's message to the conversation, and clear_history removes them",
      requirements: ["R116", "R126", "H34"],
      steps: [
        ...turn("t", "Hello"),
        ...hasStatus("s1", { state: "idle", conversationLength: 2 }),
        ...isDone("c", "clear_history"),
        ...hasStatus("s2", { conversationLength: 0 }),
      ],
    },
    "status-overtakes": {
      title: "a status that is asked for during a turn is answered, and the turn continues to its one end",
      requirements: ["R117", "R129"],
      steps: [
        say("t", "Hello"),
        ask("s", "get_status"),
        { expectAll: [status("s"), done("t")], skipping: during("t"), withinMs: 30_000 },
        { expectAlive: true },
      ],
    },
    "tool-members": {
      title: "whatever a turn says about tools has toolId, toolName, and input or result",
      requirements: ["R122", "R123"],
      steps: [...turn("t", "list the files here"), { expectAlive: true }],
    },
    "attachment-missing": {
      title: "an attachment that does not exist is one error",
      requirements: ["R114", "R125", "H33"],
      steps: [
        say("t", "Look at this", { attachments: [{ path: "/nowhere/hawser-conform.txt", mime: "text/plain" }] }),
        eventually("t", failed("t")),
        { expectAlive: true },
      ],
    },
    metadata: {
      title: "metadata with unknown members changes nothing",
      requirements: ["R113", "R115"],
      steps: [
        ...turn("t", "Hello", { metadata: { userId: "user-789", somethingElse: { deep: [1, 2] } }, unknownMember: true }),
        { expectAlive: true },
      ],
    },
  },
  { before: [ready] },
);

export const agentTurnScenarios = [...start, ...turns];
