// rpc, part three: calls and how they end. One request to the API for each call, and the contract's code for every way in which it
// can end.

import { toScenarios, type Setup, type Step } from "../scenario.ts";
import { answers, at, call, fails, get, request, seen, setupWith, succeeds, withStatus } from "./rpc-script.ts";

const successes = [200, 201, 202, 204];
const refusals = [401, 403];
const failures = [400, 404, 409, 422, 500, 503];

const withStatuses = (...statuses: readonly number[]): Setup => setupWith(statuses.map((status) => withStatus(status)));
const getStatus = (status: number): ReturnType<typeof get> => get(`s${status}`, `/status/${status}`);

const milliseconds = { $number: { min: 0 } };

const statsShape = {
  ...{ version: 1, timingMs: milliseconds, bodyBytes: 16 },
  http: { totalMs: milliseconds },
  rpc: { queueWaitMs: milliseconds, queueDepth: milliseconds },
};

const tellsStatus = (status: number, code: 6 | 7): readonly Step[] =>
  fails(getStatus(status), code, {
    status,
    data: {
      response: { status, body: { $regex: `answer ${status}` } },
      errorInfo: { kind: { $type: "string" }, retryable: { $type: "boolean" } },
    },
  });

/** The head of a response with a body of this length. */
const head = (length: number): string =>
  `HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: ${length}\r\nConnection: close\r\n\r\n`;
const half = { utf8: `${head(100)}half` };

const contract = toScenarios(
  {
    call: {
      title: "a call makes one request to the API and is answered with its status and data",
      requirements: ["R86", "R87", "R88", "R89", "R90", "R93", "R107"],
      steps: [
        ...succeeds(get("c", "/echo/one"), { status: 200, data: { $type: "object" } }),
        seen({ requests: [{ method: "GET", path: "/echo/one", query: "", body: "" }] }),
      ],
    },
    "call-codes": {
      title: "2xx is code 0 with its status, 401 and 403 are code 6, every other failure is code 7, after one request each",
      requirements: ["R87", "R88", "R90"],
      setup: withStatuses(...successes, ...refusals, ...failures),
      steps: [
        ...successes.flatMap((status) => succeeds(getStatus(status), { status })),
        ...refusals.flatMap((status) => fails(getStatus(status), 6)),
        ...failures.flatMap((status) => fails(getStatus(status), 7)),
        seen({ count: successes.length + refusals.length + failures.length }),
      ],
    },
    "call-refused": {
      title: "a call to an address without a listener is code 7, and the session lives",
      requirements: ["R87", "R90"],
      setup: { ...setupWith(), listen: false },
      steps: [...fails(get("c", "/echo"), 7), { expectAlive: true }],
    },
    "call-cut": {
      title: "an API that ends the connection before or inside its answer is code 7, and the session lives",
      requirements: ["R87", "R90"],
      setup: setupWith([at("/cut", { close: true }), at("/half", { sendBytes: half, close: true })]),
      steps: [...fails(get("cut", "/cut"), 7), ...fails(get("half", "/half"), 7), { expectAlive: true }],
    },
    "call-timeout": {
      title: "a call that takes longer than --timeout is code 7, and its connection is closed",
      requirements: ["R87", "RPC-13"],
      setup: setupWith([at("/stuck", { sendBytes: half })], "--timeout", "400ms"),
      steps: [...fails(get("h", "/hang"), 7), ...fails(get("s", "/stuck"), 7), { expectFacts: { running: 0 } }, { expectAlive: true }],
    },
    "call-usage": {
      title: "a call without a target is a usage error, and no request is made",
      requirements: ["R87", "R90"],
      steps: [
        ...fails(request("none", "call"), 2),
        ...fails(call("empty", {}), 2),
        ...fails(call("no-path", { method: "GET" }), 2),
        seen({ count: 0 }),
        { expectAlive: true },
      ],
    },
    "same-item": {
      title: "the same call twice is two requests: nothing is cached between calls",
      requirements: ["R77"],
      steps: [...succeeds(get("a", "/echo")), ...succeeds(get("b", "/echo")), seen({ count: 2 })],
    },
  },
  { setup: setupWith() },
);

const additions = toScenarios(
  {
    "call-data": {
      title: "a call's data has request, response, timing and stats where hosts of igw look for them",
      requirements: ["R89", "R93"],
      setup: setupWith([at("/thing", { send: { status: 200, body: '{"name":"thing"}' } })]),
      steps: succeeds(get("c", "/thing", { query: ["a=1"] }), {
        data: {
          request: { method: "GET", url: { $regex: "^http://127\\.0\\.0\\.1:\\d+/thing\\?a=1$" } },
          response: { status: 200, body: '{"name":"thing"}', bytes: 16, headers: { $absent: true } },
          timingMs: milliseconds,
          stats: statsShape,
        },
      }),
    },
    "call-headers": {
      title: "with --include-headers the response's headers are lists",
      requirements: ["R89"],
      setup: setupWith([at("/thing", { send: { status: 200, headers: { "x-mark": "yes" }, body: "thing" } })], "--include-headers"),
      steps: succeeds(get("c", "/thing"), { data: { response: { headers: { $either: [{ "X-Mark": ["yes"] }, { "x-mark": ["yes"] }] } } } }),
    },
    "call-errors": {
      title: "an HTTP failure carries its status, the response's body and a machine-readable kind",
      requirements: ["R88", "H22"],
      setup: withStatuses(400, 401, 403, 404, 500),
      steps: [...[401, 403].flatMap((status) => tellsStatus(status, 6)), ...[400, 404, 500].flatMap((status) => tellsStatus(status, 7))],
    },
    "call-not-cancelled": {
      title: "a failed call that was not cancelled says so: `data.cancelled` is false",
      requirements: ["R88", "H21"],
      setup: withStatuses(404, 500),
      steps: [404, 500].flatMap((status) => fails(getStatus(status), 7, { data: { cancelled: false } })),
    },
    "call-truncated": {
      title: "a body of more than 4 MiB is cut and marked as such, and the answer fits into a line",
      requirements: ["G2", "G10"],
      setup: setupWith([at("/large", { sendBytes: [{ utf8: head(6_291_456) }, { utf8: "\u0001", times: 6_291_456 }], close: true })]),
      steps: [
        ...succeeds(get("c", "/large"), { status: 200, data: { response: { truncated: true, bytes: { $number: { max: 4_194_304 } } } } }),
        ...answers(get("next", "/echo/next"), 200, '{"path":"/echo/next"}'),
      ],
    },
  },
  { additive: true },
);

export const rpcCallScenarios = [...contract, ...additions];
