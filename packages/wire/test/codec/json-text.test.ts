// Depth on both sides of its limit, half surrogate pairs in and out, and what has no JSON text.

import { describe, expect, it } from "vitest";
import { exceedsDepth, JsonText, parseJsonText, toJsonText } from "../../src/codec/json-text.ts";
import { wireLimits } from "../../src/limits.ts";

const nested = (depth: number, inside = ""): string => `${"[".repeat(depth)}${inside}${"]".repeat(depth)}`;
const nestedObjects = (depth: number): string => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;

function deepValue(depth: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level++) value = level % 2 ? [value] : { value };
  return value;
}

describe("reading", () => {
  it("G14 takes 128 levels and refuses 129, of lists, of objects and mixed", () => {
    expect(wireLimits.maxReadDepth).toBe(128);
    for (const make of [nested, nestedObjects, (depth: number) => JSON.stringify(deepValue(depth))]) {
      expect(parseJsonText(make(128))).toBeTypeOf("object");
      expect(() => parseJsonText(make(129))).toThrow(expect.objectContaining({ code: "too_deep", facts: { maxDepth: 128 } }));
    }
  });

  it("G14 counts the outermost object as level 1", () => {
    expect(parseJsonText(`{"id":1,"args":${nested(127)}}`)).toBeTypeOf("object");
    expect(() => parseJsonText(`{"id":1,"args":${nested(128)}}`)).toThrow(expect.objectContaining({ code: "too_deep" }));
  });

  it("G14 passes strings that merely hold brackets, escaped quotes and backslashes among them", () => {
    for (const inside of [
      "[".repeat(500),
      "{[".repeat(500),
      '\\"['.repeat(200),
      "\\\\".repeat(300),
      `${"\\\\".repeat(3)}\\"${"[".repeat(300)}`,
    ]) {
      const text = `[${nested(100, `"${inside}"`)},"${inside}"]`;
      expect(parseJsonText(text)).toEqual(JSON.parse(text));
    }
  });

  it("G14 does not count what was closed: many shallow values are not deep", () => {
    expect(parseJsonText(`[${"[[]],".repeat(1_000)}1]`)).toHaveLength(1_001);
  });

  it("G14 refuses a megabyte of opening brackets without parsing it", () => {
    expect(() => parseJsonText("[".repeat(1_048_576))).toThrow(expect.objectContaining({ code: "too_deep" }));
    expect(() => parseJsonText('{"a":'.repeat(200_000))).toThrow(expect.objectContaining({ code: "too_deep" }));
  });

  it("tells a depth that is exceeded from one that is reached", () => {
    expect([exceedsDepth("[[[]]]", 2), exceedsDepth("[[[]]]", 3)]).toEqual([true, false]);
  });

  it.each(['"\\ud800"', '"\\uDBFF x"', '"\\udc00"', '"\\udc00\\ud800"', '"\\ud83d\\ud83d\\udca5"', '{"\\uDFAA":0}', '"\\\\\\ud800"'])(
    "G5 refuses the half surrogate pair in %s",
    (text) => {
      expect(() => parseJsonText(text)).toThrow(expect.objectContaining({ code: "invalid_utf8" }));
    },
  );

  it.each(['"\\ud83d\\udca5"', '"\\uD83D\\uDCA5"', '"\\\\ud800"', '"\\\\\\\\udc00"', '"\\ud7ff\\ue000"', '"\\uDbFf\\uDfFf"'])(
    "G5 takes %s, which is well-formed",
    (text) => {
      expect(parseJsonText(text)).toBe(JSON.parse(text));
    },
  );

  it("says what to send instead of broken JSON, and keeps the cause", () => {
    const error = catchError(() => parseJsonText("{'a':1}"));
    expect(error).toMatchObject({ code: "invalid_json", message: "not valid JSON; send one complete JSON value per message" });
    expect(error.cause).toBeInstanceOf(SyntaxError);
  });
});

describe("writing", () => {
  it("G14 writes 127 levels and refuses 128", () => {
    expect(wireLimits.maxWriteDepth).toBe(127);
    expect(toJsonText(deepValue(127))).toBe(JSON.stringify(deepValue(127)));
    expect(() => toJsonText(deepValue(128))).toThrow(expect.objectContaining({ code: "too_deep", facts: { maxDepth: 127 } }));
    expect(() => toJsonText(new JsonText(nested(128)))).toThrow(expect.objectContaining({ code: "too_deep" }));
  });

  it("G5 replaces half surrogate pairs by U+FFFD, in values and in names, and keeps whole ones", () => {
    expect(toJsonText("a\ud800b")).toBe('"a\\ufffdb"');
    expect(toJsonText({ "\udfff": "\ud83d\udca5\ud83d" })).toBe('{"\\ufffd":"💥\\ufffd"}');
    expect(toJsonText("\\ud800")).toBe('"\\\\ud800"');
  });

  it("H38 escapes U+2028 and U+2029 everywhere, also in text that is sent as it is", () => {
    expect(toJsonText({ "a\u2028": "\u2029" })).toBe('{"a\\u2028":"\\u2029"}');
    expect(toJsonText(new JsonText('"\u2028"'))).toBe('"\\u2028"');
  });

  it.each([
    ["undefined", undefined],
    ["a function", () => 1],
    ["a symbol", Symbol("s")],
    ["a BigInt", 1n],
    [
      "a throwing toJSON",
      {
        toJSON: () => {
          throw new Error("no");
        },
      },
    ],
  ])("refuses %s as not serializable", (_, value) => {
    expect(() => toJsonText(value)).toThrow(expect.objectContaining({ code: "not_serializable" }));
  });

  it("refuses circular values and values that overflow the stack, without crashing", () => {
    const circle: Record<string, unknown> = {};
    circle["self"] = circle;
    expect(() => toJsonText(circle)).toThrow(expect.objectContaining({ code: "not_serializable" }));
    expect(() => toJsonText(deepValue(200_000))).toThrow(expect.objectContaining({ name: "HawserError" }));
  });
});

function catchError(action: () => unknown): Error {
  try {
    action();
  } catch (error) {
    return error as Error;
  }
  throw new Error("nothing was thrown");
}
