// rpc, part five: many calls. Workers and the queue are real bounds; one worker keeps the order, several never mix up answers.

import type { Piece } from "../pieces.ts";
import { toScenarios, type Scenario, type ScenarioTable, type Step } from "../scenario.ts";
import {
  answered,
  failed,
  fails,
  get,
  hangs,
  request,
  seen,
  setupInNoHurry,
  setupWith,
  succeeded,
  succeeds,
  withStatus,
} from "./rpc-script.ts";

// Statuses tell answers apart by a member of the contract, without looking at the data.
const statuses = Array.from({ length: 40 }, (_, index) => 230 + index);
const shuffled = statuses.map((status, index) => withStatus(status, { afterMs: ((index * 7) % 10) * 5 + 1 }));
const paths = Array.from({ length: 60 }, (_, index) => `/echo/${index}`);

/** Sizes that aren't a whole number of at least 1. */
const badSize = (flag: "--workers" | "--queue-size", value: string): Omit<Scenario, "id"> => ({
  title: `${flag} ${value} ends the process with code 2, before it reads`,
  requirements: [flag === "--workers" ? "R109" : "R110", "RPC-15"],
  setup: setupWith([], flag, value),
  steps: [{ expectExit: { code: 2 } }],
});

const refusesSize = (name: "workers" | "queue-size"): ScenarioTable => ({
  ...Object.fromEntries(["0", "-1", "1.5", "many"].map((value) => [`${name}-${value}`, badSize(`--${name}`, value)])),
  [`${name}-reason`]: {
    ...badSize(`--${name}`, "0"),
    title: `--${name} 0 says on stderr what is wrong with it`,
    additive: true,
    steps: [{ expectExit: { code: 2 } }, { expectFacts: { stderr: { $regex: name } } }],
  },
});

const repeatGet = (repeat: number, id: true | string, path: string): Step => ({ repeat, steps: [get({ $index: id }, path)] });
const cancelledOne = { data: { cancelled: true, count: 1 } };

const longCall: readonly Piece[] = [
  { utf8: '{"id":"long","op":"call","args":{"method":"GET","path":"/hang","body":"' },
  { utf8: "x", times: 1_000_000 },
  { utf8: '"}}\n' },
];

export const rpcLoadScenarios = toScenarios({
  "many-calls": {
    title: "one process makes a thousand calls, each answered once and in order",
    requirements: ["R77", "R80"],
    setup: setupWith(),
    steps: [
      repeatGet(1_000, true, "/echo"),
      { repeat: 1_000, steps: [{ expect: { id: { $index: true }, ok: true, code: 0 } }] },
      seen({ count: 1_000, mostRunning: 1 }),
    ],
  },
  "one-worker": {
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
  overtaking: {
    title: "with two workers a call that hangs doesn't hold up the next",
    requirements: ["R80", "R109"],
    setup: setupInNoHurry("--workers", "2"),
    steps: [...hangs("stuck"), ...succeeds(get("fast", "/echo"))],
  },
  workers: {
    title: "as many calls run side by side as there are workers, and not one more",
    requirements: ["R109", "R111"],
    setup: setupInNoHurry("--workers", "4"),
    steps: [
      repeatGet(8, true, "/hang"),
      { expectFacts: { running: 4 } },
      { expectNothing: 300 },
      seen({ running: 4, mostRunning: 4, count: 4 }),
    ],
  },
  "own-status": {
    title: "with four workers and answers in any order every call gets its own status",
    requirements: ["R80", "R88", "RPC-01"],
    setup: setupWith(shuffled, "--timeout", "60s", "--workers", "4"),
    steps: [
      ...statuses.map((status) => get(`s${status}`, `/status/${status}`)),
      { expectAll: statuses.map((status) => succeeded(`s${status}`, { status })) },
      seen({ count: statuses.length }),
    ],
  },
  "own-body": {
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
  "small-queue": {
    title: "two hundred calls through a queue of four are all answered, in order",
    requirements: ["R110", "RPC-02"],
    setup: setupInNoHurry("--workers", "1", "--queue-size", "4"),
    steps: [repeatGet(200, "c", "/echo"), { repeat: 200, steps: [{ expect: { id: { $index: "c" }, ok: true, code: 0 } }] }],
  },
  "back-pressure": {
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
  "overflow-reject": {
    title: "with --overflow reject a call that finds the queue full is refused with its id as retryable",
    requirements: ["H29", "G11"],
    additive: true,
    setup: setupInNoHurry("--workers", "1", "--queue-size", "1", "--overflow", "reject"),
    steps: [
      ...hangs("runs"),
      get("waits", "/hang"),
      ...fails(get("refused", "/hang"), 7, { data: { errorInfo: { kind: "overloaded", retryable: true } } }),
      { expectAlive: true },
    ],
  },
  "exactly-full": {
    title: "with one worker and an exactly full queue the reader still answers hello, and cancel frees a slot",
    requirements: ["H21", "G11"],
    additive: true,
    setup: setupInNoHurry("--workers", "1", "--queue-size", "1"),
    steps: [
      ...hangs("runs"),
      get("waits", "/echo/next"),
      { expectAlive: true },
      request("stop", "cancel", { id: "runs" }),
      { expectAll: [succeeded("stop", cancelledOne), failed("runs", 7), answered("waits", 200)] },
    ],
  },
  "control-behind-full-queue": {
    title: "behind 199 calls that hang, hello is answered, and cancel ends one that waits and one beyond the queue",
    requirements: ["H21", "H29", "G11"],
    additive: true,
    setup: setupInNoHurry("--workers", "1", "--queue-size", "64"),
    steps: [
      repeatGet(199, "c", "/hang"),
      { expectFacts: { running: 1 } },
      { expectAlive: true },
      request("stop-waiting", "cancel", { id: "c10" }),
      request("stop-beyond", "cancel", { id: "c190" }),
      {
        expectAll: [
          succeeded("stop-waiting", cancelledOne),
          failed("c10", 7, { data: { cancelled: true } }),
          succeeded("stop-beyond", cancelledOne),
          failed("c190", 7, { data: { cancelled: true } }),
        ],
      },
      seen({ count: 1 }),
    ],
  },
  ...refusesSize("workers"),
  ...refusesSize("queue-size"),
});
