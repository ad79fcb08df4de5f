// A security scheme of the API document says where the token travels, and no more than that.

import { describe, expect, it } from "vitest";
import { toCredential } from "../../src/execute/credential.ts";

const target = { baseUrl: new URL("http://127.0.0.1:1"), token: "secret-token", auth: { kind: "scheme", name: "key" } } as const;
const schemeOf = (place: "header" | "query" | "cookie", field: string) => [{ name: "key", in: place, field, prefix: "" }];

describe("the place that a document gives the token", () => {
  it.each([
    ["header", "Host"],
    ["header", "content-length"],
    ["header", "Transfer-Encoding"],
    ["header", "X\r\nEvil"],
    ["header", ""],
    ["cookie", "a; b"],
    ["cookie", "a\r\nSet: x"],
  ] as const)("RPC-12 a %s %j is refused without the token", (place, field) => {
    expect(() => toCredential(target, schemeOf(place, field))).toThrow(/security scheme "key"/);
  });

  it.each([
    ["header", "X-Key"],
    ["query", "api key"],
    ["cookie", "session"],
  ] as const)("R94 a %s %j carries it", (place, field) => {
    expect(toCredential(target, schemeOf(place, field))).toMatchObject({ in: place, field, token: "secret-token" });
  });
});
