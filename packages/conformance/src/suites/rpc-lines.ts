// rpc, part two: bytes and lines. A whole line is read however it was cut; one that isn't a request is answered once, and the next
// line is served.

import { maxMessageBytes, type Piece } from "../pieces.ts";
import { toScenarios, type Step } from "../scenario.ts";
import { failed, request, succeeded, succeeds } from "./rpc-script.ts";

const noId = { $absent: true };

/** A hello in one line of this length. */
const longHello = (id: string, bytes: number): readonly Piece[] => {
  const start = `{"id":"${id}","op":"hello","args":{"pad":"`;
  return [{ utf8: start }, { utf8: "x", times: bytes - start.length - 3 }, { utf8: '"}}' }, { utf8: "\n" }];
};

const refused = (pieces: Piece | readonly Piece[], id: unknown = noId): readonly Step[] => [
  { sendBytes: pieces },
  { expect: failed(id, 2) },
];

export const rpcLineScenarios = toScenarios({
  "two-lines": {
    title: "two requests in one write are both answered, in order",
    requirements: ["R77", "R78", "R79", "R80"],
    steps: [
      { sendBytes: ["a", "b"].map((id) => ({ utf8: `{"id":"${id}","op":"hello"}\n` })) },
      { expect: succeeded("a") },
      { expect: succeeded("b") },
    ],
  },
  split: {
    title: "a request may arrive byte by byte, cut inside a character",
    requirements: ["R78", "WIR-01"],
    steps: [{ sendSplit: { id: "é漢💥", op: "hello" }, chunkBytes: 1 }, { expect: succeeded("é漢💥") }],
  },
  "blank-lines": {
    title: "empty lines are ignored",
    requirements: ["R81"],
    steps: [{ sendBytes: { utf8: '\n\n{"id":"one","op":"hello"}\n\n' } }, { expect: succeeded("one") }, { expectNothing: 100 }],
  },
  "blank-spaces": {
    title: "lines of spaces are ignored, and a line may end with CR LF",
    requirements: ["R81"],
    steps: [
      { sendBytes: { utf8: '\n \r\n\t\r\n{"id":"crlf","op":"hello"}\r\n\r\n' } },
      { expect: succeeded("crlf") },
      { expectNothing: 100 },
    ],
  },
  malformed: {
    title: "a line that isn't a request is answered once with code 2 and no id, and the session lives",
    requirements: ["R78", "R87", "R90", "H23"],
    steps: [
      ...["{oops", "hello", "[]", "5", '"text"', "\u0000\u0001"].flatMap((text) => refused({ utf8: `${text}\n` })),
      { expectAlive: true },
    ],
  },
  "malformed-place": {
    title: "the answer to a broken line names the line, and echoes an id that can still be read",
    requirements: ["H23", "G1"],
    additive: true,
    steps: [
      { sendBytes: { utf8: '{"id":"first","op":"hello"}\n{oops\n{"id":"cut","op":\n' } },
      { expect: succeeded("first") },
      { expect: failed(noId, 2, { data: { line: 2 } }) },
      { expect: failed("cut", 2, { data: { line: 3 } }) },
      { expectAlive: true },
    ],
  },
  "malformed-many": {
    title: "a thousand broken lines get a thousand answers, short and without any of the input",
    requirements: ["RPC-16"],
    additive: true,
    steps: [
      { repeat: 1_000, steps: [{ sendBytes: { utf8: `{"secret-word ${"x".repeat(300)}\n` } }] },
      {
        repeat: 1_000,
        steps: [{ expect: failed(noId, 2, { error: { $regex: "^(?:(?!secret-word)[^])*$", $length: { max: 200 } } }) }],
      },
      { expectAlive: true },
    ],
  },
  "not-utf8": {
    title: "a line that isn't UTF-8 is refused, not altered",
    requirements: ["G5"],
    additive: true,
    steps: [
      ...refused([{ utf8: '{"id":"bytes","op":"hello","args":"' }, { base64: "//7A" }, { utf8: '"}\n' }], "bytes"),
      { expectAlive: true },
    ],
  },
  "too-deep": {
    title: "a request nested deeper than 128 levels is refused; brackets inside a string aren't nesting",
    requirements: ["G14"],
    additive: true,
    steps: [
      ...refused(
        [{ utf8: '{"id":"deep","op":"hello","args":' }, { utf8: "[", times: 128 }, { utf8: "]", times: 128 }, { utf8: "}\n" }],
        "deep",
      ),
      ...succeeds(request("text", "hello", { name: "[".repeat(500) })),
    ],
  },
  "long-line": {
    title: "a line of a megabyte is read",
    requirements: ["R78"],
    steps: [{ sendBytes: longHello("long", 1_048_576) }, { expect: succeeded("long") }],
  },
  "longest-line": {
    title: "a line of exactly 10,485,760 bytes is read",
    requirements: ["G2"],
    additive: true,
    steps: [{ sendBytes: longHello("longest", maxMessageBytes) }, { expect: succeeded("longest") }],
  },
  "too-long": {
    title: "a line beyond the limit is skipped and answered once with its id, and the session lives",
    requirements: ["H24", "G2"],
    additive: true,
    // Also beyond the limit of igw's own reader, which ends the session there.
    steps: [{ sendBytes: longHello("beyond", 17_825_792) }, { expect: failed("beyond", 2) }, { expectAlive: true }],
  },
});
