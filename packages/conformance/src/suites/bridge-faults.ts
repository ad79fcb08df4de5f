// A bridge, part three: a parent that is gone, goes away, or breaks the protocol. The call ends with an MCP error, the bridge lives, and
// no request is ever sent twice. Whether a later call opens a new connection is the bridge's choice; `reconnect` asks for it.

import { bridgeUuid } from "../bridge-subject.ts";
import { frame, header, maxMessageBytes, paddedFrame, textFrame, type Piece } from "../pieces.ts";
import { toScenarios, type Answer, type Scenario, type Step } from "../scenario.ts";
import {
  answered,
  answering,
  answers,
  call,
  callTool,
  failed,
  fails,
  initialize,
  seen,
  setupWith,
  succeeded,
  textResult,
  when,
} from "./bridge-script.ts";

const last = call("c", { text: "last" });
const next = call("next", { text: "next" });

/** A later call is carried over a new connection or refused; either way it ends. */
const nextEnds: Step[] = [next, { expect: { $either: [answered("next", "next"), failed("next")] } }];

/** The last request was sent once, whatever happened to it. */
const sentOnce: Step[] = [
  { expectNothing: 200 },
  seen({ requests: { $either: [[callTool("last")], [callTool("last"), callTool("next")]] } }),
];

const sentBoth = seen({ connections: 2, requests: [callTool("last"), callTool("next")] });

const lost = (where: string, answer: Omit<Answer, "when">): Omit<Scenario, "id"> => ({
  title: `a connection that ends ${where} the answer is an MCP error, and the request is not sent again`,
  requirements: ["R11", "R36", "BRG-06", "H3"],
  setup: setupWith(when("last", answer)),
  steps: [...fails(last), { expectAlive: true }, ...nextEnds, ...sentOnce, { expectAlive: true }],
});

const saysBye = setupWith(when("last", { send: { result: textResult("bye") }, close: true }));

const half = textFrame('{"result":{"content":[{"type":"text","text":"whole"}]}}').map((piece) =>
  piece.utf8 === undefined ? piece : { utf8: piece.utf8.slice(0, 20) },
);

const textStart = '{"result":{"content":[{"type":"text","text":"';

const badAnswer = (words: string, requirements: readonly string[], sendBytes: readonly Piece[]): Omit<Scenario, "id"> => ({
  title: `an answer ${words} is an MCP error, and the bridge lives`,
  requirements,
  setup: setupWith(when("last", { sendBytes })),
  steps: [...fails(last), { expectAlive: true }, ...nextEnds, ...sentOnce],
});

/** A call in one line of this length. */
const longCall = (bytes: number): readonly Piece[] => {
  const start = '{"jsonrpc":"2.0","id":"long","method":"tools/call","params":{"name":"echo","arguments":{"pad":"';
  return [{ utf8: start }, { utf8: "x", times: bytes - start.length - 4 }, { utf8: '"}}}' }, { utf8: "\n" }];
};

export const bridgeFaultScenarios = toScenarios(
  {
    "no-listener": {
      title: "a call without a listener behind the socket is an MCP error that names the path",
      requirements: ["R25", "R30"],
      setup: { ...setupWith(), listen: false },
      steps: [...fails(call("c", { text: "x" }), bridgeUuid), { expectAlive: true }],
    },
    "lost-in-call": lost("before", { close: true }),
    "lost-in-answer": lost("inside", { sendBytes: half, close: true }),
    "lost-idle": {
      title: "after a connection ended between calls, the next call ends and the bridge lives",
      requirements: ["R11", "BRG-06"],
      setup: saysBye,
      steps: [...answers(last, "bye"), { expectFacts: { open: 0 } }, ...nextEnds, ...sentOnce, { expectAlive: true }],
    },
    reconnect: {
      title: "after a lost connection the next call opens a new one",
      requirements: ["H3"],
      additive: true,
      setup: setupWith(when("last", { close: true })),
      steps: [...fails(last), ...answers(next, "next"), sentBoth],
    },
    "reconnect-idle": {
      title: "a connection that ended between calls is not used again: the next call opens a new one",
      requirements: ["H3"],
      additive: true,
      setup: saysBye,
      steps: [
        ...answers(last, "bye"),
        { expectFacts: { open: 0 } },
        // Time to notice: the end and the next call come from two sides. A bridge that has answered another request has seen both.
        { expectNothing: 100 },
        { expectAlive: true },
        ...answers(next, "next"),
        sentBoth,
      ],
    },
    "answer-not-json": badAnswer("that isn't JSON", ["R32"], textFrame("{")),
    "answer-not-utf8": badAnswer("that isn't UTF-8", ["R32", "G5"], frame({ utf8: textStart }, { base64: "//7A" }, { utf8: '"}]}}' })),
    "answer-empty": badAnswer("of length 0", ["R32"], [header(0)]),
    "answer-not-an-object": badAnswer("that isn't an object", ["R32"], textFrame("[]")),
    "answer-both": badAnswer(
      "with both result and error",
      ["R27"],
      textFrame(`${textStart}yes"}]},"error":{"message":"no","type":"ValueError"}}`),
    ),
    "answer-neither": badAnswer("with neither result nor error", ["R27"], textFrame('{"content":[{"type":"text","text":"yes"}]}')),
    "answer-too-large": badAnswer("of 10,485,761 bytes", ["R9"], paddedFrame(`${textStart}yes"}]}}`, maxMessageBytes + 1)),
    "answer-huge-length": badAnswer("that announces 4 GB", ["R10"], [header(0xffff_ffff)]),
    "answer-twice": {
      title: "a second answer to one request is not taken for the answer of the next call",
      requirements: ["G4"],
      additive: true,
      setup: setupWith(
        when("last", { sendBytes: ["one", "stray"].flatMap((text) => textFrame(JSON.stringify({ result: textResult(text) }))) }),
      ),
      steps: [...answers(last, "one"), { expectNothing: 100 }, ...nextEnds],
    },
    "answer-no-content": {
      title: "an answer without content reaches the client with at least one block, or as an error",
      requirements: ["R21", "BRG-04"],
      additive: true,
      setup: answering({ send: { result: { content: [] } } }),
      steps: [call("c"), { expect: { $either: [succeeded("c"), failed("c")] } }, { expectAlive: true }],
    },
    "answer-largest": {
      title: "an answer of exactly 10,485,760 bytes is taken",
      requirements: ["R9"],
      setup: answering({ sendBytes: largestAnswer() }),
      steps: [call("c"), { expect: succeeded("c") }, { expectAlive: true }],
    },
    "request-largest": {
      title: "a call in a line of exactly 10,485,760 bytes is carried",
      requirements: ["R9", "R19"],
      setup: answering({ send: { result: textResult("taken") } }),
      steps: [{ sendBytes: longCall(maxMessageBytes) }, { expect: answered("long", "taken") }],
    },
    "request-too-large": {
      title: "arguments too large for a message are an MCP error, and no part of them reaches the parent",
      requirements: ["R9", "R19", "R31", "BRG-05"],
      setup: setupWith(),
      steps: [
        { sendBytes: longCall(maxMessageBytes + 200) },
        { expect: failed("long") },
        { expectAlive: true },
        ...answers(next, "next"),
        seen({ requests: [callTool("next")] }),
      ],
    },
  },
  { before: initialize },
);

function largestAnswer(): readonly Piece[] {
  const end = '"}],"isError":false}}';
  return [
    header(maxMessageBytes),
    { utf8: textStart },
    { utf8: "x", times: maxMessageBytes - textStart.length - end.length },
    { utf8: end },
  ];
}
