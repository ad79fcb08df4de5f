// What a protocol definition takes, keeps and refuses, and how it names what is wrong.

import * as v from "valibot";
import { expect, it } from "vitest";
import { defineProtocol } from "../src/define-protocol.ts";
import { echoProtocol } from "../src/echo.ts";

const nested = defineProtocol({
  name: "nested",
  version: "1.0.0",
  summary: "For this test.",
  conversation: ["Made for a test."],
  requests: {
    tag: "op",
    messages: {
      list: {
        summary: "A list of points.",
        schema: v.looseObject({ op: v.literal("list"), points: v.array(v.looseObject({ x: v.number() })) }),
        examples: [{ op: "list", points: [{ x: 1 }] }],
      },
    },
  },
  responses: {
    tag: "type",
    messages: { ok: { summary: "Fine.", schema: v.looseObject({ type: v.literal("ok") }), examples: [{ type: "ok" }] } },
  },
});

it("R147 a bad field is refused with its path, in the text and as a fact", () => {
  expect(() => nested.parseRequest({ op: "list", points: [{ x: 1 }, { x: "2" }] })).toThrow(
    expect.objectContaining({
      code: "invalid_message",
      facts: { path: "points.1.x" },
      message: expect.stringMatching(/^"points\.1\.x": /),
    }),
  );
  expect(() => echoProtocol.parseRequest({ kind: "status" })).toThrow(expect.objectContaining({ facts: { path: "id" } }));
  expect(() => echoProtocol.parseRequest({ id: "1", kind: "sleep", ms: -1 })).toThrow(expect.objectContaining({ facts: { path: "ms" } }));
});

it("R106 fields that it does not know are kept, at every level", () => {
  const message = { op: "list", points: [{ x: 1, label: "a" }], added: { later: [true] } };
  expect(nested.parseRequest(message)).toEqual(message);
});

it.each([null, [], "x", 1, true, undefined])("WIR-07 %j is no message", (value) => {
  expect(() => nested.parseRequest(value)).toThrow(
    expect.objectContaining({ code: "invalid_message", message: "a message is a JSON object" }),
  );
});

it.each(["zzz", "List", " list", "__proto__", "constructor", "toString", "hasOwnProperty", ""])(
  "R133 the name %j is unknown, and the known ones are told",
  (op) => {
    expect(() => nested.parseRequest({ op })).toThrow(
      expect.objectContaining({ code: "unknown_method", message: `unknown op "${op}"; known are: list` }),
    );
  },
);

it("an own member called __proto__ names no message and changes nothing", () => {
  const value: unknown = JSON.parse('{"__proto__":{"op":"list","points":[]}}');
  expect(() => nested.parseRequest(value)).toThrow(
    expect.objectContaining({ code: "invalid_message", message: '"op" must be one of: list' }),
  );
  const kept = nested.parseRequest(JSON.parse('{"op":"list","points":[],"__proto__":{"polluted":1}}'));
  expect((kept as unknown as { polluted?: number }).polluted).toBeUndefined();
  expect(({} as { polluted?: number }).polluted).toBeUndefined();
});

it.each([1, null, {}, [], true, undefined])("a name that is %j is asked to be one of the known", (op) => {
  expect(() => nested.parseRequest({ op })).toThrow(
    expect.objectContaining({ code: "invalid_message", message: '"op" must be one of: list' }),
  );
});

it("the error text stays short, however long the name or the refused value is", () => {
  const long = "x".repeat(1_000_000);
  for (const request of [{ op: long }, { op: "list", points: long }, { op: "list", points: [{ x: long }] }]) {
    expect(() => nested.parseRequest(request)).toThrow(
      expect.objectContaining({ message: expect.toSatisfy((text: string) => text.length < 2_100) }),
    );
  }
});

it("requests and responses are told apart", () => {
  expect(nested.parseResponse({ type: "ok" })).toEqual({ type: "ok" });
  expect(() => nested.parseResponse({ op: "list", points: [] })).toThrow(expect.objectContaining({ code: "invalid_message" }));
  expect(() => nested.parseRequest({ type: "ok" })).toThrow(expect.objectContaining({ code: "invalid_message" }));
});

it("every example of the echo protocol is a message of its own definition", () => {
  for (const [parse, { messages }] of [
    [echoProtocol.parseRequest, echoProtocol.definition.requests],
    [echoProtocol.parseResponse, echoProtocol.definition.responses],
  ] as const) {
    for (const { examples } of Object.values(messages)) for (const example of examples) expect(parse(example)).toEqual(example);
  }
});
