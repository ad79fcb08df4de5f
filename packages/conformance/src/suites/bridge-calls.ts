// A bridge, part two: calls. What reaches the parent, what comes back to the client, and which
// connections carry it.

import type { Scenario, Step } from "../scenario.ts";
import {
  answered,
  answering,
  call,
  callTool,
  failed,
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

/** Each text is called on its own and comes back. */
const echoed = (...texts: readonly string[]): Step[] =>
  texts.flatMap((text, index) => [call(`c${index}`, { text }), { expect: answered(`c${index}`, text) }]);

const ids = Array.from({ length: 40 }, (_, index) => `p${index}`);
const parallelCalls = (count: number): Step[] => [
  ...ids.slice(0, count).map((id) => call(id, { text: id })),
  { expectAll: ids.slice(0, count).map((id) => answered(id, id)) },
];

export const bridgeCallScenarios: readonly Scenario[] = [
  {
    id: "call",
    title: "a call reaches the parent as one call_tool request and nothing else",
    requirements: ["R2", "R12", "R15", "R20", "R23", "R61"],
    setup: setupWith(),
    steps: [
      ...initialize,
      request("c", "tools/call", { name: "echo", arguments: { text: "hi" }, _meta: { progressToken: 7 } }),
      { expect: answered("c", "hi") },
      seen({ connections: 1, requests: [callTool("hi")] }),
    ],
  },
  {
    id: "no-arguments",
    title: "a call without arguments is sent with an empty object",
    requirements: ["R15"],
    setup: answering({ send: { result: textResult("none") } }),
    steps: [
      ...initialize,
      call("c"),
      { expect: answered("c", "none") },
      seen({ requests: [{ $equals: { method: "call_tool", params: { name: "echo", arguments: {} } } }] }),
    ],
  },
  {
    id: "byte-length",
    title: "the length counts bytes: text outside ASCII arrives whole, and so does what follows it",
    requirements: ["R2", "R3", "R13"],
    setup: setupWith(),
    steps: [
      ...initialize,
      ...echoed("é", "漢字".repeat(500), difficult, "plain"),
      seen({ connections: 1, requests: ["é", "漢字".repeat(500), difficult, "plain"].map(callTool) }),
    ],
  },
  {
    id: "values",
    title: "arguments of every JSON type reach the parent unchanged",
    requirements: ["R13", "R29"],
    setup: answering({ send: { result: textResult("seen") } }),
    steps: [
      ...initialize,
      call("c", values),
      { expect: answered("c", "seen") },
      seen({ requests: [{ $equals: { method: "call_tool", params: { name: "echo", arguments: values } } }] }),
    ],
  },
  {
    id: "reuse",
    title: "calls one after the other share one connection",
    requirements: ["R6"],
    setup: setupWith(),
    steps: [...initialize, ...echoed("1", "2", "3", "4"), seen({ connections: 1, open: 1 })],
  },
  {
    id: "parallel",
    title: "parallel calls never have two requests on one connection, and no answer is crossed",
    requirements: ["R7", "R8", "G4"],
    setup: setupWith(...ids.slice(0, 5).map((id) => when(id, { send: { result: textResult(id) }, afterMs: 150 }))),
    steps: [...initialize, ...parallelCalls(5)],
  },
  {
    id: "many-calls",
    title: "forty calls at once are all answered, each with its own result",
    requirements: ["R7", "R8", "BRG-13"],
    setup: setupWith(),
    steps: [...initialize, ...parallelCalls(40), seen({ requests: { $length: 40 } })],
  },
  {
    id: "answer-split",
    title: "an answer may arrive in pieces, cut inside its length and inside a character",
    requirements: ["R5"],
    setup: answering({ sendBytes: textFrame('{"result":{"content":[{"type":"text","text":"é漢💥"}]}}'), chunkBytes: 1 }),
    steps: [...initialize, call("c"), { expect: answered("c", "é漢💥") }],
  },
  {
    id: "answer-golden",
    title: "an answer as Python writes it, with blanks and escapes, is read",
    requirements: ["R2", "R20", "R22"],
    setup: answering({
      sendBytes: frame({ utf8: String.raw`{"result": {"content": [{"type": "text", "text": "\u00e9\ud83d\udca5"}], "isError": false}}` }),
    }),
    steps: [...initialize, call("c"), { expect: answered("c", "é💥") }],
  },
  {
    id: "is-error",
    title: "isError reaches the client as it is: true, false, or left out",
    requirements: ["R22", "BRG-04"],
    setup: setupWith(
      when("true", { send: { result: { content: [{ type: "text", text: "it failed" }], isError: true } } }),
      when("absent", { send: { result: { content: [{ type: "text", text: "fine" }] } } }),
    ),
    steps: [
      ...initialize,
      call("t", { text: "true" }),
      { expect: { id: "t", result: { content: [{ type: "text", text: "it failed" }], isError: true } } },
      ...echoed("false"),
      call("a", { text: "absent" }),
      { expect: answered("a", "fine") },
    ],
  },
  {
    id: "blocks",
    title: "all text blocks of a result arrive, in order",
    requirements: ["R20", "R23", "BRG-04"],
    setup: answering({ send: { result: { content: ["one", "", "three\n"].map((text) => ({ type: "text", text })) } } }),
    steps: [
      ...initialize,
      call("c"),
      {
        expect: succeeded(
          "c",
          ["one", "", "three\n"].map((text) => ({ type: "text", text })),
        ),
      },
    ],
  },
  {
    id: "rich-content",
    title: "blocks of other types, structuredContent and _meta pass through",
    requirements: ["H9", "BRG-04"],
    additive: true,
    setup: answering({
      send: {
        result: {
          content: [
            { type: "text", text: "a picture" },
            { type: "image", data: "aGk=", mimeType: "image/png" },
          ],
          structuredContent: { width: 1 },
          _meta: { "example.org/note": "kept" },
        },
      },
    }),
    steps: [
      ...initialize,
      call("c"),
      {
        expect: {
          id: "c",
          result: {
            content: [{ type: "text" }, { type: "image", data: "aGk=", mimeType: "image/png" }],
            structuredContent: { $equals: { width: 1 } },
            _meta: { "example.org/note": "kept" },
          },
        },
      },
    ],
  },
  {
    id: "error-answer",
    title: "an error of the parent is an MCP error with its message, and the connection goes on",
    requirements: ["R24", "R35", "H17"],
    setup: setupWith(when("throw", { send: { error: { message: "the disk is full; free some space", type: "OSError" } } })),
    steps: [
      ...initialize,
      call("c", { text: "throw" }),
      { expect: failed("c", "the disk is full; free some space") },
      ...echoed("next"),
      seen({ connections: 1 }),
    ],
  },
  {
    id: "unknown-tool",
    title: "a call of a tool that nobody has is an MCP error",
    requirements: ["R17", "R34"],
    setup: setupWith({
      when: { method: "call_tool", params: { name: "nope" } },
      send: { error: { message: 'there is no tool "nope"', type: "ToolNotFoundError" } },
    }),
    steps: [...initialize, call("c", { text: "x" }, "nope"), { expect: failed("c") }, ...echoed("next")],
  },
  {
    id: "tool-names",
    title: "each of several tools is called by its own name",
    requirements: ["R15", "R17"],
    setup: {
      schema: [tool("one"), tool("two")],
      answers: [
        { when: { method: "call_tool", params: { name: { $bind: "name" } } }, send: { result: textResult({ $same: "name" }) } },
        refusesHello,
      ],
    },
    steps: [...initialize, call("a", {}, "two"), { expect: answered("a", "two") }, call("b", {}, "one"), { expect: answered("b", "one") }],
  },
  {
    id: "unknown-members",
    title: "members that the contract does not name are ignored",
    requirements: ["R20", "R24"],
    setup: setupWith(
      when("r", { send: { result: { ...textResult("yes"), more: { a: [1] } }, trace: "t-1" } }),
      when("e", { send: { error: { message: "no", type: "ValueError", traceback: ["…"] }, trace: "t-2" } }),
    ),
    steps: [
      ...initialize,
      call("r", { text: "r" }),
      { expect: answered("r", "yes") },
      call("e", { text: "e" }),
      { expect: failed("e", "no") },
    ],
  },
];
