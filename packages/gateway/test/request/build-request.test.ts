// From an item to a request: the rules of method, confirmation and retry, the places of parameters,
// query and headers.

import type { CallItem } from "@hawser/protocol";
import { gatewayLimits } from "../../src/limits.ts";
import { describe, expect, it } from "vitest";
import { built, operation, parameter, target } from "./targets.ts";

const refusal = (message: string | RegExp) => expect.objectContaining({ code: "usage", message: expect.stringMatching(message) });

describe("method, path and op", () => {
  it("R93: asks with GET, and trims what it is given", () => {
    expect(built({ path: "/x" })).toEqual({ method: "GET", url: "http://127.0.0.1:8088/x", headers: [], body: undefined });
    expect(built({ method: " delete ", path: " /x ", yes: true }).method).toBe("DELETE");
  });

  it.each<[CallItem, RegExp]>([
    [{}, /^required: --path/],
    [{ method: "GET", path: "  " }, /^required: --path/],
    [{ method: "GET POST", path: "/x" }, /^invalid method/],
    [{ method: "GET\r\nX: y", path: "/x" }, /^invalid method/],
    [{ method: "CONNECT", path: "/x" }, /CONNECT is not supported/],
    [{ op: "things", path: "/x" }, /op can't be used together with method or path/],
    [{ op: "things", method: "GET" }, /op can't be used together/],
    [{ op: "things" }, /operation "things" is not known/],
    [{ path: "/x", params: { a: 1 } }, /params belong to an operation/],
  ])("R87: refuses %j", (item, message) => {
    expect(() => built(item)).toThrow(refusal(message));
  });

  it.each(["POST", "PUT", "PATCH", "DELETE", "PURGE", "post"])("H30: %s needs yes, and the message names the flag", (method) => {
    expect(() => built({ method, path: "/x" })).toThrow(refusal(`^method ${method.toUpperCase()} requires --yes confirmation$`));
    expect(() => built({ method, path: "/x", yes: false })).toThrow(refusal("requires --yes"));
    expect(built({ method, path: "/x", yes: true }).method).toBe(method.toUpperCase());
    expect(() => built({ op: "things" }, operation({ method }))).toThrow(refusal("requires --yes"));
  });

  it.each(["POST", "PATCH", "PURGE", "TRACE"])("RPC-09: a retry of %s is refused, since it could act twice", (method) => {
    expect(() => built({ method, path: "/x", yes: true, retry: 1 })).toThrow(refusal(`^retry .* not with ${method}`));
    expect(built({ method, path: "/x", yes: true, retry: 0 }).method).toBe(method);
  });

  it.each(["GET", "HEAD", "OPTIONS", "PUT", "DELETE"])("RPC-09: a retry of %s is taken", (method) => {
    expect(built({ method, path: "/x", yes: true, retry: 3 }).method).toBe(method);
  });

  it.each([-1, 1.5, Number.NaN])("refuses a retry count of %s", (retry) => {
    expect(() => built({ path: "/x", retry })).toThrow(refusal("^retry must be a whole number"));
  });
});

describe("query and headers of an item", () => {
  it("adds query entries after the path's own, encoded, with dryRun last", () => {
    const item = { path: "/x?a=1", query: ["b=2", " c =x=y&z", "d="], dryRun: true };
    expect(built(item).url).toBe("http://127.0.0.1:8088/x?a=1&b=2&c=x%3Dy%26z&d=&dryRun=true");
  });

  it("trims headers on both sides", () => {
    expect(built({ path: "/x", headers: ["X-One:1", " X-Two :  a: b "] }).headers).toEqual([
      ["X-One", "1"],
      ["X-Two", "a: b"],
    ]);
  });

  it.each(["novalue", "=x", "  =x"])("refuses the query entry %j", (entry) => {
    expect(() => built({ path: "/x", query: [entry] })).toThrow(refusal("expected key=value"));
  });

  it.each(["novalue", ": x", " : x"])("refuses the header %j", (entry) => {
    expect(() => built({ path: "/x", headers: [entry] })).toThrow(refusal("expected Key: value"));
  });

  it.each([
    "Host",
    "content-length",
    "Transfer-Encoding",
    "Connection",
    "Keep-Alive",
    "Upgrade",
    "TE",
    "Trailer",
    "Expect",
    "Proxy-Authorization",
  ])("SEC-01: %s can't be given", (name) => {
    expect(() => built({ path: "/x", headers: [`${name}: x`] })).toThrow(refusal("set by the connection"));
  });

  it("SEC-01: the token's header can't be given in any case, nor as a parameter", () => {
    expect(() => built({ path: "/x", headers: ["x-ignition-api-TOKEN: stolen"] })).toThrow(refusal("can't be overridden"));
    const described = operation({ parameters: [parameter("X-Ignition-API-Token", "header")] });
    expect(() => built({ op: "things", params: { "X-Ignition-API-Token": "x" } }, described)).toThrow(refusal("can't be overridden"));
    const other = { ...target, auth: { kind: "header", header: "Authorization", prefix: "Bearer " } } as const;
    expect(() => built({ path: "/x", headers: ["authorization: x"] }, undefined, other)).toThrow(refusal("can't be overridden"));
  });
});

const bad = ["a\r\nX: y", "a\nb", "a\rb", "a\0b", "x".repeat(100_000), "\ud800"];

describe("RPC-12: values that can't be sent", () => {
  const everywhere = operation({
    path: "/things/{p}",
    parameters: [parameter("p", "path"), parameter("q", "query"), parameter("h", "header"), parameter("c", "cookie")],
  });

  it.each(bad.map((value) => [value.slice(0, 10), value]))("refuses %j everywhere", (_, value) => {
    expect(() => built({ path: "/x", query: [`a=${value}`] })).toThrow(refusal(""));
    expect(() => built({ path: "/x", query: [`${value}=a`] })).toThrow(refusal(""));
    expect(() => built({ path: "/x", headers: [`X-A: ${value}`] })).toThrow(refusal(""));
    expect(() => built({ path: "/x", headers: [`X${value}: a`] })).toThrow(refusal(""));
    expect(() => built({ path: `/${value}` })).toThrow(refusal(""));
    expect(() => built({ path: "/x", body: "x", contentType: `text/${value}` })).toThrow(refusal(""));
    for (const name of ["p", "q", "h", "c"]) {
      expect(() => built({ op: "things", params: { p: "ok", [name]: value } }, everywhere)).toThrow(refusal(""));
      expect(() => built({ op: "things", params: { p: "ok", [name]: [value] } }, everywhere)).toThrow(refusal(""));
      expect(() => built({ op: "things", params: { p: "ok", [name]: { a: value } } }, everywhere)).toThrow(refusal(""));
    }
  });

  it.each(["é", "日本", "💥", "\u007f", "a\u0001b"])("refuses %j in a header, where there is no encoding for it", (value) => {
    expect(() => built({ path: "/x", headers: [`X-A: ${value}`] })).toThrow(refusal("only visible ASCII"));
    expect(() => built({ op: "things", params: { p: 1, h: value } }, everywhere)).toThrow(refusal("only visible ASCII"));
  });

  it("encodes Unicode where there is an encoding for it", () => {
    const { url, headers } = built({ op: "things", params: { p: "é", q: "日", c: "💥" } }, everywhere);
    expect(url).toBe("http://127.0.0.1:8088/things/%C3%A9?q=%E6%97%A5");
    expect(headers).toEqual([["cookie", "c=%F0%9F%92%A5"]]);
  });

  it("names the limit, and never repeats a long value", () => {
    const tooLong = "x".repeat(gatewayLimits.maxParameterBytes + 1);
    expect(() => built({ path: "/x", query: [`a=${tooLong}`] })).toThrow(refusal(/^.{1,200}maxParameterBytes.{1,60}$/));
    expect(built({ path: "/x", query: [`a=${tooLong.slice(1)}`] }).url.length).toBeGreaterThan(gatewayLimits.maxParameterBytes);
  });

  it("bounds address and headers together", () => {
    const many = Array.from({ length: 5 }, (_, at) => `X-${at}: ${"x".repeat(60_000)}`);
    expect(() => built({ path: "/x", headers: many })).toThrow(refusal("maxRequestHeadBytes"));
  });
});
