// The agent protocol, part two: lines that aren't proper requests, and how the process ends.

import { toScenarios, type Step } from "../scenario.ts";
import { during, ended, endsWell, eventually, failed, hasStatus, ready, say, status } from "./agent-script.ts";

const line = (text: string): Step => ({ sendBytes: { utf8: `${text}\n` } });

const refused = (id: string, request: object): Step[] => [{ send: { id, ...request } }, { expect: failed(id) }];

const lines = toScenarios(
  {
    garbage: {
      title: "a line that isn't JSON is not answered, and reading continues",
      requirements: ["R132", "R138"],
      steps: [...["not json", "{", "[1,2", '"', "}{", "null", "[]", "5", '"text"'].map(line), { sendBytes: { base64: "gIH+/wo=" } }],
    },
    "much-garbage": {
      title: "a thousand broken lines don't keep the next request from being answered",
      requirements: ["R132", "R138"],
      steps: [{ sendBytes: { utf8: 'x{"id":\n', times: 1_000 } }],
    },
    blank: {
      title: "blank lines are ignored, and so is a carriage return before the line feed",
      requirements: ["R127", "H38"],
      steps: [
        { sendBytes: { utf8: "\n\r\n  \n\n" } },
        { sendBytes: { utf8: '{"id":"s","kind":"get_status"}\r\n' } },
        { expect: status("s") },
      ],
    },
    separators: {
      title: "unescaped U+2028 and U+2029 don't end a line",
      requirements: ["R127", "H38"],
      steps: [line('{"id":"s","kind":"get_status","note":"\u2028 and \u2029"}'), { expect: status("s") }],
    },
    pieces: {
      title: "a request that arrives three bytes at a time is one request",
      requirements: ["R127", "R145", "WIR-01"],
      steps: [{ sendSplit: { id: "💥-1", kind: "get_status" }, chunkBytes: 3 }, { expect: status("💥-1") }],
    },
    "several-at-once": {
      title: "several requests in one write are each answered",
      requirements: ["R127", "R128"],
      steps: [
        { sendBytes: { utf8: ["a", "b", "c"].map((id) => `{"id":"${id}","kind":"get_status"}\n`).join("") } },
        { expectAll: [status("a"), status("b"), status("c")] },
      ],
    },
    "unknown-kind": {
      title: "an unknown kind is answered with an error that carries the id",
      requirements: ["R133", "R125"],
      steps: refused("1", { kind: "zzz" }),
    },
    "wrong-types": {
      title: "fields of the wrong type, and missing ones, are errors with the id",
      requirements: ["R147", "RUN-09"],
      steps: [
        ...refused("1", { kind: "user_message", message: 5 }),
        ...refused("2", { kind: "user_message" }),
        ...refused("3", { kind: "user_message", message: "x", attachments: "file.txt" }),
        ...refused("4", { kind: "user_message", message: "x", attachments: [{ path: 5, mime: "text/plain" }] }),
        ...refused("5", { kind: "user_message", message: "x", metadata: "none" }),
        ...refused("6", {}),
      ],
    },
    "broken-with-id": {
      title: "a broken line whose id can be read is answered with an error",
      requirements: ["H40", "G1"],
      additive: true,
      steps: [line('{"id":"lost","kind":"user_message","mess'), { expect: failed("lost") }],
    },
    "too-long": {
      title: "a line beyond 10,485,760 bytes is one error with its leading id, and the next request is answered",
      requirements: ["G1", "G2"],
      additive: true,
      steps: [
        { sendBytes: [{ utf8: '{"id":"long","kind":"user_message","message":"' }, { utf8: "x", times: 10_485_760 }, { utf8: '"}\n' }] },
        { expect: failed("long"), withinMs: 15_000 },
      ],
    },
    "too-deep": {
      title: "JSON nested deeper than 128 levels is one error",
      requirements: ["G14"],
      additive: true,
      steps: [
        {
          sendBytes: [
            { utf8: '{"id":"deep","kind":"user_message","message":"x","metadata":{"a":' },
            { utf8: "[", times: 127 },
            { utf8: "]", times: 127 },
            { utf8: "}}\n" },
          ],
        },
        { expect: failed("deep") },
      ],
    },
    "odd-ids": {
      title: "an id that isn't a string is refused with the id as it was written; a request without an id gets no answer",
      requirements: ["G6"],
      additive: true,
      steps: [
        line('{"id":9007199254740993,"kind":"get_status"}'),
        { expect: failed({ $source: "9007199254740993" }) },
        line('{"id":{"a":1},"kind":"get_status"}'),
        { expect: failed({ a: 1 }) },
        ...['{"kind":"get_status"}', '{"id":null,"kind":"get_status"}', '{"id":"","kind":"get_status"}'].map(line),
      ],
    },
  },
  { before: [ready], after: [{ expectAlive: true }] },
);

const ends = toScenarios(
  {
    "end-of-input": {
      title: "the end of input lets the accepted message finish, and ends the process with code 0",
      requirements: ["G8", "R131"],
      steps: [say("t", "Hello"), { endInput: true }, endsWell("t"), { expectExit: { code: 0 }, withinMs: 15_000 }],
    },
    "terminate-idle": {
      title: "SIGTERM with nothing to do ends the process with code 0",
      requirements: ["R136", "G8"],
      steps: [{ expectAlive: true }, { signal: "SIGTERM" }, { expectExit: { code: 0 }, withinMs: 15_000 }],
    },
    "terminate-in-turn": {
      title: "SIGTERM during a turn gives it one end, writes everything, and ends the process with code 0",
      requirements: ["R136", "G8"],
      steps: [
        say("t", "Hello"),
        { expect: during("t"), withinMs: 30_000 },
        { signal: "SIGTERM" },
        eventually("t", ended("t")),
        { expectExit: { code: 0 }, withinMs: 15_000 },
      ],
    },
    "silent-until-asked": {
      title: "nothing is written unasked",
      requirements: ["R119", "G7"],
      steps: [{ expectNothing: 500 }, ...hasStatus("s"), { expectNothing: 200 }],
    },
  },
  { before: [ready] },
);

export const agentLineScenarios = [...lines, ...ends];
