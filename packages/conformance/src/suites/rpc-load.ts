// rpc, part six: many calls. Workers and the queue are bounds that are kept, one worker keeps the
// order, several never mix answers up.

import type { Piece } from "../pieces.ts";
import type { Scenario } from "../scenario.ts";
import { answered, failed, get, request, seen, setupInNoHurry, setupWith, succeeded, withStatus } from "./rpc-script.ts";

// Statuses tell answers apart by what the contract names, without a look at the data.
const statuses = Array.from({ length: 40 }, (_, index) => 230 + index);
const shuffled = statuses.map((status, index) => withStatus(status, { afterMs: ((index * 7) % 10) * 5 + 1 }));
const paths = Array.from({ length: 60 }, (_, index) => `/echo/${index}`);

const badSizes = ["0", "-1", "1.5", "many"];

const refusesSize = (flag: string): readonly Scenario[] => {
  const requirements = [flag === "--workers" ? "R109" : "R110", "RPC-15"];
  const name = flag.slice(2);
  return [
    ...badSizes.map((value): Scenario => ({
      id: `${name}-${value}`,
      title: `${flag} ${value} ends the process with code 2, before it reads`,
      requirements,
      setup: setupWith([], flag, value),
      steps: [{ expectExit: { code: 2 } }],
    })),
    {
      id: `${name}-reason`,
      title: `${flag} 0 says on stderr what is wrong with it`,
      requirements,
      additive: true,
      setup: setupWith([], flag, "0"),
      steps: [{ expectExit: { code: 2 } }, { expectFacts: { stderr: { $regex: name } } }],
    },
  ];
};

const longCall: readonly Piece[] = [
  { utf8: '{"id":"long","op":"call","args":{"method":"GET","path":"/hang","body":"' },
  { utf8: "x", times: 1_000_000 },
  { utf8: '"}}\n' },
];

export const rpcLoadScenarios: readonly Scenario[] = [
  {
    id: "many-calls",
    title: "one process makes a thousand calls, each answered once and in order",
    requirements: ["R77", "R80"],
    setup: setupWith(),
    steps: [
      { repeat: 1_000, steps: [{ send: { id: { $index: true }, op: "call", args: { method: "GET", path: "/echo" } } }] },
      { repeat: 1_000, steps: [{ expect: { id: { $index: true }, ok: true, code: 0 } }] },
      seen({ count: 1_000, mostRunning: 1 }),
    ],
  },
  {
    id: "one-worker",
    title: "with one worker calls are answered in the order they came, however long each takes",
    requirements: ["R80"],
    setup: setupWith([withStatus(201, { afterMs: 200 })], "--workers", "1"),
    steps: [
      get("slow", "/status/201"),
      get("fast", "/echo"),
      { expect: succeeded("slow") },
      { expect: succeeded("fast") },
      seen({ mostRunning: 1 }),
    ],
  },
  {
    id: "overtaking",
    title: "with two workers a call that hangs does not hold up the next",
    requirements: ["R80", "R109"],
    setup: setupInNoHurry("--workers", "2"),
    steps: [get("stuck", "/hang"), { expectFacts: { running: 1 } }, get("fast", "/echo"), { expect: succeeded("fast") }],
  },
  {
    id: "workers",
    title: "as many calls run side by side as there are workers, and not one more",
    requirements: ["R109", "R111"],
    setup: setupInNoHurry("--workers", "4"),
    steps: [
      { repeat: 8, steps: [{ send: { id: { $index: true }, op: "call", args: { method: "GET", path: "/hang" } } }] },
      { expectFacts: { running: 4 } },
      { expectNothing: 300 },
      seen({ running: 4, mostRunning: 4, count: 4 }),
    ],
  },
  {
    id: "own-status",
    title: "with four workers and answers in any order every call gets its own status",
    requirements: ["R80", "R88", "RPC-01"],
    setup: setupWith(shuffled, "--timeout", "60s", "--workers", "4"),
    steps: [
      ...statuses.map((status) => get(`s${status}`, `/status/${status}`)),
      { expectAll: statuses.map((status) => succeeded(`s${status}`, { status })) },
      seen({ count: statuses.length }),
    ],
  },
  {
    id: "own-body",
    title: "with sixteen workers every call gets its own body",
    requirements: ["RPC-01"],
    additive: true,
    setup: setupInNoHurry("--workers", "16"),
    steps: [
      ...paths.map((path) => get(path, path)),
      { expectAll: paths.map((path) => answered(path, 200, JSON.stringify({ path }))) },
      seen({ count: paths.length }),
    ],
  },
  {
    id: "small-queue",
    title: "two hundred calls through a queue of four are all answered, in order",
    requirements: ["R110", "RPC-02"],
    setup: setupInNoHurry("--workers", "1", "--queue-size", "4"),
    steps: [
      { repeat: 200, steps: [{ send: { id: { $index: "c" }, op: "call", args: { method: "GET", path: "/echo" } } }] },
      { repeat: 200, steps: [{ expect: { id: { $index: "c" }, ok: true, code: 0 } }] },
    ],
  },
  {
    id: "back-pressure",
    title: "a server whose queue is full stops reading: 40 MB of calls stay with their sender",
    requirements: ["R110", "R111"],
    setup: setupInNoHurry("--workers", "1", "--queue-size", "1"),
    steps: [
      { sendBytes: Array.from({ length: 40 }, () => longCall).flat(), ahead: true },
      { expectFacts: { running: 1 } },
      { expectNothing: 1_000 },
      seen({ isInputFull: true, count: 1 }),
    ],
  },
  {
    id: "overflow-reject",
    title: "with --overflow reject a call that finds the queue full is refused with its id, worth a retry",
    requirements: ["H29", "G11"],
    additive: true,
    setup: setupInNoHurry("--workers", "1", "--queue-size", "1", "--overflow", "reject"),
    steps: [
      get("runs", "/hang"),
      { expectFacts: { running: 1 } },
      get("waits", "/hang"),
      get("refused", "/hang"),
      { expect: failed("refused", 7, { data: { errorInfo: { kind: "overloaded", retryable: true } } }) },
      { expectAlive: true },
    ],
  },
  {
    id: "exactly-full",
    title: "with one worker and an exactly full queue the reader still answers hello, and cancel frees a place",
    requirements: ["H21", "G11"],
    additive: true,
    setup: setupInNoHurry("--workers", "1", "--queue-size", "1"),
    steps: [
      get("runs", "/hang"),
      { expectFacts: { running: 1 } },
      get("waits", "/echo/next"),
      { expectAlive: true },
      request("stop", "cancel", { id: "runs" }),
      { expectAll: [succeeded("stop", { data: { cancelled: true, count: 1 } }), failed("runs", 7), answered("waits", 200)] },
    ],
  },
  {
    id: "control-behind-full-queue",
    title: "behind 199 calls that hang, hello is answered, and cancel ends one that waits and one that is beyond the queue",
    requirements: ["H21", "H29", "G11"],
    additive: true,
    setup: setupInNoHurry("--workers", "1", "--queue-size", "64"),
    steps: [
      { repeat: 199, steps: [{ send: { id: { $index: "c" }, op: "call", args: { method: "GET", path: "/hang" } } }] },
      { expectFacts: { running: 1 } },
      { expectAlive: true },
      request("stop-waiting", "cancel", { id: "c10" }),
      request("stop-beyond", "cancel", { id: "c190" }),
      {
        expectAll: [
          succeeded("stop-waiting", { data: { cancelled: true, count: 1 } }),
          failed("c10", 7, { data: { cancelled: true } }),
          succeeded("stop-beyond", { data: { cancelled: true, count: 1 } }),
          failed("c190", 7, { data: { cancelled: true } }),
        ],
      },
      seen({ count: 1 }),
    ],
  },
  ...refusesSize("--workers"),
  ...refusesSize("--queue-size"),
];
