// The echo protocol, part three: how the server's process ends. What was accepted is answered,
// everything is flushed, and the exit code is 0.

import type { Scenario } from "../scenario.ts";

const hourMs = 3_600_000;

export const echoEndScenarios: readonly Scenario[] = [
  {
    id: "end-idle",
    title: "the end of input with nothing to do ends the process with code 0",
    requirements: ["G8", "H28"],
    steps: [{ expectAlive: true }, { endInput: true }, { expectExit: { code: 0 } }],
  },
  {
    id: "end-drains",
    title: "after the end of input, accepted requests finish and then the process exits 0",
    requirements: ["G8", "H28"],
    steps: [
      { send: { id: "slow", kind: "sleep", ms: 300 } },
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
  {
    id: "terminate",
    title: "SIGTERM lets short work finish, cancels the rest, one end each, then exit 0",
    requirements: ["G1", "G8", "R136"],
    steps: [
      { send: { id: "short", kind: "sleep", ms: 1_500 } },
      { send: { id: "long", kind: "sleep", ms: hourMs } },
      { send: { id: "seen", kind: "status" } },
      { expect: { id: "seen", type: "status" } },
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
];
