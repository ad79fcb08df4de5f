// A bridge, part three: a parent that is gone, goes away, or sends what it must not. The call ends
// with an MCP error, the bridge lives, and no request is ever sent a second time. Whether a later
// call opens a new connection is the bridge's choice; `reconnect` asks for it.

import type { Answer } from "../setup.ts";
import { bridgeUuid } from "../bridge-subject.ts";
import type { Piece } from "../pieces.ts";
import type { Scenario, Step } from "../scenario.ts";
import { answered, answering, call, callTool, failed, initialize, seen, setupWith, succeeded, textResult, when } from "./bridge-script.ts";
import { frame, header, maxMessageBytes, paddedFrame, textFrame } from "../pieces.ts";

/** A later call is carried over a new connection or refused; either way it ends. */
const nextEnds: Step[] = [call("next", { text: "next" }), { expect: { $either: [answered("next", "next"), failed("next")] } }];

/** The request with this text was sent once, whatever happened to it. */
const sentOnce = (text: string): Step[] => [
  { expectNothing: 200 },
  seen({ requests: { $either: [[callTool(text)], [callTool(text), callTool("next")]] } }),
];

const lost = (answer: Omit<Answer, "when">): Pick<Scenario, "setup" | "steps"> => ({
  setup: setupWith(when("last", answer)),
  steps: [
    ...initialize,
    call("c", { text: "last" }),
    { expect: failed("c") },
    { expectAlive: true },
    ...nextEnds,
    ...sentOnce("last"),
    { expectAlive: true },
  ],
});

const half = textFrame('{"result":{"content":[{"type":"text","text":"whole"}]}}').map((piece) =>
  piece.utf8 === undefined ? piece : { utf8: piece.utf8.slice(0, 20) },
);

const badAnswers: readonly [string, string, readonly string[], readonly Piece[]][] = [
  ["not-json", "that is no JSON", ["R32"], textFrame("{")],
  [
    "not-utf8",
    "that is no UTF-8",
    ["R32", "G5"],
    frame({ utf8: '{"result":{"content":[{"type":"text","text":"' }, { base64: "//7A" }, { utf8: '"}]}}' }),
  ],
  ["empty", "of length 0", ["R32"], [header(0)]],
  ["not-an-object", "that is no object", ["R32"], textFrame("[]")],
  [
    "both",
    "with both result and error",
    ["R27"],
    textFrame('{"result":{"content":[{"type":"text","text":"yes"}]},"error":{"message":"no","type":"ValueError"}}'),
  ],
  ["neither", "with neither result nor error", ["R27"], textFrame('{"content":[{"type":"text","text":"yes"}]}')],
  ["too-large", "of 10,485,761 bytes", ["R9"], paddedFrame('{"result":{"content":[{"type":"text","text":"yes"}]}}', maxMessageBytes + 1)],
  ["huge-length", "that announces 4 GB", ["R10"], [header(0xffff_ffff)]],
];

/** A call in one line of this length. */
const longCall = (bytes: number): readonly Piece[] => {
  const start = '{"jsonrpc":"2.0","id":"long","method":"tools/call","params":{"name":"echo","arguments":{"pad":"';
  return [{ utf8: start }, { utf8: "x", times: bytes - start.length - 4 }, { utf8: '"}}}' }, { utf8: "\n" }];
};

export const bridgeFaultScenarios: readonly Scenario[] = [
  {
    id: "no-listener",
    title: "a call with nobody behind the socket is an MCP error that names the path",
    requirements: ["R25", "R30"],
    setup: { ...setupWith(), listen: false },
    steps: [...initialize, call("c", { text: "x" }), { expect: failed("c", bridgeUuid) }, { expectAlive: true }],
  },
  {
    id: "lost-in-call",
    title: "a connection that ends before the answer is an MCP error, and the request is not sent again",
    requirements: ["R11", "R36", "BRG-06", "H3"],
    ...lost({ close: true }),
  },
  {
    id: "lost-in-answer",
    title: "a connection that ends inside the answer is an MCP error, and the request is not sent again",
    requirements: ["R11", "R36", "BRG-06", "H3"],
    ...lost({ sendBytes: half, close: true }),
  },
  {
    id: "lost-idle",
    title: "after a connection ended between calls, the next call ends and the bridge lives",
    requirements: ["R11", "BRG-06"],
    setup: setupWith(when("last", { send: { result: textResult("bye") }, close: true })),
    steps: [
      ...initialize,
      call("c", { text: "last" }),
      { expect: answered("c", "bye") },
      { expectFacts: { open: 0 } },
      ...nextEnds,
      ...sentOnce("last"),
      { expectAlive: true },
    ],
  },
  {
    id: "reconnect",
    title: "after a lost connection the next call opens a new one",
    requirements: ["H3"],
    additive: true,
    setup: setupWith(when("last", { close: true })),
    steps: [
      ...initialize,
      call("c", { text: "last" }),
      { expect: failed("c") },
      call("next", { text: "next" }),
      { expect: answered("next", "next") },
      seen({ connections: 2, requests: [callTool("last"), callTool("next")] }),
    ],
  },
  {
    id: "reconnect-idle",
    title: "a connection that ended between calls is not used again: the next call opens a new one",
    requirements: ["H3"],
    additive: true,
    setup: setupWith(when("last", { send: { result: textResult("bye") }, close: true })),
    steps: [
      ...initialize,
      call("c", { text: "last" }),
      { expect: answered("c", "bye") },
      { expectFacts: { open: 0 } },
      // Time to notice: the end and the next call come from two sides. Who has answered another request has looked at both.
      { expectNothing: 100 },
      { expectAlive: true },
      call("next", { text: "next" }),
      { expect: answered("next", "next") },
      seen({ connections: 2, requests: [callTool("last"), callTool("next")] }),
    ],
  },
  ...badAnswers.map(([id, words, requirements, bytes]): Scenario => ({
    id: `answer-${id}`,
    title: `an answer ${words} is an MCP error, and the bridge lives`,
    requirements,
    setup: setupWith(when("last", { sendBytes: bytes })),
    steps: [...initialize, call("c", { text: "last" }), { expect: failed("c") }, { expectAlive: true }, ...nextEnds, ...sentOnce("last")],
  })),
  {
    id: "answer-twice",
    title: "an answer that nobody asked for is not taken for the answer of the next call",
    requirements: ["G4"],
    additive: true,
    setup: setupWith(
      when("last", { sendBytes: ["one", "stray"].flatMap((text) => textFrame(JSON.stringify({ result: textResult(text) }))) }),
    ),
    steps: [...initialize, call("c", { text: "last" }), { expect: answered("c", "one") }, { expectNothing: 100 }, ...nextEnds],
  },
  {
    id: "answer-no-content",
    title: "an answer without content reaches the client with at least one block, or as an error",
    requirements: ["R21", "BRG-04"],
    additive: true,
    setup: answering({ send: { result: { content: [] } } }),
    steps: [...initialize, call("c"), { expect: { $either: [succeeded("c"), failed("c")] } }, { expectAlive: true }],
  },
  {
    id: "answer-largest",
    title: "an answer of exactly 10,485,760 bytes is taken",
    requirements: ["R9"],
    setup: answering({ sendBytes: largestAnswer() }),
    steps: [...initialize, call("c"), { expect: succeeded("c") }, { expectAlive: true }],
  },
  {
    id: "request-largest",
    title: "a call in a line of exactly 10,485,760 bytes is carried",
    requirements: ["R9", "R19"],
    setup: answering({ send: { result: textResult("taken") } }),
    steps: [...initialize, { sendBytes: longCall(maxMessageBytes) }, { expect: answered("long", "taken") }],
  },
  {
    id: "request-too-large",
    title: "arguments that fit into no message are an MCP error, and nothing of them reaches the parent",
    requirements: ["R9", "R19", "R31", "BRG-05"],
    setup: setupWith(),
    steps: [
      ...initialize,
      { sendBytes: longCall(maxMessageBytes + 200) },
      { expect: failed("long") },
      { expectAlive: true },
      call("next", { text: "next" }),
      { expect: answered("next", "next") },
      seen({ requests: [callTool("next")] }),
    ],
  },
];

function largestAnswer(): readonly Piece[] {
  const start = '{"result":{"content":[{"type":"text","text":"';
  const end = '"}],"isError":false}}';
  return [header(maxMessageBytes), { utf8: start }, { utf8: "x", times: maxMessageBytes - start.length - end.length }, { utf8: end }];
}
