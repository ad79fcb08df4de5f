// rpc, part six: operations on the session. Shutdown and reload are the contract's; that cancel and hello overtake calls is
// additive, as are the ends that the contract doesn't describe.

import { toScenarios, type Step } from "../scenario.ts";
import {
  answered,
  answers,
  at,
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

const slow = withStatus(201, { afterMs: 300 });
const cancelled = (id: unknown): object => failed(id, 7, { data: { cancelled: true } });

/** Cancels calls in flight: each gets its one end, besides the answer to the cancel. */
const cancels = (ids: object, data: object, ...ends: readonly object[]): Step[] => [
  request("stop", "cancel", ids),
  { expectAll: [succeeded("stop", { data: { cancelled: true, ...data } }), ...ends] },
];

const config = { gatewayURL: "{url}", token: "old-token" };
const seenTokens = (...tokens: readonly string[]): Step =>
  seen({ requests: tokens.map((token) => ({ headers: { "x-ignition-api-token": token } })) });

const contract = toScenarios({
  shutdown: {
    title: "shutdown is acknowledged, reading stops, and the process exits with 0",
    requirements: ["R95"],
    steps: [
      { sendBytes: ["hello", "shutdown", "hello"].map((op, index) => ({ utf8: `{"id":${index},"op":"${op}"}\n` })) },
      { expect: succeeded(0) },
      { expect: succeeded(1) },
      { expectExit: { code: 0 } },
    ],
  },
  "shutdown-drains": {
    title: "calls that came before a shutdown are made and answered",
    requirements: ["R95", "RPC-04"],
    setup: setupWith([slow]),
    steps: [
      get("slow", "/status/201"),
      get("next", "/echo"),
      request("bye", "shutdown"),
      { expectAll: [succeeded("slow"), succeeded("next"), succeeded("bye")] },
      { expectExit: { code: 0 } },
      seen({ count: 2 }),
    ],
  },
  reload: {
    title: "reload_config is acknowledged, and calls work after it",
    requirements: ["R94"],
    setup: setupWith(),
    steps: [...succeeds(get("before", "/echo")), ...succeeds(request("reload", "reload_config")), ...succeeds(get("after", "/echo"))],
  },
});

const additions = toScenarios(
  {
    "shutdown-last": {
      title: "with several workers the acknowledgement comes last, after fifty calls, and failed calls don't change the exit code",
      requirements: ["H27", "RPC-04"],
      setup: setupWith([slow, withStatus(500)], "--workers", "4"),
      steps: [
        get("slow", "/status/201"),
        get("fails", "/status/500"),
        { repeat: 50, steps: [get({ $index: "c" }, "/echo")] },
        request("bye", "shutdown"),
        {
          expectAll: [succeeded("slow"), failed("fails", 7), ...Array.from({ length: 50 }, (_, index) => answered(`c${index}`, 200))],
        },
        { expect: succeeded("bye", { data: { shutdown: true } }) },
        { expectExit: { code: 0 } },
      ],
    },
    "shutdown-now": {
      title: "shutdown with mode now cancels running and waiting calls, each with its answer",
      requirements: ["H27"],
      steps: [
        ...hangs("runs"),
        get("waits", "/hang"),
        request("bye", "shutdown", { mode: "now" }),
        { expectAll: [cancelled("runs"), cancelled("waits")] },
        { expect: succeeded("bye") },
        { expectExit: { code: 0 } },
      ],
    },
    "reload-token": {
      title: "a changed configuration file takes effect at reload_config, not before",
      requirements: ["R94"],
      setup: { ...setupWith(), config },
      steps: [
        ...answers(get("one", "/echo"), 200),
        { writeConfig: { ...config, token: "new-token" } },
        ...answers(get("two", "/echo"), 200),
        ...succeeds(request("reload", "reload_config"), { data: { reloaded: true } }),
        ...answers(get("three", "/echo"), 200),
        seenTokens("old-token", "old-token", "new-token"),
      ],
    },
    "reload-broken": {
      title: "a broken configuration file is refused, and the old one stays in use",
      requirements: ["R94", "RPC-14"],
      setup: { ...setupWith(), config },
      steps: [
        ...answers(get("one", "/echo"), 200),
        { writeConfig: '{"gatewayURL":' },
        ...fails(request("reload", "reload_config"), 2),
        ...answers(get("two", "/echo"), 200),
        seenTokens("old-token", "old-token"),
      ],
    },
    cancel: {
      title: "cancel ends a running call with code 7 and closes its connection",
      requirements: ["H21"],
      setup: setupInNoHurry("--workers", "2"),
      steps: [
        ...hangs("stuck"),
        ...cancels({ id: "stuck" }, { id: "stuck" }, cancelled("stuck")),
        { expectFacts: { running: 0, dropped: 1 } },
        { expectAlive: true },
      ],
    },
    "cancel-one-worker": {
      title: "cancel works with one worker that the call keeps busy",
      requirements: ["H21"],
      setup: setupInNoHurry("--workers", "1"),
      steps: [...hangs("stuck"), ...cancels({ requestId: "stuck" }, {}, cancelled("stuck"))],
    },
    "cancel-waiting": {
      title: "cancel ends a call that waits for its turn, and it never reaches the API",
      requirements: ["H21"],
      setup: setupWith([at("/slow", { send: { status: 200, body: "slow" }, afterMs: 300 })], "--workers", "1"),
      steps: [
        get("runs", "/slow"),
        { expectFacts: { running: 1 } },
        get("waits", "/echo"),
        ...cancels({ id: "waits" }, {}, cancelled("waits"), answered("runs", 200)),
        seen({ count: 1 }),
      ],
    },
    "cancel-unknown": {
      title: "cancel of an id that isn't in flight is not an error",
      requirements: ["H21"],
      setup: setupWith(),
      steps: [
        ...succeeds(request("stop", "cancel", { id: "nobody" }), { data: { id: "nobody", cancelled: false } }),
        ...answers(get("done", "/echo"), 200),
        ...succeeds(request("late", "cancel", { id: "done" }), { data: { cancelled: false } }),
        ...fails(request("none", "cancel"), 2),
      ],
    },
    "cancel-twins": {
      title: "two calls with one id are both made; cancel ends both, says how many, and ends no other",
      requirements: ["H25", "RPC-03"],
      setup: setupInNoHurry("--workers", "3"),
      steps: [
        get("twin", "/hang/1"),
        get("twin", "/hang/2"),
        get("other", "/hang/3"),
        { expectFacts: { running: 3 } },
        ...cancels({ id: "twin" }, { count: 2 }, cancelled("twin"), cancelled("twin")),
        { expectFacts: { running: 1, dropped: 2 } },
      ],
    },
    "control-overtakes": {
      title: "hello, capability and reload_config are answered while the only worker is busy",
      requirements: ["H21", "R80"],
      setup: setupInNoHurry("--workers", "1"),
      steps: [
        ...hangs("stuck"),
        request("a", "hello"),
        request("b", "capability"),
        request("c", "reload_config"),
        { sendBytes: { utf8: "{oops\n" } },
        { expect: succeeded("a") },
        { expect: succeeded("b") },
        { expect: succeeded("c") },
        { expect: failed({ $absent: true }, 2) },
      ],
    },
    "end-of-input": {
      title: "at the end of its input every accepted call is answered, and the process exits with 0",
      requirements: ["H28", "G8"],
      setup: setupWith([slow]),
      steps: [
        get("slow", "/status/201"),
        get("next", "/echo"),
        { endInput: true },
        { expect: succeeded("slow") },
        { expect: succeeded("next") },
        { expectExit: { code: 0 } },
      ],
    },
    terminate: {
      title: "on SIGTERM nothing new starts, running calls end with an answer, and the process exits with 0",
      requirements: ["H28", "G8"],
      steps: [
        ...hangs("runs"),
        get("waits", "/hang"),
        { expectNothing: 100 },
        { signal: "SIGTERM" },
        { expectAll: [cancelled("runs"), cancelled("waits")] },
        { expectExit: { code: 0 } },
        seen({ count: 1 }),
      ],
    },
  },
  { additive: true, setup: setupInNoHurry() },
);

export const rpcControlScenarios = [...contract, ...additions];
