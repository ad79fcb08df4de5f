// Nothing that a caller or a document says leads away from the configured address.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { built, operation, parameter, target, targetBelowPath } from "./targets.ts";

const usage = expect.objectContaining({ code: "usage" });

const leadingAway = [
  "http://169.254.169.254/latest/meta-data",
  "HTTPS://evil.test/x",
  "file:///etc/passwd",
  "//evil.test/x",
  "///evil.test/x",
  "/\\evil.test/x",
  "\\\\evil.test\\x",
  "/a\\..\\b",
  "/../x",
  "/a/../../x",
  "/a/..",
  "..",
  "/./x",
  "/%2e%2e/x",
  "/%2E%2e/x",
  "/.%2e/x",
  "/a/%2e%2e%2fx",
  "/a/..%2f..%2fx",
  "/a/..%5cx",
  "/%252e%252e/x",
  "/%25252e%25252e/x",
  "/%c0%ae%c0%ae/x",
  "/%e0%80%ae%e0%80%ae/x",
  "/%u002e%u002e/x",
  "/..;/x",
  "/..;a=b/x",
  "/a\r\nHost: evil.test",
  "/a%0d%0aHost:%20evil.test",
  "/a%0D%0AX: y",
  "/a%00b",
  "/a%250ab",
  "/a\0b",
  "/a?x=%0d%0aX:y",
  "/a?x=%00",
  "/a b",
  "/a\tb",
  "/a\u2028b",
  "/a#fragment",
  "/%2f%2fevil.test",
  "/\ud800",
];

const harmless: [string, string][] = [
  ["/data/api/v1/gateway-info", "http://127.0.0.1:8088/data/api/v1/gateway-info"],
  ["data/x", "http://127.0.0.1:8088/data/x"],
  [" /x ", "http://127.0.0.1:8088/x"],
  ["/x?a=1&b=2", "http://127.0.0.1:8088/x?a=1&b=2"],
  ["/x?url=http://evil.test/../y", "http://127.0.0.1:8088/x?url=http://evil.test/../y"],
  ["/a..b/...", "http://127.0.0.1:8088/a..b/..."],
  ["/feature%2Fone", "http://127.0.0.1:8088/feature%2Fone"],
  ["/ü/%C3%BC", "http://127.0.0.1:8088/%C3%BC/%C3%BC"],
  ["/@evil.test", "http://127.0.0.1:8088/@evil.test"],
  ["@evil.test", "http://127.0.0.1:8088/@evil.test"],
  ["/a//b", "http://127.0.0.1:8088/a//b"],
  ["/100%", "http://127.0.0.1:8088/100%"],
];

const pieces = [
  "/",
  "..",
  ".",
  "%2e",
  "%2f",
  "%5c",
  "\\",
  ";",
  "@",
  ":",
  "//",
  "?",
  "#",
  "a",
  "%25",
  "http:",
  "\r\n",
  " ",
  "{id}",
  "evil.test",
];

describe("RPC-11: paths that would lead away", () => {
  it.each(leadingAway)("refuses %j", (path) => {
    expect(() => built({ path })).toThrow(usage);
    expect(() => built({ path }, undefined, targetBelowPath)).toThrow(usage);
    expect(() => built({ op: "things" }, operation({ path }))).toThrow(usage);
  });

  it.each(harmless)("takes %j as it is meant", (path, url) => {
    expect(built({ path }).url).toBe(url);
  });

  it("keeps below the base path of the target", () => {
    expect(built({ path: "/x" }, undefined, targetBelowPath).url).toBe("http://127.0.0.1:8088/base/path/x");
  });

  it("stays below the configured address for any path, or refuses", () => {
    const paths = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.array(fc.constantFrom(...pieces), { maxLength: 12 }).map((chosen) => chosen.join("")),
    );
    fc.assert(
      fc.property(paths, fc.constantFrom(target, targetBelowPath), (path, to) => {
        const url = urlOf(() => built({ path }, undefined, to).url);
        if (!url) return;
        expect({ origin: url.origin, username: url.username, hash: url.hash }).toEqual({
          origin: to.baseUrl.origin,
          username: "",
          hash: "",
        });
        expect(url.pathname.startsWith(to.baseUrl.pathname)).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it("a path of plain characters becomes the address that a URL makes of it, or is refused", () => {
    const paths = fc.string({ unit: fc.constantFrom("/", "a", "Z", "0", ".", "_", "~", "-"), maxLength: 12 }).map((rest) => `/${rest}`);
    fc.assert(
      fc.property(paths, fc.constantFrom(target, targetBelowPath), (path, to) => {
        const url = urlOf(() => built({ path }, undefined, to).url);
        if (!url) return;
        expect(built({ path }, undefined, to).url).toBe(url.href);
        expect(url.href).toBe(new URL(`${to.baseUrl.href.replace(/\/$/, "")}${path}`).href);
      }),
      { numRuns: 2_000 },
    );
  });

  it("stays in its segment for any value of a path parameter, or refuses", () => {
    const described = operation({ path: "/a/{id}/b", parameters: [parameter("id", "path")] });
    const values = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.array(fc.constantFrom(...pieces), { maxLength: 6 }).map((chosen) => chosen.join("")),
    );
    fc.assert(
      fc.property(values, (id) => {
        const url = urlOf(() => built({ op: "things", params: { id } }, described).url);
        expect(url?.href ?? "http://127.0.0.1:8088/a/refused/b").toMatch(/^http:\/\/127\.0\.0\.1:8088\/a\/[^/?#]+\/b$/);
      }),
      { numRuns: 2_000 },
    );
  });
});

function urlOf(build: () => string): URL | undefined {
  try {
    return new URL(build());
  } catch (error) {
    expect(error).toMatchObject({ code: "usage" });
    return undefined;
  }
}
