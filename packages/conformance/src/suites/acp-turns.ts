// ACP v1, part three: turns. What the agent says is up to it; how a turn runs and ends is the protocol.

import { toScenarios, type Step } from "../scenario.ts";
import {
  allowed,
  during,
  ended,
  ends,
  hello,
  leavesWithoutTool,
  needs,
  open,
  same,
  say,
  selected,
  settled,
  turn,
  turnThatAsks,
  update,
} from "./acp-script.ts";

const text = { type: "text", text: same("prompt") };
// The smallest picture and sound that are whole files.
const picture = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const sound = "UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA=";
const takes = (name: string): Step => needs({ promptCapabilities: { [name]: true } }, `promptCapabilities.${name}`);
const hasEnded = { $either: ["completed", "failed"] };
const noTool = { $not: { $either: ["tool_call", "tool_call_update"] } };

const turns = toScenarios(
  {
    turn: {
      title: "a prompt is answered with text and then once with a stop reason, and no more of it comes after that",
      requirements: ["ACP-09", "ACP-10", "ACP-40", "ACP-41", "ACP-42"],
      steps: [
        ...say("t"),
        { expect: update("agent_message_chunk", { content: { type: "text" } }), skipping: during(), answering: [allowed()] },
        ends("t", "end_turn"),
        { expectNothing: 300 },
      ],
    },
    "many-turns": {
      title: "each of 10 prompts of a session is answered exactly once",
      requirements: ["ACP-10", "ACP-40"],
      steps: [{ repeat: 10, steps: turn({ $index: "t" }) }, { expectNothing: 300 }],
    },
    busy: {
      title: "of two prompts at the same time in one session each is answered exactly once",
      requirements: ["ACP-10"],
      steps: [
        ...say("a"),
        ...say("b"),
        { expectAll: [settled("a"), settled("b")], skipping: during(), answering: [allowed()] },
        { expectNothing: 300 },
      ],
    },
    parallel: {
      title: "prompts in two sessions at the same time are each answered under their own session",
      requirements: ["ACP-35"],
      steps: [
        ...open("other"),
        ...say("a"),
        ...say("b", "prompt", "other"),
        {
          expectAll: [
            update("agent_message_chunk"),
            update("agent_message_chunk", {}, "other"),
            ended("a", "end_turn"),
            ended("b", "end_turn"),
          ],
          skipping: { $either: [during(), during("other")] },
          answering: [allowed(), allowed("other")],
        },
      ],
    },
    "parallel-question": {
      title: "a session that waits for permission doesn't keep another one from its turn",
      requirements: ["ACP-36"],
      additive: true,
      steps: [
        ...open("other"),
        ...turnThatAsks("a"),
        ...say("b", "prompt", "other"),
        { expect: ended("b", "end_turn"), skipping: { $either: [during(), during("other")] }, withinMs: 10_000 },
        { send: selected("hawser-conform-no-such-option") },
        { expect: settled("a"), skipping: during() },
      ],
    },
    "resource-link": {
      title: "a prompt may hold a link to a file",
      requirements: ["ACP-42"],
      steps: turn("t", [text, { type: "resource_link", name: "hawser-conform-notes.txt", uri: same("fileUri"), mimeType: "text/plain" }]),
    },
    "embedded-file": {
      title: "a prompt may hold a file, if the agent says that it takes them",
      requirements: ["ACP-43"],
      steps: [
        takes("embeddedContext"),
        ...turn("t", [text, { type: "resource", resource: { uri: same("fileUri"), mimeType: "text/plain", text: "Salt and pepper.\n" } }]),
      ],
    },
    picture: {
      title: "a prompt may hold a picture, if the agent says that it takes them",
      requirements: ["ACP-43"],
      steps: [takes("image"), ...turn("t", [text, { type: "image", mimeType: "image/png", data: picture }])],
    },
    sound: {
      title: "a prompt may hold a sound, if the agent says that it takes them",
      requirements: ["ACP-43"],
      steps: [takes("audio"), ...turn("t", [text, { type: "audio", mimeType: "audio/wav", data: sound }])],
    },
    "tool-announced": {
      title: "the first that is said of a tool call is what it is",
      requirements: ["ACP-44"],
      steps: [
        ...say("t", "toolPrompt"),
        { expect: update("tool_call"), skipping: update(noTool), answering: [allowed()], leaving: [leavesWithoutTool("t")] },
        ends("t"),
      ],
    },
    "tool-ends": {
      title: "a tool call ends as completed or failed before its turn does",
      requirements: ["ACP-41", "ACP-45"],
      steps: [
        ...say("t", "toolPrompt"),
        {
          expect: update("tool_call", {
            toolCallId: { $bind: "call" },
            status: { $either: [{ $type: "string", $bind: "status" }, { $absent: true }] },
          }),
          skipping: during(),
          answering: [allowed()],
          leaving: [leavesWithoutTool("t")],
        },
        { given: { status: { $not: hasEnded } }, otherwise: { outcome: "passed", reason: "it came as one that had ended" } },
        {
          expect: update("tool_call_update", { toolCallId: same("call"), status: hasEnded }),
          skipping: during(),
          answering: [allowed()],
        },
        ends("t"),
        { expectNothing: 300 },
      ],
    },
  },
  { before: [...hello(), ...open()] },
);

const refusal = {
  jsonrpc: "2.0",
  id: same("question"),
  error: { code: -32_603, message: "the client that plays the scenario has no such thing" },
};

const offers = toScenarios({
  "client-files": {
    title: "a client that offers files and terminals is asked for them in the right shape, and its refusal doesn't hang the turn",
    requirements: ["ACP-04", "ACP-09", "ACP-10"],
    steps: [
      ...hello({ clientCapabilities: { fs: { readTextFile: true, writeTextFile: true }, terminal: true } }),
      ...open(),
      ...say("t", "toolPrompt"),
      {
        expect: settled("t"),
        skipping: during(),
        answering: [
          {
            when: { method: "fs/read_text_file", id: { $bind: "question" } },
            send: { jsonrpc: "2.0", id: same("question"), result: { content: "Salt and pepper.\n" } },
          },
          { when: { method: { $regex: "^(?:fs|terminal)/" }, id: { $bind: "question" } }, send: refusal },
          allowed(),
        ],
      },
    ],
  },
});

export const acpTurnScenarios = [...turns, ...offers];
