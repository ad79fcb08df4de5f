// rpc, part four: what a call's item may hold beyond method and path. All of it is additive: the
// contract's text does not describe the item.

import type { Scenario, Step } from "../scenario.ts";
import { answered, at, call, failed, get, seen, setupWith, succeeded, withStatus } from "./rpc-script.ts";

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

const refusedItem = (args: object): readonly Step[] => [call("item", args), { expect: failed("item", 2) }];

/** Paths and headers that would leave the API's address or end a header early. */
const hostileItems: readonly object[] = [
  ...["http://127.0.0.1:9/", "//127.0.0.1:9/", "/echo\r\nX-Evil: 1", "/echo/\u0000"].map((path) => ({
    method: "GET",
    path,
  })),
  ...["X-A: 1\r\nX-Evil: 1", "X-A", ": 1", "X A: 1", "X-A: \u0000"].map((header) => ({ method: "GET", path: "/echo", headers: [header] })),
  { method: "GE T", path: "/echo" },
];

export const rpcItemScenarios: readonly Scenario[] = [
  {
    id: "item-query",
    title: "query entries, headers and a query in the path reach the API",
    requirements: ["R93"],
    additive: true,
    setup: setupWith(),
    steps: [
      get("c", "/echo?z=0", { query: ["a=1", "b=x y&c", "a=2"], headers: ["X-Mark: yes: no", "Accept: text/plain"] }),
      { expect: answered("c", 200) },
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
  {
    id: "item-case",
    title: "method and path are trimmed, and the method is matched without case",
    requirements: ["R93"],
    additive: true,
    setup: setupWith(),
    steps: [call("c", { method: " get ", path: " /echo/trimmed " }), { expect: answered("c", 200, '{"path":"/echo/trimmed"}') }],
  },
  {
    id: "item-mutation",
    title: "POST, PUT, PATCH and DELETE need yes, and without it reach nobody",
    requirements: ["H30"],
    additive: true,
    setup: setupWith(),
    steps: [
      ...["POST", "PUT", "PATCH", "DELETE"].flatMap((method) => refusedItem({ method, path: "/echo" })),
      seen({ count: 0 }),
      call("yes", { method: "POST", path: "/echo/new", yes: true, body: '{"name":"é"}' }),
      { expect: answered("yes", 200) },
      seen({ requests: [{ method: "POST", body: '{"name":"é"}', headers: { "content-type": "application/json" } }] }),
    ],
  },
  {
    id: "item-content-type",
    title: "a body has the content type that the call gives it",
    requirements: ["R93"],
    additive: true,
    setup: setupWith(),
    steps: [
      call("c", { method: "PUT", path: "/echo", yes: true, body: "plain", contentType: "text/plain" }),
      { expect: answered("c", 200) },
      seen({ requests: [{ method: "PUT", body: "plain", headers: { "content-type": { $regex: "^text/plain" } } }] }),
    ],
  },
  {
    id: "item-dry-run",
    title: "dryRun is sent as the query dryRun=true",
    requirements: ["R93"],
    additive: true,
    setup: setupWith(),
    steps: [get("c", "/echo", { dryRun: true }), { expect: answered("c", 200) }, seen({ requests: [{ query: "dryRun=true" }] })],
  },
  {
    id: "item-timeout",
    title: "a call's own timeout ends it with code 7, and no other",
    requirements: ["RPC-13"],
    additive: true,
    setup: setupWith(),
    steps: [
      get("h", "/hang", { timeout: "300ms" }),
      { expect: failed("h", 7) },
      get("next", "/echo/next"),
      { expect: answered("next", 200) },
    ],
  },
  {
    id: "item-retry",
    title: "retry: 2 makes at most three requests of a GET, and stops at the first success",
    requirements: ["G13", "RPC-09"],
    additive: true,
    setup: setupWith([withStatus(503)]),
    steps: [
      get("fails", "/status/503", { retry: 2, retryBackoff: "10ms" }),
      { expect: failed("fails", 7) },
      seen({ count: 3 }),
      get("works", "/echo", { retry: 2 }),
      { expect: answered("works", 200) },
      seen({ count: 4 }),
    ],
  },
  {
    id: "item-retry-unsafe",
    title: "a POST is never sent twice: retry is a usage error, and a lost answer is a failure",
    requirements: ["G13", "RPC-09"],
    additive: true,
    setup: setupWith([withStatus(503), at("/cut", { close: true })]),
    steps: [
      call("retry", { method: "POST", path: "/status/503", yes: true, retry: 1 }),
      { expect: failed("retry", 2) },
      seen({ count: 0 }),
      call("once", { method: "POST", path: "/status/503", yes: true }),
      { expect: failed("once", 7) },
      call("cut", { method: "POST", path: "/cut", yes: true, body: "{}" }),
      { expect: failed("cut", 7) },
      seen({ count: 2 }),
    ],
  },
  {
    id: "item-hostile",
    title: "no path, header or method leads to another origin or breaks out of its line",
    requirements: ["G13", "RPC-11", "RPC-12"],
    additive: true,
    setup: setupWith(),
    steps: [...hostileItems.flatMap(refusedItem), seen({ count: 0 }), { expectAlive: true }],
  },
  {
    id: "operation",
    title: "an operation id of the document stands for method and path, in any case, at the configured address",
    requirements: ["R93", "RPC-11"],
    additive: true,
    setup: { ...setupWith(), document: things },
    steps: [
      ...["listThings", "LISTTHINGS"].flatMap((op): Step[] => [call(op, { op }), { expect: answered(op, 200, '{"path":"/echo/things"}') }]),
      ...refusedItem({ op: "noSuchOperation" }),
      ...refusedItem({ op: "listThings", method: "GET", path: "/echo/things" }),
      seen({ count: 2 }),
    ],
  },
  {
    id: "operation-params",
    title: "an operation's parameters go where the document says, and a missing one is a usage error",
    requirements: ["R93"],
    additive: true,
    setup: { ...setupWith(), document: things },
    steps: [
      call("c", { op: "getThing", params: { id: "a/b c", tags: ["x", "y z"], "X-Trace": "t1" } }),
      { expect: answered("c", 200, '{"path":"/echo/things/a%2Fb%20c"}') },
      ...refusedItem({ op: "getThing", params: {} }),
      seen({ requests: [{ query: { $regex: "^tags=x&tags=y(?:%20|\\+)z$" }, headers: { "x-trace": "t1" } }] }),
    ],
  },
  {
    id: "same-item",
    title: "the same call twice is two requests: nothing is remembered between calls",
    requirements: ["R77"],
    setup: setupWith(),
    steps: [get("a", "/echo"), { expect: succeeded("a") }, get("b", "/echo"), { expect: succeeded("b") }, seen({ count: 2 })],
  },
];
