// rpc, part three: calls and how they end. One request at the API for one call, and the code of the
// contract for every way in which it can end.

import type { Scenario, Step } from "../scenario.ts";
import { answered, at, call, failed, get, seen, setupWith, succeeded, withStatus } from "./rpc-script.ts";

const successes = [200, 201, 202, 204];
const refusals = [401, 403];
const failures = [400, 404, 409, 422, 500, 503];

const endsWith =
  (code: 6 | 7) =>
  (status: number): readonly Step[] => [get(`s${status}`, `/status/${status}`), { expect: failed(`s${status}`, code) }];

const milliseconds = { $number: { min: 0 } };

const statsShape = {
  ...{ version: 1, timingMs: milliseconds, bodyBytes: 16 },
  http: { totalMs: milliseconds },
  rpc: { queueWaitMs: milliseconds, queueDepth: milliseconds },
};

const tellsStatus = (status: number, code: 6 | 7): readonly Step[] => [
  get(`s${status}`, `/status/${status}`),
  {
    expect: failed(`s${status}`, code, {
      status,
      data: {
        response: { status, body: { $regex: `answer ${status}` } },
        errorInfo: { kind: { $type: "string" }, retryable: { $type: "boolean" } },
      },
    }),
  },
];

const head = (status: string, length: number): string =>
  `HTTP/1.1 ${status}\r\nContent-Type: text/plain\r\nContent-Length: ${length}\r\nConnection: close\r\n\r\n`;

export const rpcCallScenarios: readonly Scenario[] = [
  {
    id: "call",
    title: "a call makes one request of the API and is answered with its status and data",
    requirements: ["R86", "R87", "R88", "R89", "R90", "R93", "R107"],
    setup: setupWith(),
    steps: [
      get("c", "/echo/one"),
      { expect: succeeded("c", { status: 200, data: { $type: "object" } }) },
      seen({ requests: [{ method: "GET", path: "/echo/one", query: "", body: "" }] }),
    ],
  },
  {
    id: "call-codes",
    title: "2xx is code 0 with its status, 401 and 403 are code 6, every other failure is code 7, after one request each",
    requirements: ["R87", "R88", "R90"],
    setup: setupWith([...successes, ...refusals, ...failures].map((status) => withStatus(status))),
    steps: [
      ...successes.flatMap((status): Step[] => [get(`s${status}`, `/status/${status}`), { expect: succeeded(`s${status}`, { status }) }]),
      ...refusals.flatMap(endsWith(6)),
      ...failures.flatMap(endsWith(7)),
      seen({ count: successes.length + refusals.length + failures.length }),
    ],
  },
  {
    id: "call-refused",
    title: "a call with nobody behind the address is code 7, and the session lives",
    requirements: ["R87", "R90"],
    setup: { ...setupWith(), listen: false },
    steps: [get("c", "/echo"), { expect: failed("c", 7) }, { expectAlive: true }],
  },
  {
    id: "call-cut",
    title: "an API that ends the connection without an answer, or in its middle, is code 7, and the session lives",
    requirements: ["R87", "R90"],
    setup: setupWith([at("/cut", { close: true }), at("/half", { sendBytes: { utf8: `${head("200 OK", 100)}half` }, close: true })]),
    steps: [get("cut", "/cut"), { expect: failed("cut", 7) }, get("half", "/half"), { expect: failed("half", 7) }, { expectAlive: true }],
  },
  {
    id: "call-timeout",
    title: "a call that takes longer than --timeout is code 7, and its connection is closed",
    requirements: ["R87", "RPC-13"],
    setup: setupWith([at("/stuck", { sendBytes: { utf8: `${head("200 OK", 100)}half` } })], "--timeout", "400ms"),
    steps: [
      get("h", "/hang"),
      { expect: failed("h", 7) },
      get("s", "/stuck"),
      { expect: failed("s", 7) },
      { expectFacts: { running: 0 } },
      { expectAlive: true },
    ],
  },
  {
    id: "call-usage",
    title: "a call that says neither where nor what is a usage error, and reaches nobody",
    requirements: ["R87", "R90"],
    setup: setupWith(),
    steps: [
      { send: { id: "none", op: "call" } },
      { expect: failed("none", 2) },
      call("empty", {}),
      { expect: failed("empty", 2) },
      call("no-path", { method: "GET" }),
      { expect: failed("no-path", 2) },
      seen({ count: 0 }),
      { expectAlive: true },
    ],
  },
  {
    id: "call-data",
    title: "a call's data has request, response, timing and stats where hosts of igw look for them",
    requirements: ["R89", "R93"],
    additive: true,
    setup: setupWith([at("/thing", { send: { status: 200, body: '{"name":"thing"}' } })]),
    steps: [
      get("c", "/thing", { query: ["a=1"] }),
      {
        expect: succeeded("c", {
          data: {
            request: { method: "GET", url: { $regex: "^http://127\\.0\\.0\\.1:\\d+/thing\\?a=1$" } },
            response: { status: 200, body: '{"name":"thing"}', bytes: 16, headers: { $absent: true } },
            timingMs: milliseconds,
            stats: statsShape,
          },
        }),
      },
    ],
  },
  {
    id: "call-headers",
    title: "with --include-headers the response's headers are lists",
    requirements: ["R89"],
    additive: true,
    setup: setupWith([at("/thing", { send: { status: 200, headers: { "x-mark": "yes" }, body: "thing" } })], "--include-headers"),
    steps: [
      get("c", "/thing"),
      { expect: succeeded("c", { data: { response: { headers: { $either: [{ "X-Mark": ["yes"] }, { "x-mark": ["yes"] }] } } } }) },
    ],
  },
  {
    id: "call-errors",
    title: "an HTTP failure carries its status, the response's body and a kind for programs",
    requirements: ["R88", "H22"],
    additive: true,
    setup: setupWith([400, 401, 403, 404, 500].map((status) => withStatus(status))),
    steps: [...[401, 403].flatMap((status) => tellsStatus(status, 6)), ...[400, 404, 500].flatMap((status) => tellsStatus(status, 7))],
  },
  {
    id: "call-not-cancelled",
    title: "a failed call that nobody has cancelled says so: `data.cancelled` is false",
    requirements: ["R88", "H21"],
    additive: true,
    setup: setupWith([404, 500].map((status) => withStatus(status))),
    steps: [404, 500].flatMap((status) => [
      get(`s${status}`, `/status/${status}`),
      { expect: failed(`s${status}`, 7, { data: { cancelled: false } }) },
    ]),
  },
  {
    id: "call-truncated",
    title: "a body of more than 4 MiB is cut and says so, and the answer fits into a line",
    requirements: ["G2", "G10"],
    additive: true,
    setup: setupWith([
      at("/large", { sendBytes: [{ utf8: head("200 OK", 6_291_456) }, { utf8: "\u0001", times: 6_291_456 }], close: true }),
    ]),
    steps: [
      get("c", "/large"),
      { expect: succeeded("c", { status: 200, data: { response: { truncated: true, bytes: { $number: { max: 4_194_304 } } } } }) },
      get("next", "/echo/next"),
      { expect: answered("next", 200, '{"path":"/echo/next"}') },
    ],
  },
];
