// A parent, part two: requests and their answers, on one connection and on several.

import { toScenarios, type Step } from "../scenario.ts";
import { textFrame, toBytes } from "../pieces.ts";
import { call, callTool, echoed, error, result } from "./parent-script.ts";

const difficult = 'line\nbreak\ttab \\ " / é ü 漢字 💥 e\u0301 \u2028 \u0000 </script>';
const values: readonly object[] = [
  {},
  { nothing: null, flags: [true, false], nested: [[], {}, [1, [2, [3, { four: 4 }]]]] },
  { numbers: [0, -1, 1.5, 9_007_199_254_740_992, -9_007_199_254_740_992, 1e-7] },
  { text: difficult, "": { " ": 1, "a.b": 2, constructor: 3 } },
];

const echoBack = (args: object): Step[] => [call("echo", args), { expect: echoed(args) }];
const refused = (request: unknown, type?: string, message?: string): Step[] => [{ send: request }, { expect: error(type, message) }];
const anyResult = { error: { $absent: true }, result: { content: { $length: { min: 1 } } } };

const early = [callTool("wait", { ms: 300 }), callTool("echo", { turn: 2 }), callTool("echo", { turn: 3 })];

export const parentCallScenarios = toScenarios({
  call: {
    title: "a call is answered with one result that has content and no error",
    requirements: ["R15", "R20", "R21", "R22", "R23", "R27"],
    steps: echoBack({ text: "hi" }),
  },
  values: {
    title: "arguments of every JSON type come back unchanged",
    requirements: ["R13", "R29"],
    steps: values.flatMap(echoBack),
  },
  "byte-length": {
    title: "the length of an answer counts bytes: what follows text outside ASCII is read",
    requirements: ["R2", "R3"],
    steps: ["é", "漢字".repeat(500), difficult, "plain"].flatMap((text) => echoBack({ text })),
  },
  "golden-request": {
    title: "a request as Python writes it, with spaces and escapes, is served",
    requirements: ["R2", "R15"],
    steps: [
      {
        sendBytes: textFrame(String.raw`{"method": "call_tool", "params": {"name": "echo", "arguments": {"text": "\u00e9\ud83d\udca5"}}}`),
      },
      { expect: echoed({ text: "é💥" }) },
    ],
  },
  split: {
    title: "a request may arrive in pieces, cut inside its length and inside a character",
    requirements: ["R5", "WIR-01"],
    steps: [
      ...cutAt(2, 60, 72),
      { expect: echoed({ text: "é漢💥" }) },
      { sendSplit: callTool("echo", { text: "é漢💥" }), chunkBytes: 1 },
      { expect: echoed({ text: "é漢💥" }) },
    ],
  },
  "early-requests": {
    title: "requests sent too early are answered in order, or refused; never out of turn",
    requirements: ["R5", "R8"],
    steps: [
      { sendBytes: early.flatMap((request) => textFrame(JSON.stringify(request))) },
      { expect: result("waited") },
      { expect: { $either: [echoed({ turn: 2 }), error()] }, orEnd: true },
      { expect: { $either: [echoed({ turn: 3 }), error()] }, orEnd: true },
    ],
  },
  "many-calls": {
    title: "a connection serves a hundred calls, one after the other",
    requirements: ["R6", "H1"],
    steps: [
      {
        repeat: 100,
        steps: [call("echo", { n: { $index: "n" } }), { expect: result({ $json: { n: { $index: "n" } } }) }],
      },
    ],
  },
  "one-call-each": {
    title: "connections that carry one call each are served too",
    requirements: ["H1"],
    steps: [
      {
        repeat: 20,
        steps: [
          { connect: "short" },
          call("echo", { a: 1 }, { on: "short" }),
          { expect: echoed({ a: 1 }), on: "short" },
          { endInput: true, on: "short" },
        ],
      },
      { expectAlive: true },
    ],
  },
  "parallel-connections": {
    title: "a call on one connection doesn't wait for a call on another",
    requirements: ["R7", "H2"],
    steps: [
      { connect: "slow" },
      { connect: "quick" },
      // Longer than the test waits: a call that is answered meanwhile has not waited for it.
      call("wait", { ms: 3_600_000 }, { on: "slow" }),
      { expectAlive: true },
      call("echo", { a: 1 }, { on: "quick" }),
      { expect: echoed({ a: 1 }), on: "quick" },
      { expectNothing: 1, on: "slow" },
      { drop: "slow" },
      { expectAlive: true },
    ],
  },
  "empty-result": {
    title: "a tool that returns nothing is answered with at least one block",
    requirements: ["R21", "H8"],
    steps: [call("empty"), { expect: anyResult }, { expectAlive: true }],
  },
  "tool-throws": {
    title: "an error that a tool throws is answered with its message and its class, and the parent lives",
    requirements: ["R24", "R26", "R35"],
    steps: [...refused(callTool("fail"), "ValueError", "boom"), ...refused(callTool("fail"), "ValueError", "boom"), { expectAlive: true }],
  },
  "unknown-tool": {
    title: "a tool that does not exist is a ToolNotFoundError that names it",
    requirements: ["R17", "R25", "R34"],
    steps: [
      ...refused({ method: "call_tool", params: { name: "no_such_tool", arguments: {} } }, "ToolNotFoundError", "no_such_tool"),
      { expectAlive: true },
    ],
  },
  "unknown-method": {
    title: "an unknown method is answered with an error, and the connection stays in use",
    requirements: ["R28", "R33"],
    steps: [
      ...refused({ method: "list_tools", params: {} }),
      ...refused({ method: "x" }),
      ...refused({ method: "call_tool ", params: { name: "echo", arguments: {} } }),
      { expectAlive: true },
    ],
  },
  "malformed-request": {
    title: "a request without its members is answered with an error, and the connection stays in use",
    requirements: ["R15", "WIR-07"],
    steps: [
      ...refused({}),
      ...refused({ method: "call_tool" }),
      ...refused({ method: "call_tool", params: [] }),
      ...refused({ method: "call_tool", params: { arguments: {} } }),
      ...refused({ method: "call_tool", params: { name: 5, arguments: {} } }),
      ...refused({ method: "call_tool", params: { name: "echo", arguments: [] } }),
      { expectAlive: true },
    ],
  },
  "unknown-members": {
    title: "members that the contract doesn't define are ignored",
    requirements: ["R15"],
    steps: [
      { send: { method: "call_tool", params: { name: "echo", arguments: { a: 1 }, more: true }, id: 7, jsonrpc: "2.0" } },
      { expect: { ...echoed({ a: 1 }), id: { $absent: true } } },
    ],
  },
  hello: {
    title: "a hello gets one answer, known or not, and calls still work",
    requirements: ["R33", "H4"],
    steps: [{ send: { method: "hello", params: { features: [] } } }, { expect: { $either: [error(), anyResult] } }, { expectAlive: true }],
  },
  "hello-known": {
    title: "a hello is answered with the features of the parent",
    requirements: ["H4"],
    additive: true,
    steps: [
      { send: { method: "hello", params: { features: ["progress", "log", "richContent"], client: { name: "hawser-conform" } } } },
      { expect: { result: { content: { $length: { min: 1 } }, hello: { features: { $type: "array" } } } } },
      { expectAlive: true },
    ],
  },
  "error-classes": {
    title: "malformed requests are a ValueError, wrong arguments a ToolInputValidationError",
    requirements: ["R18", "H6", "H7"],
    additive: true,
    steps: [
      ...refused({ method: "call_tool" }, "ValueError"),
      ...refused({ method: "x" }, "ValueError"),
      ...refused(callTool("wait", { ms: "soon" }), "ToolInputValidationError", "ms"),
      { expectAlive: true },
    ],
  },
});

/** One echo request, written in parts that end at these bytes, with nothing answered before the last. */
function cutAt(...ends: readonly number[]): Step[] {
  const bytes = toBytes(textFrame(JSON.stringify(callTool("echo", { text: "é漢💥" }))));
  const starts = [0, ...ends];
  return starts.flatMap((start, index): Step[] => {
    const part = { sendBytes: { base64: bytes.subarray(start, starts[index + 1]).toString("base64") } };
    return index === ends.length ? [part] : [part, { expectNothing: 50 }];
  });
}
