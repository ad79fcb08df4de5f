// The same mistake through `call`, `call --batch` and `rpc`: the same code and the same sentence. Where an item has a member,
// `call` has a flag, and names that.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startApiStub, type ApiStub } from "../../../test/kit/api-stub.ts";
import { makePlace, runIn, runJson, talkIn } from "./gateway-stage.ts";

let stub: ApiStub;
afterAll(() => stub.close());

interface Failure {
  readonly code: number;
  readonly error: string;
}

type Mistake = readonly [what: string, item: object, args: readonly string[], inFlags?: RegExp];

const mistakes: readonly Mistake[] = [
  ["neither path nor op", {}, [], /^say what to call: --path/],
  ["a blank path", { path: " " }, ["--path", " "], /^say what to call: --path/],
  ["op together with path", { op: "x", path: "/x" }, ["--op", "x", "--path", "/x"], /^--op can't be used together/],
  ["op together with method", { op: "x", method: "GET" }, ["--op", "x", "--method", "GET"], /^--op can't be used together/],
  ["a change without yes", { method: "POST", path: "/x" }, ["--method", "POST", "--path", "/x"], /^POST changes something; add --yes$/],
  [
    "a retry of POST",
    { method: "POST", path: "/x", yes: true, retry: 1 },
    ["--method", "POST", "--path", "/x", "--yes", "--retry", "1"],
    /^--retry /,
  ],
  ["a broken timeout", { path: "/x", timeout: "5" }, ["--path", "/x", "--timeout", "5"], /^invalid --timeout "5"/],
  ["a broken wait", { path: "/x", retryBackoff: "5" }, ["--path", "/x", "--retry-backoff", "5"], /^invalid --retry-backoff "5"/],
  ["a broken query", { path: "/x", query: ["a"] }, ["--path", "/x", "--query", "a"], /^invalid --query "a"/],
  ["a broken header", { path: "/x", headers: ["a"] }, ["--path", "/x", "--header", "a"], /^invalid --header "a"/],
  ["an impossible method", { method: "A B", path: "/x" }, ["--method", "A B", "--path", "/x"]],
  ["another host", { path: "http://example.com/x" }, ["--path", "http://example.com/x"]],
  ["an operation without a document", { op: "x" }, ["--op", "x"]],
];

// What a whole batch and a whole conversation say of all the items, in their order: one process of each is enough.
let batched: readonly Failure[] = [];
let answered: readonly Failure[] = [];
beforeAll(async () => {
  stub = await startApiStub((_request, response) => void response.writeHead(404).end());
  const items = mistakes.map(([, item]) => item);
  const [batch, rpc] = await Promise.all([
    runIn(makePlace(stub), ["call", "--batch", "-"], { input: items.map((item) => `${JSON.stringify(item)}\n`).join("") }),
    talkIn(
      makePlace(stub),
      items.map((args) => ({ op: "call", args })),
    ),
  ]);
  batched = batch.stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Failure);
  answered = rpc.answers as unknown as Failure[];
});

describe.concurrent("the doors agree about", () => {
  it.each(mistakes.map(([what, _item, ...mistake], at) => ({ what, at, mistake })))("$what", async ({ at, mistake: [args, inFlags] }) => {
    const call = await runJson<Failure>(makePlace(stub), ["call", ...args]);
    const said = [call.value, batched[at], answered[at]];
    expect(said[0]?.error).toMatch(/\w{3}/);
    expect(said.map((failure) => failure?.code)).toEqual([2, 2, 2]);
    expect(said[1]?.error).toBe(said[2]?.error);
    if (inFlags) expect(said[0]?.error).toMatch(inFlags);
    else expect(said[0]?.error).toBe(said[1]?.error);
  });

  it("every item of the batch and every call", () => {
    expect([batched.length, answered.length]).toEqual([mistakes.length, mistakes.length]);
  });
});
