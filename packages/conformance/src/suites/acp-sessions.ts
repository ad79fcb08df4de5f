// ACP v1, part two: sessions, from the new one to the deleted one. What an agent does not advertise is not asked of it.

import { toScenarios, type Step } from "../scenario.ts";
import {
  allowed,
  answered,
  asksToReject,
  call,
  during,
  ended,
  ends,
  hello,
  housekeeping,
  isRefused,
  needs,
  needsOfSession,
  open,
  same,
  say,
  selected,
  settled,
  turn,
  turnThatAsks,
  update,
} from "./acp-script.ts";

const needsLoad = needs({ loadSession: true }, "loadSession");
const unknownSession = { sessionId: "hawser-conform-no-such-session" };
const inFolder = { cwd: same("cwd"), mcpServers: [] };
const theSession = { sessionId: same("session") };

/** The agent's process ends and another one is started; what follows is said to that one. */
const restarted = (...steps: Step[]): Step[] => [
  { connect: "again" },
  ...[...hello(), ...steps].map((step) => ("given" in step ? step : { ...step, on: "again" })),
];

const news = toScenarios(
  {
    new: {
      title: "session/new is answered with the id of a new session, which is another one each time",
      requirements: ["ACP-20"],
      steps: [
        call("one", "session/new", inFolder),
        { expect: answered("one", { sessionId: { $type: "string", $bind: "one" } }), skipping: housekeeping },
        call("two", "session/new", inFolder),
        { expect: answered("two", { sessionId: { $type: "string", $bind: "two" } }), skipping: housekeeping },
        { given: { two: { $not: same("one") } } },
      ],
    },
    "working-folder": {
      title: "a session works in its own folder, wherever the agent was started",
      requirements: ["ACP-21"],
      steps: [
        ...open(),
        ...say("t", "toolPrompt"),
        {
          expect: { method: "session/update", params: { ...theSession, update: { $anywhere: "hawser-conform-notes" } } },
          skipping: during(),
          answering: [allowed()],
          leaving: [
            {
              when: settled("t"),
              outcome: "skipped",
              reason:
                "nothing that it said names hawser-conform-notes.txt, a file in the session's folder; give --tool-prompt one that lists the files",
            },
          ],
        },
        ends("t"),
      ],
    },
    "mcp-server": {
      title: "an MCP server that the client names for a session is started with its arguments and variables, and initialized",
      requirements: ["ACP-22"],
      steps: [
        ...open("session", { mcpServers: [same("mcpServer")] }),
        ...turn("t"),
        { expectFacts: { mcpMethods: { $some: "initialize" } } },
      ],
    },
    "unknown-session": {
      title: "a prompt for a session that there is not is refused",
      requirements: ["ACP-23"],
      steps: isRefused("p", "session/prompt", { ...unknownSession, prompt: [{ type: "text", text: "Hello" }] }),
    },
    "relative-folder": {
      title: "a working folder that is no absolute path is refused",
      requirements: ["ACP-24"],
      additive: true,
      steps: isRefused("n", "session/new", { cwd: "some/folder", mcpServers: [] }),
    },
    "more-folders": {
      title: "a session takes further folders, if the agent says that it does",
      requirements: ["ACP-34"],
      steps: [needsOfSession("additionalDirectories"), ...open("session", { additionalDirectories: [same("otherFolder")] }), ...turn("t")],
    },
  },
  { before: hello() },
);

const kept = toScenarios(
  {
    load: {
      title: "session/load in a new process replays the conversation, user and agent, before it is answered, and the session goes on",
      requirements: ["ACP-25", "ACP-27"],
      steps: [
        needsLoad,
        ...open(),
        ...turn("t"),
        ...restarted(
          call("load", "session/load", { ...theSession, ...inFolder }),
          { expect: update("user_message_chunk"), skipping: housekeeping },
          { expect: update("agent_message_chunk"), skipping: during() },
          { expect: answered("load"), skipping: during() },
          { expectNothing: 300 },
          ...turn("again"),
        ),
      ],
    },
    "load-unknown": {
      title: "session/load of a session that there is not is refused",
      requirements: ["ACP-23"],
      steps: [needsLoad, ...isRefused("load", "session/load", { ...unknownSession, ...inFolder })],
    },
    resume: {
      title: "session/resume in a new process is answered without a replay, and the session goes on",
      requirements: ["ACP-26", "ACP-27"],
      steps: [
        needsOfSession("resume"),
        ...open(),
        ...turn("t"),
        ...restarted(
          call("resume", "session/resume", { ...theSession, ...inFolder }),
          { expect: answered("resume"), skipping: housekeeping },
          ...turn("again"),
        ),
      ],
    },
    "resume-unknown": {
      title: "session/resume of a session that there is not is refused",
      requirements: ["ACP-23"],
      steps: [needsOfSession("resume"), ...isRefused("resume", "session/resume", { ...unknownSession, ...inFolder })],
    },
    list: {
      title: "session/list has a session after its first turn, and with a folder only the sessions of that folder",
      requirements: ["ACP-28"],
      steps: [
        needsOfSession("list"),
        ...open("other", { cwd: same("otherFolder") }),
        ...turn("o", "prompt", "other"),
        ...open(),
        ...turn("t"),
        call("list", "session/list", { cwd: same("cwd") }),
        { expect: answered("list", { sessions: { $each: { cwd: same("cwd") }, $some: theSession } }), skipping: housekeeping },
      ],
    },
    "list-nothing": {
      title: "session/list for a folder without sessions is an empty list",
      requirements: ["ACP-29"],
      steps: [
        needsOfSession("list"),
        call("list", "session/list", { cwd: same("otherFolder") }),
        { expect: answered("list", { sessions: { $length: 0 } }), skipping: housekeeping },
      ],
    },
    "list-cursor": {
      title: "session/list with a cursor that it did not give out is refused",
      requirements: ["ACP-30"],
      additive: true,
      steps: [needsOfSession("list"), ...isRefused("list", "session/list", { cursor: "hawser conform: no such cursor" })],
    },
    close: {
      title: "session/close is answered with an object",
      requirements: ["ACP-31"],
      steps: [
        needsOfSession("close"),
        ...open(),
        call("close", "session/close", theSession),
        { expect: answered("close"), skipping: housekeeping },
      ],
    },
    "close-in-turn": {
      title: "session/close ends a turn that runs as cancelled",
      requirements: ["ACP-31", "ACP-52"],
      steps: [
        needsOfSession("close"),
        ...open(),
        ...turnThatAsks("t", asksToReject()),
        call("close", "session/close", theSession),
        // Too late: the turn is cancelled. Where it is not, this ends it in another way.
        { send: selected(same("option")) },
        { expectAll: [ended("t", "cancelled"), answered("close")], skipping: during() },
      ],
    },
    delete: {
      title: "session/delete takes a session out of the list",
      requirements: ["ACP-32"],
      steps: [
        needsOfSession("delete"),
        ...open(),
        ...turn("t"),
        // In a new process: deleting a session that is active may do what it likes.
        ...restarted(
          call("delete", "session/delete", theSession),
          { expect: answered("delete"), skipping: housekeeping },
          {
            given: { agent: { agentCapabilities: { sessionCapabilities: { list: { $type: "object" } } } } },
            otherwise: { outcome: "passed", reason: "it has no list" },
          },
          call("list", "session/list", { cwd: same("cwd") }),
          { expect: answered("list", { sessions: { $not: { $some: theSession } } }), skipping: housekeeping },
        ),
      ],
    },
    "delete-unknown": {
      title: "session/delete of a session that there is not succeeds silently",
      requirements: ["ACP-33"],
      additive: true,
      steps: [
        needsOfSession("delete"),
        call("delete", "session/delete", unknownSession),
        { expect: answered("delete"), skipping: housekeeping },
      ],
    },
  },
  { before: hello() },
);

export const acpSessionScenarios = [...news, ...kept];
