// The id of a line as its source says, also where a short look is enough.

import { ndjson } from "@hawser/wire/node";
import { describe, expect, it } from "vitest";
import type { Incoming } from "@hawser/wire";
import { readId } from "../../src/rpc/request.ts";

const lineOf = (text: string): Incoming => ndjson.createDecoder({}).push(Buffer.from(`${text}\n`))[0] as Incoming;

describe("R80: the id of a request", () => {
  it.each([
    ['{"id":7,"op":"hello"}', "7"],
    ['{"id":0,"op":"hello"}', "0"],
    ['{"id":-0,"op":"hello"}', "-0"],
    ['{"id":7.0,"op":"hello"}', "7.0"],
    ['{"id":7e0,"op":"hello"}', "7e0"],
    ['{"id":9007199254740993,"op":"hello"}', "9007199254740993"],
    ['{"id":1e400,"op":"hello"}', "1e400"],
    ['{ "id":7,"op":"hello"}', "7"],
    ['{"id" : 7 ,"op":"hello"}', "7"],
    ['{"op":"hello","id":7}', "7"],
    ['{"id":7}', "7"],
    ['{"id":7,"op":"hello","id":7.0}', "7.0"],
    ['{"id":7,"op":"hello","\\u0069d":7.00}', "7.00"],
    ['{"id":7,"op":"cancel","args":{"id":8}}', "7"],
    ['{"args":{"id":8},"op":"hello"}', undefined],
    ['{"id":null,"op":"hello"}', undefined],
  ])("%s is echoed as it is written", (text, source) => {
    expect(readId(lineOf(text))).toBe(source);
  });
});
