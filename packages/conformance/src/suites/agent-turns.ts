// The agent protocol, part one: turns, status and history as the contract has them. What the agent says is
// its own; the scenarios look at how it says it.

import type { Scenario, Step } from "../scenario.ts";
import { ask, done, during, ended, eventually, failed, ready, say, status, turn } from "./agent-script.ts";

const oddTexts = ["line\nbreak", "\u2028 and \u2029", "é💥\u0001"];
const megabyte = [{ utf8: '{"id":"large","kind":"user_message","message":"' }, { utf8: "x", times: 1_048_576 }, { utf8: '"}\n' }];

const readyLine = { type: "ready", id: { $absent: true }, timestamp: { $number: { min: 1_000_000_000_000 } } };

export const agentTurnScenarios: readonly Scenario[] = [
  {
    id: "ready",
    title: "the first line is ready, and it comes once; where it names a version of the protocol it also says what the runtime can do",
    requirements: ["R112", "R118", "R119", "R120", "H31"],
    steps: [
      {
        // The contract's first form has neither, a later section of it has both.
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
  {
    id: "turn",
    title: "a message is answered with tokens and one done, each with the request's id and a time in milliseconds",
    requirements: ["R113", "R118", "R121", "R124", "R128", "R130", "R131", "R141"],
    steps: [
      ready,
      say("test-1", "Hello"),
      {
        expect: { type: "token", id: "test-1", token: { $type: "string" } },
        skipping: { id: "test-1", type: { $either: ["progress", "usage"] } },
        withinMs: 30_000,
      },
      eventually("test-1", done("test-1")),
      { expectNothing: 300 },
      { expectAlive: true },
    ],
  },
  {
    id: "two-turns",
    title: "two messages of one conversation are answered one after the other",
    requirements: ["H32", "R131"],
    steps: [
      ready,
      say("a", "Hello"),
      say("b", "Hello again"),
      eventually("a", done("a")),
      eventually("b", done("b")),
      { expectAlive: true },
    ],
  },
  {
    id: "many-turns",
    title: "each of 20 messages ends exactly once, under its own id",
    requirements: ["R128", "R131", "G1"],
    steps: [
      ready,
      {
        repeat: 20,
        steps: [
          { send: { id: { $index: "t" }, kind: "user_message", message: "Hello" } },
          { expect: done({ $index: "t" }), skipping: during({ $index: "t" }), withinMs: 30_000 },
        ],
      },
      { expectAlive: true },
    ],
  },
  {
    id: "texts",
    title: "line feeds, separators, emoji, control characters and a megabyte in a message keep every answer on one line",
    requirements: ["R127", "H38", "G5"],
    steps: [
      ready,
      ...oddTexts.flatMap((text, at): Step[] => [say(`t${at}`, text), eventually(`t${at}`, ended(`t${at}`))]),
      { sendBytes: megabyte },
      eventually("large", ended("large")),
      { expectAlive: true },
    ],
  },
  {
    id: "status",
    title: "get_status is answered by one status with state, length of the conversation and uptime",
    requirements: ["R117", "R126"],
    steps: [
      ready,
      ask("s", "get_status"),
      {
        expect: status("s", {
          state: { $either: ["idle", "busy", "stopping", "error"] },
          conversationLength: 0,
          uptime: { $number: { min: 0, max: 600_000 } },
        }),
      },
      { expectNothing: 200 },
    ],
  },
  {
    id: "length",
    title: "a turn adds a user's and an assistant's message to the conversation, and clear_history removes them",
    requirements: ["R116", "R126", "H34"],
    steps: [
      ready,
      ...turn("t", "Hello"),
      ask("s1", "get_status"),
      { expect: status("s1", { state: "idle", conversationLength: 2 }) },
      ask("c", "clear_history"),
      { expect: done("c") },
      ask("s2", "get_status"),
      { expect: status("s2", { conversationLength: 0 }) },
    ],
  },
  {
    id: "status-overtakes",
    title: "a status that is asked for during a turn is answered, and the turn goes on to its one end",
    requirements: ["R117", "R129"],
    steps: [
      ready,
      say("t", "Hello"),
      ask("s", "get_status"),
      { expectAll: [status("s"), done("t")], skipping: during("t"), withinMs: 30_000 },
      { expectAlive: true },
    ],
  },
  {
    id: "tool-members",
    title: "whatever a turn says about tools has toolId, toolName, and input or result",
    requirements: ["R122", "R123"],
    steps: [ready, ...turn("t", "list the files here"), { expectAlive: true }],
  },
  {
    id: "attachment-missing",
    title: "an attachment that is not there is one error",
    requirements: ["R114", "R125", "H33"],
    steps: [
      ready,
      say("t", "Look at this", { attachments: [{ path: "/nowhere/hawser-conform.txt", mime: "text/plain" }] }),
      eventually("t", failed("t")),
      { expectAlive: true },
    ],
  },
  {
    id: "metadata",
    title: "metadata with members that nobody knows changes nothing",
    requirements: ["R113", "R115"],
    steps: [
      ready,
      ...turn("t", "Hello", { metadata: { userId: "user-789", somethingElse: { deep: [1, 2] } }, unknownMember: true }),
      { expectAlive: true },
    ],
  },
];
