// The same mistake through `call`, `call --batch` and `rpc`: the same sentence and the same code.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startApiStub, type ApiStub } from "../../gateway/test/api-stub.ts";
import { makePlace, runIn, runJson, talkIn } from "./gateway-stage.ts";

let stub: ApiStub;
beforeAll(async () => {
  stub = await startApiStub((_request, response) => void response.writeHead(404).end());
});
afterAll(() => stub.close());

interface Failure {
  readonly code: number;
  readonly error: string;
}

const mistakes: readonly (readonly [what: string, item: object, args: readonly string[]])[] = [
  ["neither path nor op", {}, []],
  ["a blank path", { path: " " }, ["--path", " "]],
  ["op together with path", { op: "x", path: "/x" }, ["--op", "x", "--path", "/x"]],
  ["op together with method", { op: "x", method: "GET" }, ["--op", "x", "--method", "GET"]],
  ["a change without yes", { method: "POST", path: "/x" }, ["--method", "POST", "--path", "/x"]],
  ["a retry of POST", { method: "POST", path: "/x", yes: true, retry: 1 }, ["--method", "POST", "--path", "/x", "--yes", "--retry", "1"]],
  ["a broken timeout", { path: "/x", timeout: "5" }, ["--path", "/x", "--timeout", "5"]],
  ["a broken wait", { path: "/x", retryBackoff: "5" }, ["--path", "/x", "--retry-backoff", "5"]],
  ["a broken query", { path: "/x", query: ["a"] }, ["--path", "/x", "--query", "a"]],
  ["a broken header", { path: "/x", headers: ["a"] }, ["--path", "/x", "--header", "a"]],
  ["an impossible method", { method: "A B", path: "/x" }, ["--method", "A B", "--path", "/x"]],
  ["another host", { path: "http://example.com/x" }, ["--path", "http://example.com/x"]],
  ["an operation without a document", { op: "x" }, ["--op", "x"]],
];

describe.concurrent("the doors agree about", () => {
  it.each(mistakes)("%s", async (_what, item, args) => {
    const place = makePlace(stub);
    const [call, batch, rpc] = await Promise.all([
      runJson<Failure>(place, ["call", ...args]),
      runIn(place, ["call", "--batch", "-"], { input: `${JSON.stringify(item)}\n` }),
      talkIn(place, [{ op: "call", args: item }]),
    ]);
    const said = [JSON.parse(call.stdout), JSON.parse(batch.stdout), rpc.answers[0]] as Failure[];
    expect(said[0]?.error).toMatch(/\w{3}/);
    expect(said.map(({ code, error }) => [code, error])).toEqual(Array.from({ length: 3 }, () => [2, said[0]?.error]));
  });
});
