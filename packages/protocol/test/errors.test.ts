// Whatever is thrown becomes a line of text and one of our errors, and neither attempt throws itself.

import { describe, expect, it } from "vitest";
import { describeThrown, HawserError, quoteShort, toHawserError } from "../src/errors.ts";

const unreadable = "thrown value that can't be described";

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

const throwing = (): never => {
  throw new Error("gotcha");
};

const hostile: readonly [string, unknown, string][] = [
  ["an error", new Error("no boats"), "no boats"],
  ["an error without a message", new TypeError(""), "TypeError"],
  ["an error without any text", Object.assign(new Error(""), { name: "" }), "error without a message"],
  ["an error whose message is a number", Object.assign(new Error("x"), { message: 5 }), "5"],
  ["an error whose message is an object", Object.assign(new Error("x"), { message: { a: 1 } }), "[object Object]"],
  ["an error whose message can't be a text", Object.assign(new Error("x"), { message: { toString: () => ({}) } }), unreadable],
  ["an error whose message throws", Object.defineProperty(new Error("x"), "message", { get: throwing }), unreadable],
  ["a text", "plain", "plain"],
  ["null", null, "thrown value: null"],
  ["a symbol", Symbol("s"), "thrown value: Symbol(s)"],
  ["an object without a prototype", Object.create(null), unreadable],
  ["an object whose toString gives an object", { toString: () => ({}) }, unreadable],
  ["an object whose toString throws", { toString: throwing }, unreadable],
  ["a revoked proxy", revoked(), unreadable],
  ["a proxy that throws at everything", new Proxy({}, { get: throwing, has: throwing, getPrototypeOf: throwing }), unreadable],
];

describe("H43 anything that was thrown", () => {
  it.each(hostile)("is described in a text: %s", (_, value, text) => {
    expect(describeThrown(value)).toBe(text);
  });

  it.each(hostile)("becomes one of our errors: %s", (_, value, text) => {
    const error = toHawserError(value);
    expect([error instanceof HawserError, error.code, error.message]).toEqual([true, "internal", text]);
  });

  it("is taken for one of ours only when it bears our mark, not when it claims to have everything", () => {
    expect(HawserError.isInstance(new Proxy({}, { has: () => true }))).toBe(false);
    expect(toHawserError(new HawserError("closed", "over")).code).toBe("closed");
  });
});

describe("what somebody else wrote", () => {
  it("is quoted in a message on one line, and shortened", () => {
    expect(quoteShort('a "b"\n', 10)).toBe(String.raw`"a \"b\"\n"`);
    expect(quoteShort("x".repeat(11), 10)).toBe(`"${"x".repeat(9)}…"`);
  });
});
