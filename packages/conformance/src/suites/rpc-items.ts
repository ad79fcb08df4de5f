// rpc, part four: what a call's item may hold beyond method and path, and the token, which goes to the configured address with every
// call and nowhere else. All of it is additive: the contract describes neither.

import { rpcToken } from "../rpc-subject.ts";
import { toScenarios, type Step } from "../scenario.ts";
import { answers, at, call, fails, get, seen, setupWith, withStatus } from "./rpc-script.ts";

const things = {
  openapi: "3.0.3",
  info: { title: "Things", version: "1" },
  servers: [{ url: "http://127.0.0.1:9/elsewhere" }],
  paths: {
    "/echo/things": { get: { operationId: "listThings", responses: { 200: { description: "all" } } } },
    "/echo/things/{id}": {
      get: {
        operationId: "getThing",
        parameters: [
          { name: "id", in: "path", required: true, schema: { type: "string" } },
          { name: "tags", in: "query", schema: { type: "array", items: { type: "string" } } },
          { name: "X-Trace", in: "header", schema: { type: "string" } },
        ],
        responses: { 200: { description: "one" } },
      },
    },
  },
};

const refusedItem = (args: object): readonly Step[] => fails(call("item", args), 2);

const header = "x-ignition-api-token";
const withToken = { headers: { [header]: rpcToken } };
const withoutToken = { headers: { [header]: { $absent: true }, authorization: { $absent: true } } };
const notToken = { $regex: `^(?:(?!${rpcToken})[^])*$` };

/** Paths, headers and methods that would leave the API's address or end a header early. */
const hostileItems: readonly object[] = [
  ...["http://127.0.0.1:9/", "//127.0.0.1:9/", "/echo\r\nX-Evil: 1", "/echo/\u0000"].map((path) => ({
    method: "GET",
    path,
  })),
  ...["X-A: 1\r\nX-Evil: 1", "X-A", ": 1", "X A: 1", "X-A: \u0000"].map((header) => ({ method: "GET", path: "/echo", headers: [header] })),
  { method: "GE T", path: "/echo" },
];

export const rpcItemScenarios = toScenarios(
  {
    "item-query": {
      title: "query entries, headers and a query in the path reach the API",
      requirements: ["R93"],
      steps: [
        ...answers(get("c", "/echo?z=0", { query: ["a=1", "b=x y&c", "a=2"], headers: ["X-Mark: yes: no", "Accept: text/plain"] }), 200),
        seen({
          requests: [
            {
              query: { $regex: "^(?=.*\\bz=0)(?=.*a=1&(?:.*&)?a=2)(?=.*b=x(?:%20|\\+)y%26c).*$" },
              headers: { "x-mark": "yes: no", accept: "text/plain" },
            },
          ],
        }),
      ],
    },
    "item-case": {
      title: "method and path are trimmed, and the method is matched without case",
      requirements: ["R93"],
      steps: answers(call("c", { method: " get ", path: " /echo/trimmed " }), 200, '{"path":"/echo/trimmed"}'),
    },
    "item-mutation": {
      title: "POST, PUT, PATCH and DELETE need yes, and make no request without it",
      requirements: ["H30"],
      steps: [
        ...["POST", "PUT", "PATCH", "DELETE"].flatMap((method) => refusedItem({ method, path: "/echo" })),
        seen({ count: 0 }),
        ...answers(call("yes", { method: "POST", path: "/echo/new", yes: true, body: '{"name":"é"}' }), 200),
        seen({ requests: [{ method: "POST", body: '{"name":"é"}', headers: { "content-type": "application/json" } }] }),
      ],
    },
    "item-content-type": {
      title: "a body has the content type that the call gives it",
      requirements: ["R93"],
      steps: [
        ...answers(call("c", { method: "PUT", path: "/echo", yes: true, body: "plain", contentType: "text/plain" }), 200),
        seen({ requests: [{ method: "PUT", body: "plain", headers: { "content-type": { $regex: "^text/plain" } } }] }),
      ],
    },
    "item-dry-run": {
      title: "dryRun is sent as the query dryRun=true",
      requirements: ["R93"],
      steps: [...answers(get("c", "/echo", { dryRun: true }), 200), seen({ requests: [{ query: "dryRun=true" }] })],
    },
    "item-timeout": {
      title: "a call's own timeout ends it with code 7, and no other call",
      requirements: ["RPC-13"],
      steps: [...fails(get("h", "/hang", { timeout: "300ms" }), 7), ...answers(get("next", "/echo/next"), 200)],
    },
    "item-retry": {
      title: "retry: 2 makes at most three requests for a GET, and stops at the first success",
      requirements: ["G13", "RPC-09"],
      setup: setupWith([withStatus(503)]),
      steps: [
        ...fails(get("fails", "/status/503", { retry: 2, retryBackoff: "10ms" }), 7),
        seen({ count: 3 }),
        ...answers(get("works", "/echo", { retry: 2 }), 200),
        seen({ count: 4 }),
      ],
    },
    "item-retry-unsafe": {
      title: "a POST is never sent twice: retry is a usage error, and a lost answer is a failure",
      requirements: ["G13", "RPC-09"],
      setup: setupWith([withStatus(503), at("/cut", { close: true })]),
      steps: [
        ...fails(call("retry", { method: "POST", path: "/status/503", yes: true, retry: 1 }), 2),
        seen({ count: 0 }),
        ...fails(call("once", { method: "POST", path: "/status/503", yes: true }), 7),
        ...fails(call("cut", { method: "POST", path: "/cut", yes: true, body: "{}" }), 7),
        seen({ count: 2 }),
      ],
    },
    "item-hostile": {
      title: "no path, header or method leads to another origin or breaks out of its line",
      requirements: ["G13", "RPC-11", "RPC-12"],
      steps: [...hostileItems.flatMap(refusedItem), seen({ count: 0 }), { expectAlive: true }],
    },
    operation: {
      title: "an operation id of the document, in any letter case, stands for method and path at the configured address",
      requirements: ["R93", "RPC-11"],
      setup: { ...setupWith(), document: things },
      steps: [
        ...["listThings", "LISTTHINGS"].flatMap((op) => answers(call(op, { op }), 200, '{"path":"/echo/things"}')),
        ...refusedItem({ op: "noSuchOperation" }),
        ...refusedItem({ op: "listThings", method: "GET", path: "/echo/things" }),
        seen({ count: 2 }),
      ],
    },
    "operation-params": {
      title: "an operation's parameters go where the document says, and a missing one is a usage error",
      requirements: ["R93"],
      setup: { ...setupWith(), document: things },
      steps: [
        ...answers(
          call("c", { op: "getThing", params: { id: "a/b c", tags: ["x", "y z"], "X-Trace": "t1" } }),
          200,
          '{"path":"/echo/things/a%2Fb%20c"}',
        ),
        ...refusedItem({ op: "getThing", params: {} }),
        seen({ requests: [{ query: { $regex: "^tags=x&tags=y(?:%20|\\+)z$" }, headers: { "x-trace": "t1" } }] }),
      ],
    },
    token: {
      title: "every call carries the token, and an item can't replace it",
      requirements: ["G13"],
      steps: [
        ...answers(get("c", "/echo"), 200),
        get("other", "/echo", { headers: ["X-Ignition-API-Token: another"] }),
        { expect: { id: "other", code: { $either: [0, 2] } } },
        seen({ requests: { $either: [[withToken], [withToken, withToken]] } }),
      ],
    },
    "token-redirect": {
      title: "a redirect to another origin doesn't carry the token",
      requirements: ["G13"],
      setup: setupWith([at("/away", { send: { status: 302, headers: { location: "http://localhost:{port}/echo/elsewhere" } } })]),
      steps: [
        get("c", "/away"),
        { expect: { id: "c", ok: { $type: "boolean" } } },
        seen({ requests: { $either: [[withToken], [withToken, withoutToken]] } }),
      ],
    },
    "token-echoed": {
      title: "a token that the API echoes is not in the answer",
      requirements: ["G7"],
      setup: setupWith([
        { when: { path: "/mirror", headers: { [header]: { $bind: "token" } } }, send: { status: 200, body: { seen: { $same: "token" } } } },
        { when: { path: "/refuse", headers: { [header]: { $bind: "token" } } }, send: { status: 401, body: { bad: { $same: "token" } } } },
      ]),
      steps: [
        ...answers(get("ok", "/mirror"), 200, notToken),
        ...fails(get("not", "/refuse"), 6, { error: notToken, data: { response: { body: notToken } } }),
      ],
    },
    "token-unseen": {
      title: "errors and diagnostics don't show the token",
      requirements: ["G7"],
      setup: setupWith([withStatus(401), at("/cut", { close: true })]),
      steps: [
        ...fails(get("auth", "/status/401"), 6, { error: notToken }),
        ...fails(get("cut", "/cut"), 7, { error: notToken }),
        { endInput: true },
        { expectExit: { code: 0 } },
        seen({ stderr: notToken }),
      ],
    },
  },
  { additive: true, setup: setupWith() },
);
