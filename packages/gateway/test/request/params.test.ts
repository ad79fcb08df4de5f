// Named parameters of an operation go where the document says.

import { describe, expect, it } from "vitest";
import { built, operation, parameter } from "./targets.ts";

const refusal = (message: string | RegExp) => expect.objectContaining({ code: "usage", message: expect.stringMatching(message) });

const repository = operation({
  operationId: "repos/get",
  path: "/repos/{owner}/{repo}",
  parameters: [
    parameter("owner", "path"),
    parameter("repo", "path"),
    parameter("per_page", "query"),
    parameter("labels", "query", { required: true }),
    parameter("X-Trace", "header"),
    parameter("session", "cookie"),
  ],
});

describe("params of an operation", () => {
  it("go to path, query, header and cookie", () => {
    const params = { owner: "a b", repo: "c/d", per_page: 5, labels: ["x", "y"], "x-trace": "t", session: "s" };
    expect(built({ op: "repos/get", params }, repository)).toEqual({
      method: "GET",
      url: "http://127.0.0.1:8088/repos/a%20b/c%2Fd?per_page=5&labels=x&labels=y",
      headers: [
        ["X-Trace", "t"],
        ["cookie", "session=s"],
      ],
      body: undefined,
    });
  });

  it("are named when they are missing, with those that there are", () => {
    const message =
      /^missing required parameter repo \(path\), labels \(query\); repos\/get takes owner \(path, required\), .*session \(cookie\)$/;
    expect(() => built({ op: "repos/get", params: { owner: "a" } }, repository)).toThrow(refusal(message));
    const hint = 'give it as "params": {"repo": …}';
    expect(() => built({ op: "repos/get", params: { owner: "a" } }, repository)).toThrow(
      expect.objectContaining({ facts: expect.objectContaining({ hint }) }),
    );
    expect(() => built({ op: "repos/get", params: { owner: "a", repo: null, labels: "x" } }, repository)).toThrow(
      refusal("repo \\(path\\)"),
    );
  });

  it("may also come as query entries and headers of the item", () => {
    const item = { op: "repos/get", params: { owner: "a", repo: "b" }, query: ["labels=x"] };
    expect(built(item, repository).url).toBe("http://127.0.0.1:8088/repos/a/b?labels=x");
  });

  it("are refused when unknown, with near names", () => {
    const params = { owner: "a", repo: "b", labels: "x", perpage: 1 };
    expect(() => built({ op: "repos/get", params }, repository)).toThrow(
      refusal(/^unknown parameter "perpage" \(did you mean per_page\?\); repos\/get takes/),
    );
    expect(() => built({ op: "x", params: { __proto__x: 1 } }, operation())).toThrow(refusal("takes no parameters$"));
  });

  it("say their place where a name stands in two", () => {
    const twice = operation({ path: "/things/{id}", parameters: [parameter("id", "path"), parameter("id", "query")] });
    expect(() => built({ op: "things", params: { id: 1 } }, twice)).toThrow(
      refusal('"id" stands in several places; write path.id or query.id'),
    );
    expect(built({ op: "things", params: { "path.id": 1, "query.id": 2 } }, twice).url).toBe("http://127.0.0.1:8088/things/1?id=2");
  });

  it("are refused when given twice by two spellings", () => {
    const params = { owner: "a", "path.owner": "b", repo: "c", labels: "x" };
    expect(() => built({ op: "repos/get", params }, repository)).toThrow(refusal("path.owner is given twice"));
  });

  it("never fill a place that another value made", () => {
    const params = { owner: "{repo}", repo: "b", labels: "x" };
    expect(built({ op: "repos/get", params }, repository).url).toBe("http://127.0.0.1:8088/repos/%7Brepo%7D/b?labels=x");
  });

  it.each(["..", ".", "../x", "%2e%2e"])("RPC-11: refuses the path value %j", (owner) => {
    expect(() => built({ op: "repos/get", params: { owner, repo: "b", labels: "x" } }, repository)).toThrow(refusal("segment"));
  });
});
