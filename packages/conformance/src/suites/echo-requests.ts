// The echo protocol, part two: requests. Every one ends exactly once under its own id; cancel and
// status never wait behind work.

import type { Scenario, Step } from "../scenario.ts";

const hourMs = 3_600_000;
const ids = ["0", " ", "é💥", 'a"b\\c', "line\nbreak", "__proto__", "constructor", "x".repeat(1_000)];

const cancelIndexed: Step[] = [
  { send: { id: "stop", kind: "cancel", target: { $index: "s" } } },
  {
    expectAll: [
      { id: "stop", type: "done", cancelled: 1 },
      { id: { $index: "s" }, type: "error", code: "cancelled" },
    ],
  },
];

const refusedAs = (code: string, requests: readonly object[]): Step[] =>
  requests.flatMap((request): Step[] => [
    { send: { id: "no", ...request } },
    { expect: { id: "no", type: "error", code, error: { $regex: "." } } },
  ]);

export const echoRequestScenarios: readonly Scenario[] = [
  {
    id: "one-answer",
    title: "each of 200 requests is answered once, under its own id",
    requirements: ["G1", "R128"],
    steps: [
      {
        repeat: 200,
        steps: [
          { send: { id: { $index: "r" }, kind: "echo", value: { $index: true } } },
          { expect: { id: { $index: "r" }, type: "echoed", value: { $index: true } } },
        ],
      },
      { expectAlive: true },
    ],
  },
  {
    id: "id-exact",
    title: "ids come back as they were given, also those that are refused",
    requirements: ["G6", "H26", "WIR-10"],
    steps: [
      ...ids.flatMap((id): Step[] => [{ send: { id, kind: "echo", value: 1 } }, { expect: { id: { $equals: id }, type: "echoed" } }]),
      { sendBytes: { utf8: '{"id":9007199254740993,"kind":"echo","value":1}\n' } },
      { expect: { id: { $source: "9007199254740993" }, type: "error", code: "invalid_message" } },
      { send: { id: null, kind: "echo", value: 1 } },
      { expect: { id: { $absent: true }, type: "error", code: "invalid_message" } },
      { expectAlive: true },
    ],
  },
  {
    id: "duplicate-id",
    title: "a second request under an id in flight is refused and the first is unharmed",
    requirements: ["R146", "RUN-09"],
    steps: [
      { send: { id: "twin", kind: "sleep", ms: hourMs } },
      { send: { id: "twin", kind: "echo", value: 1 } },
      { expect: { id: "twin", type: "error", code: "duplicate_id" } },
      { send: { id: "stop", kind: "cancel", target: "twin" } },
      {
        expectAll: [
          { id: "stop", type: "done", cancelled: 1 },
          { id: "twin", type: "error", code: "cancelled" },
        ],
      },
      { send: { id: "twin", kind: "echo", value: "free again" } },
      { expect: { id: "twin", type: "echoed", value: "free again" } },
      { expectAlive: true },
    ],
  },
  {
    id: "unknown-kind",
    title: "a request of an unknown kind is answered with an error under its id",
    requirements: ["R133"],
    steps: [
      ...refusedAs("unknown_method", [{ kind: "zzz" }, { kind: "ECHO" }, { kind: "toString" }]),
      ...refusedAs("invalid_message", [{}, { kind: 5 }]),
      { expectAlive: true },
    ],
  },
  {
    id: "wrong-types",
    title: "a field of the wrong type is answered with an error under the request's id",
    requirements: ["R147", "RUN-09"],
    steps: [
      ...refusedAs("invalid_message", [
        { kind: "sleep" },
        ...["5", -1, 1.5, null, hourMs + 1].map((ms) => ({ kind: "sleep", ms })),
        { kind: "stream", count: "2", bytes: 1 },
        { kind: "stream", count: 2, bytes: 1_048_577 },
        { kind: "cancel", target: 5 },
      ]),
      { expectAlive: true },
    ],
  },
  {
    id: "unknown-fields",
    title: "fields that the protocol does not know are ignored",
    requirements: ["R108"],
    steps: [
      { send: { id: "more", kind: "echo", value: 1, zzz: { deep: [1] }, type: "error" } },
      { expect: { id: "more", type: "echoed", value: 1 } },
      { expectAlive: true },
    ],
  },
  {
    id: "interleaved",
    title: "a short request is answered before a long one that came first",
    requirements: ["R129"],
    steps: [
      { send: { id: "long", kind: "sleep", ms: hourMs } },
      { send: { id: "short", kind: "echo", value: 1 } },
      { expect: { id: "short", type: "echoed" } },
      { send: { id: "stop", kind: "cancel", target: "long" } },
      {
        expectAll: [
          { id: "stop", type: "done", cancelled: 1 },
          { id: "long", type: "error", code: "cancelled" },
        ],
      },
      { expectAlive: true },
    ],
  },
  {
    id: "cancel-overtakes",
    title: "a cancel reaches running and waiting requests at once, and each ends once",
    requirements: ["G1", "H21", "R131"],
    steps: [
      { repeat: 20, steps: [{ send: { id: { $index: "s" }, kind: "sleep", ms: hourMs } }] },
      { repeat: 20, steps: cancelIndexed },
      { send: { id: "count", kind: "status" } },
      { expect: { id: "count", type: "status", running: 0, waiting: 0 } },
      { expectAlive: true },
    ],
  },
  {
    id: "cancel-stream",
    title: "a cancelled stream ends with one error and no piece comes after it",
    requirements: ["G1", "R131"],
    steps: [
      { send: { id: "flow", kind: "stream", count: 100_000_000, bytes: 10_000 } },
      { expect: { id: "flow", type: "piece", index: 0 } },
      { send: { id: "stop", kind: "cancel", target: "flow" } },
      {
        expectAll: [
          { id: "stop", type: "done", cancelled: 1 },
          { id: "flow", type: "error", code: "cancelled" },
        ],
        skipping: { id: "flow", type: "piece" },
      },
      { send: { id: "late", kind: "cancel", target: "flow" } },
      { expect: { id: "late", type: "done", cancelled: 0 } },
      { expectAlive: true },
    ],
  },
  {
    id: "cancel-unknown",
    title: "a cancel of an id that is not in flight is answered and ends nothing",
    requirements: ["H21", "RPC-03"],
    steps: [
      { send: { id: "stop", kind: "cancel", target: "nobody" } },
      { expect: { id: "stop", type: "done", cancelled: 0 } },
      { send: { id: "stop", kind: "cancel", target: "stop" } },
      { expect: { id: "stop", type: "done", cancelled: 0 } },
      { expectAlive: true },
    ],
  },
  {
    id: "status-busy",
    title: "status is answered while requests run and counts them",
    requirements: ["R117", "RUN-11"],
    steps: [
      { send: { id: "idle", kind: "status" } },
      { expect: { id: "idle", type: "status", running: 0, waiting: 0 } },
      { send: { id: "s0", kind: "sleep", ms: hourMs } },
      { send: { id: "busy", kind: "status" } },
      { expect: { id: "busy", type: "status", running: 1, waiting: 0 } },
      { repeat: 1, steps: cancelIndexed },
      { expectAlive: true },
    ],
  },
  {
    id: "stream-order",
    title: "a stream's pieces come in order and complete, then one end",
    requirements: ["R130", "R131"],
    steps: [
      { send: { id: "flow", kind: "stream", count: 500, bytes: 100 } },
      { repeat: 500, steps: [{ expect: { id: "flow", type: "piece", index: { $index: true }, text: { $regex: "^.{100}$" } } }] },
      { expect: { id: "flow", type: "done" } },
      { send: { id: "none", kind: "stream", count: 0, bytes: 0 } },
      { expect: { id: "none", type: "done" } },
      { expectAlive: true },
    ],
  },
];
