// The echo protocol, part two: requests, and how the process ends. Each request ends exactly once under its own id; cancel and status
// never wait behind work. At the end of the process every accepted request is answered, all output is flushed, and the exit code is 0.

import { toScenarios, type Step } from "../scenario.ts";

const hourMs = 3_600_000;
const ids = ["0", " ", "é💥", 'a"b\\c', "line\nbreak", "__proto__", "constructor", "x".repeat(1_000)];

const asks = (request: object, answer: object): Step[] => [{ send: request }, { expect: answer }];
const sleeps = (id: unknown, ms = hourMs): Step => ({ send: { id, kind: "sleep", ms } });

/** Cancels a request in flight: both get their one end. */
const cancels = (target: unknown, skipping?: object): Step[] => {
  const ends = [
    { id: "stop", type: "done", cancelled: 1 },
    { id: target, type: "error", code: "cancelled" },
  ];
  return [{ send: { id: "stop", kind: "cancel", target } }, { expectAll: ends, ...(skipping && { skipping }) }];
};

const cancelsNothing = (id: string, target: string): Step[] => asks({ id, kind: "cancel", target }, { id, type: "done", cancelled: 0 });

const countsWork = (id: string, running: number): Step[] => asks({ id, kind: "status" }, { id, type: "status", running, waiting: 0 });

const refusedAs = (code: string, requests: readonly object[]): Step[] =>
  requests.flatMap((request) => asks({ id: "no", ...request }, { id: "no", type: "error", code, error: { $regex: "." } }));

const requests = toScenarios(
  {
    "one-answer": {
      title: "each of 200 requests is answered once, under its own id",
      requirements: ["G1", "R128"],
      steps: [
        {
          repeat: 200,
          steps: asks(
            { id: { $index: "r" }, kind: "echo", value: { $index: true } },
            { id: { $index: "r" }, type: "echoed", value: { $index: true } },
          ),
        },
      ],
    },
    "id-exact": {
      title: "ids come back exactly as given, even for refused requests",
      requirements: ["G6", "H26", "WIR-10"],
      steps: [
        ...ids.flatMap((id) => asks({ id, kind: "echo", value: 1 }, { id: { $equals: id }, type: "echoed" })),
        { sendBytes: { utf8: '{"id":9007199254740993,"kind":"echo","value":1}\n' } },
        { expect: { id: { $source: "9007199254740993" }, type: "error", code: "invalid_message" } },
        ...asks({ id: null, kind: "echo", value: 1 }, { id: { $absent: true }, type: "error", code: "invalid_message" }),
      ],
    },
    "duplicate-id": {
      title: "a second request under an id in flight is refused and the first is unharmed",
      requirements: ["R146", "RUN-09"],
      steps: [
        sleeps("twin"),
        ...asks({ id: "twin", kind: "echo", value: 1 }, { id: "twin", type: "error", code: "duplicate_id" }),
        ...cancels("twin"),
        ...asks({ id: "twin", kind: "echo", value: "free again" }, { id: "twin", type: "echoed", value: "free again" }),
      ],
    },
    "unknown-kind": {
      title: "a request of an unknown kind is answered with an error under its id",
      requirements: ["R133"],
      steps: [
        ...refusedAs("unknown_method", [{ kind: "zzz" }, { kind: "ECHO" }, { kind: "toString" }]),
        ...refusedAs("invalid_message", [{}, { kind: 5 }]),
      ],
    },
    "wrong-types": {
      title: "a field of the wrong type is answered with an error under the request's id",
      requirements: ["R147", "RUN-09"],
      steps: refusedAs("invalid_message", [
        { kind: "sleep" },
        ...["5", -1, 1.5, null, hourMs + 1].map((ms) => ({ kind: "sleep", ms })),
        { kind: "stream", count: "2", bytes: 1 },
        { kind: "stream", count: 2, bytes: 1_048_577 },
        { kind: "cancel", target: 5 },
      ]),
    },
    "unknown-fields": {
      title: "fields that the protocol doesn't define are ignored",
      requirements: ["R108"],
      steps: asks({ id: "more", kind: "echo", value: 1, zzz: { deep: [1] }, type: "error" }, { id: "more", type: "echoed", value: 1 }),
    },
    interleaved: {
      title: "a short request is answered before a long one that came first",
      requirements: ["R129"],
      steps: [sleeps("long"), ...asks({ id: "short", kind: "echo", value: 1 }, { id: "short", type: "echoed" }), ...cancels("long")],
    },
    "cancel-overtakes": {
      title: "a cancel reaches running and waiting requests at once, and each ends once",
      requirements: ["G1", "H21", "R131"],
      steps: [{ repeat: 20, steps: [sleeps({ $index: "s" })] }, { repeat: 20, steps: cancels({ $index: "s" }) }, ...countsWork("count", 0)],
    },
    "cancel-stream": {
      title: "a cancelled stream ends with one error and no piece comes after it",
      requirements: ["G1", "R131"],
      steps: [
        ...asks({ id: "flow", kind: "stream", count: 100_000_000, bytes: 10_000 }, { id: "flow", type: "piece", index: 0 }),
        ...cancels("flow", { id: "flow", type: "piece" }),
        ...cancelsNothing("late", "flow"),
      ],
    },
    "cancel-unknown": {
      title: "a cancel of an id that isn't in flight is answered and ends nothing",
      requirements: ["H21", "RPC-03"],
      steps: [...cancelsNothing("stop", "nobody"), ...cancelsNothing("stop", "stop")],
    },
    "status-busy": {
      title: "status is answered while requests run and counts them",
      requirements: ["R117", "RUN-11"],
      steps: [...countsWork("idle", 0), sleeps("s0"), ...countsWork("busy", 1), { repeat: 1, steps: cancels({ $index: "s" }) }],
    },
    "stream-order": {
      title: "a stream's pieces arrive complete and in order, then one end",
      requirements: ["R130", "R131"],
      steps: [
        { send: { id: "flow", kind: "stream", count: 500, bytes: 100 } },
        { repeat: 500, steps: [{ expect: { id: "flow", type: "piece", index: { $index: true }, text: { $regex: "^.{100}$" } } }] },
        { expect: { id: "flow", type: "done" } },
        ...asks({ id: "none", kind: "stream", count: 0, bytes: 0 }, { id: "none", type: "done" }),
      ],
    },
  },
  { after: [{ expectAlive: true }] },
);

const ends = toScenarios({
  "end-idle": {
    title: "the end of input with nothing to do ends the process with code 0",
    requirements: ["G8", "H28"],
    steps: [{ expectAlive: true }, { endInput: true }, { expectExit: { code: 0 } }],
  },
  "end-drains": {
    title: "after the end of input, accepted requests finish and then the process exits 0",
    requirements: ["G8", "H28"],
    steps: [
      sleeps("slow", 300),
      { send: { id: "flow", kind: "stream", count: 2, bytes: 100_000 } },
      { endInput: true },
      {
        expectAll: [
          { id: "slow", type: "done" },
          { id: "flow", type: "piece", index: 0 },
          { id: "flow", type: "piece", index: 1 },
          { id: "flow", type: "done" },
        ],
        withinMs: 60_000,
      },
      { expectExit: { code: 0 }, withinMs: 60_000 },
    ],
  },
  terminate: {
    title: "SIGTERM lets short work finish and cancels the rest, one end each, then exit 0",
    requirements: ["G1", "G8", "R136"],
    steps: [
      sleeps("short", 1_500),
      sleeps("long"),
      ...asks({ id: "seen", kind: "status" }, { id: "seen", type: "status" }),
      { signal: "SIGTERM" },
      {
        expectAll: [
          { id: "short", type: "done" },
          { id: "long", type: "error", code: "cancelled" },
        ],
        withinMs: 60_000,
      },
      { expectExit: { code: 0 }, withinMs: 60_000 },
    ],
  },
});

export const echoRequestScenarios = [...requests, ...ends];
