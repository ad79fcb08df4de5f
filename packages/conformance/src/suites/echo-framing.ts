// The echo protocol, part one: bytes and lines. Whole, well-formed lines arrive unchanged however they were cut; anything else is
// refused once, and the next line is served.

import { maxMessageBytes, type Piece } from "../pieces.ts";
import { toScenarios, type Step } from "../scenario.ts";

const nested = (levels: number): readonly Piece[] => [
  { utf8: '{"id":"deep","kind":"echo","value":' },
  { utf8: "[", times: levels },
  { utf8: "]", times: levels },
  { utf8: "}\n" },
];

const shapes: readonly unknown[] = [
  ...[null, true, false, 0, -1, 1.5, 1e21, 9_007_199_254_740_991, 5e-324],
  ...["", " ", "text", 'quote " and \\ backslash', "line\nbreak\ttab", "é ü 漢字 💥 e\u0301", "\u0000\u001f\u007f", "</script>"],
  ...[[], {}, [[]], [null], [1, "two", [3, { four: 4 }]], { a: { b: { c: [] } } }, { "": 1, " ": 2, "a.b": 3 }],
  { ["__proto__"]: 1, constructor: 2, toString: 3 },
];

const longLine = (id: string, bytes: number): readonly Piece[] => {
  const start = `{"id":"${id}","kind":"echo","value":7`;
  return [{ utf8: start }, { utf8: " ", times: bytes - start.length - 1 }, { utf8: "}\n" }];
};

const echoBack = (value: unknown): readonly Step[] => [
  { send: { id: "shape", kind: "echo", value } },
  { expect: { id: "shape", type: "echoed", value: { $equals: value } } },
];

const separators = "before\u2028between\u2029after\u0085end";

export const echoFramingScenarios = toScenarios(
  {
    shapes: {
      title: "every shape of JSON value comes back unchanged",
      requirements: ["G5", "R29"],
      steps: shapes.flatMap(echoBack),
    },
    split: {
      title: "a message may arrive byte by byte, cut inside a character",
      requirements: ["R5", "WIR-01"],
      steps: [
        { sendSplit: { id: "split", kind: "echo", value: "é漢💥" }, chunkBytes: 1 },
        { expect: { id: "split", type: "echoed", value: "é漢💥" } },
        { sendSplit: { id: "split", kind: "echo", value: "é漢💥".repeat(50) }, chunkBytes: 7 },
        { expect: { id: "split", type: "echoed", value: "é漢💥".repeat(50) } },
      ],
    },
    coalesced: {
      title: "several messages in one write are all answered",
      requirements: ["R5", "R78"],
      steps: [
        {
          sendBytes: ["a", "b", "c"].map((id) => ({ utf8: `{"id":"${id}","kind":"echo","value":"${id}"}\n` })),
        },
        { expectAll: ["a", "b", "c"].map((id) => ({ id, type: "echoed", value: id })) },
      ],
    },
    "blank-lines": {
      title: "blank lines are ignored and a line may end with CR LF",
      requirements: ["R81", "WIR-16"],
      steps: [
        { sendBytes: { utf8: '\n\r\n   \n\t\r\n{"id":"crlf","kind":"echo","value":1}\r\n\n' } },
        { expect: { id: "crlf", type: "echoed", value: 1 } },
      ],
    },
    separators: {
      title: "characters that look like line ends don't end a line",
      requirements: ["H38", "R127"],
      steps: [
        { sendBytes: { utf8: `{"id":"sep","kind":"echo",\r"value":"${separators}"}\n` } },
        { expect: { id: "sep", type: "echoed", value: separators } },
      ],
    },
    malformed: {
      title: "a line that isn't JSON is answered once, with its id if that can be read",
      requirements: ["G1", "H40", "R132", "WIR-16"],
      steps: [
        { sendBytes: { utf8: "{oops\n" } },
        { expect: { type: "error", code: "invalid_json", error: { $type: "string" }, id: { $absent: true } } },
        { sendBytes: { utf8: '{"id":"cut","kind":"echo","value":\n' } },
        { expect: { id: "cut", type: "error", code: "invalid_json" } },
        { sendBytes: [{ utf8: "\u0000\u0001\n" }, { utf8: "hello\n" }] },
        { expect: { type: "error", code: "invalid_json" } },
        { expect: { type: "error", code: "invalid_json" } },
      ],
    },
    "not-a-request": {
      title: "JSON other than an object with an id is answered once with an error",
      requirements: ["G1", "WIR-07"],
      steps: [[], 1, null, "x", true, {}].flatMap((value): Step[] => [
        { send: value },
        { expect: { type: "error", code: "invalid_message", id: { $absent: true } } },
      ]),
    },
    largest: {
      title: "a line of exactly 10,485,760 bytes is served",
      requirements: ["G2", "R9", "WIR-02"],
      steps: [{ sendBytes: longLine("max", maxMessageBytes) }, { expect: { id: "max", type: "echoed", value: 7 } }],
    },
    "too-large": {
      title: "a longer line is refused once with its id, and the next line is served",
      requirements: ["G2", "H24", "R9", "WIR-02"],
      steps: [{ sendBytes: longLine("big", maxMessageBytes + 1) }, { expect: { id: "big", type: "error", code: "too_large" } }],
    },
    "too-deep": {
      title: "nesting beyond 128 levels is refused; brackets inside a string aren't nesting",
      requirements: ["G14"],
      steps: [
        { sendBytes: nested(126) },
        { expect: { id: "deep", type: "echoed", value: { $type: "array" } } },
        { sendBytes: nested(128) },
        { expect: { id: "deep", type: "error", code: "too_deep" } },
        { sendBytes: nested(1_000_000) },
        { expect: { id: "deep", type: "error", code: "too_deep" } },
        { send: { id: "flat", kind: "echo", value: "[".repeat(1_000) } },
        { expect: { id: "flat", type: "echoed", value: "[".repeat(1_000) } },
      ],
    },
    "invalid-utf8": {
      title: "bytes that aren't UTF-8 and halves of surrogate pairs are refused, never replaced",
      requirements: ["G5"],
      steps: [
        { sendBytes: [{ utf8: '{"id":"bad","kind":"echo","value":"' }, { base64: "//7AgA==" }, { utf8: '"}\n' }] },
        { expect: { id: "bad", type: "error", code: "invalid_utf8" } },
        { sendBytes: { utf8: '{"id":"half","kind":"echo","value":"\\ud800"}\n' } },
        { expect: { id: "half", type: "error", code: "invalid_utf8" } },
        { sendBytes: { utf8: '{"id":"pair","kind":"echo","value":"\\ud83d\\ude00"}\n' } },
        { expect: { id: "pair", type: "echoed", value: "😀" } },
      ],
    },
  },
  { after: [{ expectAlive: true }] },
);
