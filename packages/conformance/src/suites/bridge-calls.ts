// A bridge, part two: calls. What reaches the parent, what comes back to the client, and which connections carry it.

import { toScenarios, type Step } from "../scenario.ts";
import {
  answered,
  answering,
  answers,
  call,
  calledWith,
  callTool,
  echoed,
  fails,
  initialize,
  refusesHello,
  request,
  seen,
  setupWith,
  succeeded,
  textResult,
  tool,
  when,
} from "./bridge-script.ts";
import { frame, textFrame } from "../pieces.ts";

const difficult = 'line\nbreak\ttab \\ " / é ü 漢字 💥 e\u0301 \u2028 \u0000 </script>';
const values = {
  nothing: null,
  nested: [[], {}, [1, [2, [3, { four: 4 }]]]],
  numbers: [0, -1, 1.5, 9_007_199_254_740_992, -9_007_199_254_740_992, 1e-7],
  strings: ["", " ", difficult],
  flags: [true, false],
  "": { " ": 1, "a.b": 2, constructor: 3 },
};

const blocks = ["one", "", "three\n"].map((text) => ({ type: "text", text }));
const image = { type: "image", data: "aGk=", mimeType: "image/png" };

const ids = Array.from({ length: 40 }, (_, index) => `p${index}`);
const parallelCalls = (count: number): Step[] => [
  ...ids.slice(0, count).map((id) => call(id, { text: id })),
  { expectAll: ids.slice(0, count).map((id) => answered(id, id)) },
];

export const bridgeCallScenarios = toScenarios(
  {
    call: {
      title: "a call reaches the parent as one call_tool request and nothing else",
      requirements: ["R2", "R12", "R15", "R20", "R23", "R61"],
      steps: [
        ...answers(request("c", "tools/call", { name: "echo", arguments: { text: "hi" }, _meta: { progressToken: 7 } }), "hi"),
        seen({ connections: 1, requests: [callTool("hi")] }),
      ],
    },
    "no-arguments": {
      title: "a call without arguments is sent with an empty object",
      requirements: ["R15"],
      setup: answering({ send: { result: textResult("none") } }),
      steps: [...answers(call("c"), "none"), seen({ requests: [calledWith({})] })],
    },
    "byte-length": {
      title: "the length counts bytes: text outside ASCII arrives whole, and so does what follows it",
      requirements: ["R2", "R3", "R13"],
      steps: [
        ...echoed("é", "漢字".repeat(500), difficult, "plain"),
        seen({ connections: 1, requests: ["é", "漢字".repeat(500), difficult, "plain"].map(callTool) }),
      ],
    },
    values: {
      title: "arguments of every JSON type reach the parent unchanged",
      requirements: ["R13", "R29"],
      setup: answering({ send: { result: textResult("seen") } }),
      steps: [...answers(call("c", values), "seen"), seen({ requests: [calledWith(values)] })],
    },
    reuse: {
      title: "calls one after the other share one connection",
      requirements: ["R6"],
      steps: [...echoed("1", "2", "3", "4"), seen({ connections: 1, open: 1 })],
    },
    parallel: {
      title: "parallel calls never have two requests on one connection, and no answer is crossed",
      requirements: ["R7", "R8", "G4"],
      setup: setupWith(...ids.slice(0, 5).map((id) => when(id, { send: { result: textResult(id) }, afterMs: 150 }))),
      steps: parallelCalls(5),
    },
    "many-calls": {
      title: "forty calls at once are all answered, each with its own result",
      requirements: ["R7", "R8", "BRG-13"],
      steps: [...parallelCalls(40), seen({ requests: { $length: 40 } })],
    },
    "answer-split": {
      title: "an answer may arrive in pieces, cut inside its length and inside a character",
      requirements: ["R5"],
      setup: answering({ sendBytes: textFrame('{"result":{"content":[{"type":"text","text":"é漢💥"}]}}'), chunkBytes: 1 }),
      steps: answers(call("c"), "é漢💥"),
    },
    "answer-golden": {
      title: "an answer as Python writes it, with spaces and escapes, is read",
      requirements: ["R2", "R20", "R22"],
      setup: answering({
        sendBytes: frame({ utf8: String.raw`{"result": {"content": [{"type": "text", "text": "\u00e9\ud83d\udca5"}], "isError": false}}` }),
      }),
      steps: answers(call("c"), "é💥"),
    },
    "is-error": {
      title: "isError reaches the client unchanged: true, false, or left out",
      requirements: ["R22", "BRG-04"],
      setup: setupWith(
        when("true", { send: { result: { content: [{ type: "text", text: "it failed" }], isError: true } } }),
        when("absent", { send: { result: { content: [{ type: "text", text: "fine" }] } } }),
      ),
      steps: [
        call("t", { text: "true" }),
        { expect: { id: "t", result: { content: [{ type: "text", text: "it failed" }], isError: true } } },
        ...echoed("false"),
        ...answers(call("a", { text: "absent" }), "fine"),
      ],
    },
    blocks: {
      title: "all text blocks of a result arrive, in order",
      requirements: ["R20", "R23", "BRG-04"],
      setup: answering({ send: { result: { content: blocks } } }),
      steps: [call("c"), { expect: succeeded("c", blocks) }],
    },
    "rich-content": {
      title: "blocks of other types, structuredContent and _meta pass through",
      requirements: ["H9", "BRG-04"],
      additive: true,
      setup: answering({
        send: {
          result: {
            content: [{ type: "text", text: "a picture" }, image],
            structuredContent: { width: 1 },
            _meta: { "example.org/note": "kept" },
          },
        },
      }),
      steps: [
        call("c"),
        {
          expect: {
            id: "c",
            result: {
              content: [{ type: "text" }, image],
              structuredContent: { $equals: { width: 1 } },
              _meta: { "example.org/note": "kept" },
            },
          },
        },
      ],
    },
    "error-answer": {
      title: "an error of the parent is an MCP error with its message, and the connection stays in use",
      requirements: ["R24", "R35", "H17"],
      setup: setupWith(when("throw", { send: { error: { message: "the disk is full; free some space", type: "OSError" } } })),
      steps: [...fails(call("c", { text: "throw" }), "the disk is full; free some space"), ...echoed("next"), seen({ connections: 1 })],
    },
    "unknown-tool": {
      title: "a call of a tool that does not exist is an MCP error",
      requirements: ["R17", "R34"],
      setup: setupWith({
        when: { method: "call_tool", params: { name: "nope" } },
        send: { error: { message: 'there is no tool "nope"', type: "ToolNotFoundError" } },
      }),
      steps: [...fails(call("c", { text: "x" }, "nope")), ...echoed("next")],
    },
    "tool-names": {
      title: "each of several tools is called by its own name",
      requirements: ["R15", "R17"],
      setup: {
        schema: [tool("one"), tool("two")],
        answers: [
          { when: { method: "call_tool", params: { name: { $bind: "name" } } }, send: { result: textResult({ $same: "name" }) } },
          refusesHello,
        ],
      },
      steps: [...answers(call("a", {}, "two"), "two"), ...answers(call("b", {}, "one"), "one")],
    },
    "unknown-members": {
      title: "members that the contract doesn't define are ignored",
      requirements: ["R20", "R24"],
      setup: setupWith(
        when("r", { send: { result: { ...textResult("yes"), more: { a: [1] } }, trace: "t-1" } }),
        when("e", { send: { error: { message: "no", type: "ValueError", traceback: ["…"] }, trace: "t-2" } }),
      ),
      steps: [...answers(call("r", { text: "r" }), "yes"), ...fails(call("e", { text: "e" }), "no")],
    },
  },
  { setup: setupWith(), before: initialize },
);
