// The splitter against the parser: whatever an array holds and however its bytes are cut, it gives the
// elements that JSON.parse gives.

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { HawserError } from "@hawser/protocol";
import { createArraySplitter } from "../../src/batch/array-splitter.ts";
import { until } from "../../../../test/kit/until.ts";

function split(text: string, chunkBytes = 1_000_000, maxBytes?: number): (string | HawserError)[] {
  const splitter = createArraySplitter(maxBytes);
  const bytes = Buffer.from(text);
  const parts: (Buffer | HawserError)[] = [];
  for (let at = 0; at < bytes.length; at += chunkBytes) parts.push(...splitter.push(bytes.subarray(at, at + chunkBytes)));
  parts.push(...splitter.end());
  return parts.map((part) => (HawserError.isInstance(part) ? part : part.toString()));
}

const shown = (parts: (string | HawserError)[]): string[] => parts.map((part) => (typeof part === "string" ? part : part.code));

describe("createArraySplitter", () => {
  it("gives the elements of any array, at any cut", () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), fc.integer({ min: 1, max: 9 }), fc.constantFrom(0, 2), (values, chunkBytes, indent) => {
        const parts = split(` \n${JSON.stringify(values, null, indent)}\r\n`, chunkBytes);
        expect(parts.map((part) => JSON.parse(part as string) as unknown)).toEqual(JSON.parse(JSON.stringify(values)));
      }),
    );
  });

  it.each<[string, string[]]>([
    ["[]", []],
    ["[ ]", []],
    ["[1,]", ["1", "invalid_json"]],
    ["[,1]", ["invalid_json", "1"]],
    ["[,]", ["invalid_json", "invalid_json"]],
    ['["a]","b\\"]"]', ['"a]"', '"b\\"]"']],
    ['[{"a":[1,2]},nope]', ['{"a":[1,2]}', "nope"]],
    ['[1,{"a":', ["1", "invalid_json"]],
    ["[1] 2", ["1", "invalid_json"]],
    ["[1}", ["1", "invalid_json"]],
  ])("splits %s", (text, expected) => {
    expect(shown(split(text))).toEqual(expected);
  });

  it("G10 passes over an element that is too large, and goes on behind it", () => {
    expect(shown(split(`[1,"${"x".repeat(50)}",2]`, 7, 20))).toEqual(["1", "too_large", "2"]);
  });

  it("G10 an element without an end is not held: 200 MB of one string leave no memory behind", async () => {
    setFlagsFromString("--expose-gc");
    const collectGarbage = runInNewContext("gc") as () => void;
    const splitter = createArraySplitter();
    splitter.push(Buffer.from('["'));
    collectGarbage();
    const before = process.memoryUsage().arrayBuffers;
    for (let megabyte = 0; megabyte < 200; megabyte++) splitter.push(Buffer.alloc(1_000_000, "x"));
    // Memory of buffers is given back a little after they were collected.
    await until(() => {
      collectGarbage();
      return process.memoryUsage().arrayBuffers - before < 20_000_000;
    });
    expect(splitter.push(Buffer.from('"]'))).toMatchObject([{ code: "too_large" }]);
  });
});
