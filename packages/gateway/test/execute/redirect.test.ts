// Redirects within the origin are followed, a bounded number of times; every other one ends the call
// before anything of ours reaches another place.

import { describe, expect, it } from "vitest";
import { execute } from "../../src/execute/execute.ts";
import { createRedactor } from "../../src/execute/redaction.ts";
import { answer } from "../../../../test/kit/api-stub.ts";
import { canary, connectionKinds, stubOf } from "../core-fixture.ts";

describe.each(connectionKinds)("RPC-11: redirects, with $kind", ({ coreOf, open }) => {
  it("a request that was made for another origin is refused before it is sent", async () => {
    const other = await stubOf();
    const connections = open(1);
    const request = { method: "GET", url: `${other.url}/x`, headers: [] };
    const credential = { origin: "http://127.0.0.1:1", token: canary, in: "header", field: "X-T", prefix: "" } as const;
    const outcome = await execute(request, { connections, origin: "http://127.0.0.1:1", credential, redactor: createRedactor(canary) });
    await connections.close();
    expect(outcome).toMatchObject({ ok: false, code: 2, errorInfo: { kind: "usage" } });
    expect(other.requests.length).toBe(0);
  });

  it.each([301, 302, 303, 307, 308])("a %d to another origin is not followed and says where it led", async (status) => {
    const other = await stubOf();
    const stub = await stubOf((_request, response) => answer(response, status, "moved", { location: `${other.url}/x` }));
    const outcome = await coreOf(stub.url).call({ path: "/x", retry: 2, retryBackoff: "1ms" });
    expect(outcome).toMatchObject({
      ok: false,
      code: 7,
      status,
      errorInfo: { kind: "redirect", retryable: false },
      response: { body: "moved" },
    });
    expect(outcome.error).toBe(`http ${status}: redirect to another origin (${other.url}) is not followed`);
    expect([stub.requests.length, other.requests.length]).toEqual([1, 0]);
  });

  it.each(["//127.0.0.2:1/x", "https://127.0.0.1/x", "file:///etc/passwd", "http://user:secret@HOST/x", "http://[", "javascript:alert(1)"])(
    "a location %s is not followed",
    async (location) => {
      const stub = await stubOf((_request, response) => answer(response, 302, "", { location: location.replace("HOST", host) }));
      const host = stub.url.slice("http://".length);
      expect(await coreOf(stub.url).call({ path: "/x" })).toMatchObject({ ok: false, code: 7, errorInfo: { kind: "redirect" } });
      expect(stub.requests.length).toBe(1);
    },
  );

  it("within the origin a GET is followed with its token", async () => {
    const stub = await stubOf((request, response) =>
      request.target === "/old" ? answer(response, 302, "", { location: "/new?a=1" }) : answer(response, 200, "here"),
    );
    expect(await coreOf(stub.url).call({ path: "/old" })).toMatchObject({ ok: true, response: { body: "here" } });
    expect(stub.requests.map(({ target, headers }) => [target, headers["x-ignition-api-token"]])).toEqual([
      ["/old", canary],
      ["/new?a=1", canary],
    ]);
  });

  it.each([
    ["/new#part", "/new"],
    ["/new?", "/new"],
    ["/new?a=1#part", "/new?a=1"],
    ["?b=2", "/old?b=2"],
    ["//HOST/new", "/new"],
  ])("a location %s within the origin is asked for as %s", async (location, asked) => {
    const stub = await stubOf((request, response) =>
      request.target === "/old"
        ? answer(response, 302, "", { location: location.replace("HOST", new URL(stub.url).host) })
        : answer(response, 200, "here"),
    );
    const outcome = await coreOf(stub.url).call({ path: "/old" });
    expect(outcome).toMatchObject({ ok: true, request: { url: `${stub.url}/old` }, response: { body: "here" } });
    expect(stub.requests.map(({ target }) => target)).toEqual(["/old", asked]);
  });

  it("a POST is not followed, also within the origin", async () => {
    const stub = await stubOf((_request, response) => answer(response, 307, "", { location: "/new" }));
    const outcome = await coreOf(stub.url).call({ method: "POST", path: "/old", yes: true });
    expect(outcome).toMatchObject({ ok: false, code: 7, status: 307, errorInfo: { kind: "redirect" } });
    expect(stub.requests.length).toBe(1);
  });

  it("a circle ends after five redirects", async () => {
    const stub = await stubOf((_request, response) => answer(response, 302, "", { location: "/again" }));
    expect(await coreOf(stub.url).call({ path: "/x" })).toMatchObject({ code: 7, error: "http 302: more than 5 redirects" });
    expect(stub.requests.length).toBe(6);
  });
});
