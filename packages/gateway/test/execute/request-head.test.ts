// The head of a request: what a server reads in it is one request, whatever a caller gave.

import { describe, expect, it } from "vitest";
import { framingHeaders } from "../../src/config/target.ts";
import type { WireRequest } from "../../src/execute/connections.ts";
import { toRequestHead } from "../../src/execute/request-head.ts";

const headOf = (part: Partial<WireRequest>): string =>
  toRequestHead(
    { origin: "http://a.test", path: "/x?y", method: "GET", headers: ["X-A", "1"], body: null, idempotent: false, ...part },
    "a.test",
  );

describe("the head of a request", () => {
  it("has the host, the headers in their order, and a length where there is a body or a server expects one", () => {
    expect(headOf({})).toBe("GET /x?y HTTP/1.1\r\nhost: a.test\r\nconnection: keep-alive\r\nX-A: 1\r\n\r\n");
    expect(headOf({ method: "POST", body: "ä" })).toMatch(/X-A: 1\r\ncontent-length: 2\r\n\r\n$/);
    expect(headOf({ method: "PUT" })).toMatch(/content-length: 0\r\n\r\n$/);
    expect(headOf({ method: "HEAD" })).toContain("\r\nconnection: close\r\n");
  });

  it.each(framingHeaders)("refuses %s, which says where a request ends or who gets it", (name) => {
    expect(() => headOf({ headers: [name.toUpperCase(), "1"] })).toThrow("invalid header");
  });

  it.each([
    { method: "" },
    { method: "GET /" },
    { path: "" },
    { path: "/a b" },
    { path: "/\u00e4" },
    { path: "/\0" },
    { headers: ["", "1"] },
    { headers: ["x:", "1"] },
    { headers: ["x", "1\r\ny: 2"] },
    { headers: ["x", "1\0"] },
    { headers: ["x", "\u00e4"] },
  ])("refuses %j", (part) => {
    expect(() => headOf(part)).toThrow("invalid");
  });
});
