// A parent, part three: frames that are too large or can't be read, and connections that end. The contract lets a receiver end the
// connection over them, so the question is whether the parent lives; that the connection lives too is additive.

import { frame, header, maxMessageBytes, paddedFrame, textFrame, type Piece } from "../pieces.ts";
import { toScenarios, type Scenario, type Step } from "../scenario.ts";
import { call, callTool, echoed, error, newConnectionServed, result } from "./parent-script.ts";

const echoText = JSON.stringify(callTool("echo", { a: 1 }));
const notUtf8 = frame(
  { utf8: '{"method":"call_tool","params":{"name":"echo","arguments":{"text":"' },
  { base64: "//7A" },
  { utf8: '"}}}' },
);

/** Refused by an error or by the end of the connection; the parent lives. */
const refusedFrame = (words: string, requirements: readonly string[], bytes: readonly Piece[]): Omit<Scenario, "id"> => ({
  title: `a frame ${words} is refused, and the parent lives`,
  requirements,
  steps: [
    { connect: "bad" },
    { sendBytes: bytes, on: "bad", orEnd: true },
    { expect: error(), on: "bad", orEnd: true },
    ...newConnectionServed,
    { expectAlive: true },
  ],
});

const answeredAndAlive = (bytes: readonly Piece[], type: unknown): Step[] => [
  { sendBytes: bytes },
  { expect: error(type) },
  { expectAlive: true },
];

export const parentFaultScenarios = toScenarios({
  "request-largest": {
    title: "a request of exactly 10,485,760 bytes is served",
    requirements: ["R9", "WIR-02"],
    steps: [{ sendBytes: paddedFrame(echoText, maxMessageBytes) }, { expect: echoed({ a: 1 }) }, { expectAlive: true }],
  },
  "request-too-large": refusedFrame("of 10,485,761 bytes", ["R9", "WIR-02"], paddedFrame(echoText, maxMessageBytes + 1)),
  "huge-length": refusedFrame("that announces 4 GB", ["R10", "WIR-04"], [header(0xffff_ffff)]),
  "not-json": refusedFrame("that isn't JSON", ["R32"], textFrame("{")),
  "not-utf8": refusedFrame("that isn't UTF-8", ["R32"], notUtf8),
  "empty-frame": refusedFrame("of length 0", ["R32"], [header(0)]),
  "refused-frames-go-on": {
    title: "frames that can't be read are answered with an error, and the connection stays in use",
    requirements: ["G1", "WIR-07"],
    additive: true,
    steps: [
      ...answeredAndAlive(textFrame("{"), "IPCError"),
      ...answeredAndAlive(notUtf8, "IPCError"),
      ...answeredAndAlive([header(0)], "IPCError"),
      ...["[]", "1", "null", '"x"', "true"].flatMap((text) => answeredAndAlive(textFrame(text), { $type: "string" })),
    ],
  },
  "too-large-goes-on": {
    title: "a request of 10,485,761 bytes is answered with an IPCMessageSizeError, and the connection stays in use",
    requirements: ["G2", "WIR-02"],
    additive: true,
    steps: answeredAndAlive(paddedFrame(echoText, maxMessageBytes + 1), "IPCMessageSizeError"),
  },
  "huge-length-answered": {
    title: "an announcement of 4 GB is answered with an IPCMessageSizeError before the connection ends",
    requirements: ["G2", "WIR-04"],
    additive: true,
    steps: [
      { connect: "bad" },
      { sendBytes: header(0xffff_ffff), on: "bad" },
      { expect: error("IPCMessageSizeError"), on: "bad" },
      { expectEnd: true, on: "bad" },
      { expectAlive: true },
    ],
  },
  "result-large": {
    title: "a result of 10,000,000 characters is sent",
    requirements: ["R9"],
    steps: [call("big", { bytes: 10_000_000 }), { expect: result({ $length: 10_000_000 }) }, { expectAlive: true }],
  },
  "result-too-large": {
    title: "a result too large for a message is never sent, and the parent lives",
    requirements: ["R31"],
    steps: [
      { connect: "bad" },
      call("big", { bytes: maxMessageBytes }, { on: "bad" }),
      { expect: error(), on: "bad", orEnd: true },
      ...newConnectionServed,
    ],
  },
  "result-too-large-answered": {
    title: "a result too large for a message is answered with an IPCMessageSizeError that names the limit",
    requirements: ["H5", "G3"],
    additive: true,
    steps: [call("big", { bytes: maxMessageBytes }), { expect: error("IPCMessageSizeError", "10,?485,?760") }, { expectAlive: true }],
  },
  "closed-in-call": {
    title: "a connection that is closed during its call frees the parent for the next one",
    requirements: ["BRG-08"],
    steps: [
      { connect: "leaving" },
      call("wait", { ms: 1_000 }, { on: "leaving" }),
      { expectAlive: true },
      { drop: "leaving" },
      ...newConnectionServed,
      // The end of the abandoned call must not end the parent either.
      { expectNothing: 1_200 },
      { expectAlive: true },
    ],
  },
  "closed-in-frame": {
    title: "a connection that is closed inside a frame doesn't harm the parent",
    requirements: ["WIR-19"],
    steps: [
      { connect: "header" },
      { sendBytes: { base64: "AAA=" }, on: "header" },
      { drop: "header" },
      { connect: "body" },
      { sendBytes: [header(100), { utf8: '{"method":' }], on: "body" },
      { drop: "body" },
      ...newConnectionServed,
      { expectAlive: true },
    ],
  },
  "end-of-input": {
    title: "a connection whose input ends is closed, and the parent serves others",
    requirements: ["H1", "WIR-19"],
    steps: [
      { connect: "done" },
      { expectAlive: true, on: "done" },
      { endInput: true, on: "done" },
      { expectEnd: true, on: "done" },
      ...newConnectionServed,
    ],
  },
  "half-closed": {
    title: "a request whose sender has ended its input is still answered",
    requirements: ["WIR-19"],
    additive: true,
    steps: [
      { connect: "half" },
      call("wait", { ms: 4_000 }, { on: "half" }),
      { endInput: true, on: "half" },
      { expect: result("waited"), on: "half" },
      { expectEnd: true, on: "half" },
    ],
  },
});
