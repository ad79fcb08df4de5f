// What functions return, as a table: strings are text, content and whole results pass, everything else
// is its JSON text, and objects are structured content too.

import { describe, expect, it } from "vitest";
import { toToolResult } from "../src/parent/tool-result.ts";

const text = (value: string): object => ({ content: [{ type: "text", text: value }] });
const image = { type: "image", data: "AA==", mimeType: "image/png" };
const nested = (levels: number): Record<string, unknown> =>
  JSON.parse(`${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`) as Record<string, unknown>;

const table: [string, unknown, object][] = [
  ["R21 H8 nothing", undefined, text("")],
  ["H8 a text", "a\nb", text("a\nb")],
  ["H8 an empty text", "", text("")],
  ["a text that is JSON", '{"a":1}', text('{"a":1}')],
  ["a number", 4.5, text("4.5")],
  ["zero", 0, text("0")],
  ["a number that is none", NaN, text("null")],
  ["true", true, text("true")],
  ["false", false, text("false")],
  ["null", null, text("null")],
  ["R21 H8 an empty list", [], text("")],
  ["a list of values", [1, "a", null], text('[1,"a",null]')],
  ["H9 a list of rows with a `type` column", [{ type: "invoice", total: 3 }], text('[{"type":"invoice","total":3}]')],
  ["H9 rows whose type is called as a block", [{ type: "text", value: 3 }], text('[{"type":"text","value":3}]')],
  ["H9 rows whose type is a name of the prototype", [{ type: "constructor" }], text('[{"type":"constructor"}]')],
  ["H9 rows whose text is a number", [{ type: "text", text: 3 }], text('[{"type":"text","text":3}]')],
  ["H9 content and rows mixed", [image, { type: "row" }], text(JSON.stringify([image, { type: "row" }]))],
  ["an object", { a: [1] }, { ...text('{"a":[1]}'), structuredContent: { a: [1] } }],
  ["an empty object", {}, { ...text("{}"), structuredContent: {} }],
  ["a date", new Date(0), text('"1970-01-01T00:00:00.000Z"')],
  ["an object that prints as a list", { toJSON: () => [1] }, text("[1]")],
  ["an object that prints as an object", { toJSON: () => ({ b: 2 }), a: 1 }, { ...text('{"b":2}'), structuredContent: { b: 2 } }],
  ["an object with members that JSON leaves out", { a: undefined, f: () => 1, b: 2 }, { ...text('{"b":2}'), structuredContent: { b: 2 } }],
  ["an object with a `content` that isn't a list", { content: "x" }, { ...text('{"content":"x"}'), structuredContent: { content: "x" } }],
  [
    "R23 an object whose content only looks like blocks",
    { content: [{ type: "text", value: 1 }] },
    { ...text('{"content":[{"type":"text","value":1}]}'), structuredContent: { content: [{ type: "text", value: 1 }] } },
  ],
  ["H9 content blocks", [{ type: "text", text: "a" }, image], { content: [{ type: "text", text: "a" }, image] }],
  [
    "H9 an embedded resource and a link",
    [
      { type: "resource", resource: { uri: "a:b" } },
      { type: "resource_link", uri: "a:b", name: "n" },
    ],
    {
      content: [
        { type: "resource", resource: { uri: "a:b" } },
        { type: "resource_link", uri: "a:b", name: "n" },
      ],
    },
  ],
  [
    "a whole result",
    { content: [image], structuredContent: { n: 1 }, _meta: { m: 1 } },
    { content: [image], structuredContent: { n: 1 }, _meta: { m: 1 } },
  ],
  [
    "R22 O2 a whole result that is an error",
    { content: [{ type: "text", text: "no" }], isError: true },
    { content: [{ type: "text", text: "no" }], isError: true },
  ],
  ["R21 H8 O5 a whole result without blocks", { content: [], isError: true, extra: 1 }, { ...text(""), isError: true, extra: 1 }],
  [
    "BRG-04 a whole result with a block of a later time",
    { content: [{ type: "hologram", x: 1 }] },
    { content: [{ type: "hologram", x: 1 }] },
  ],
  ["G14 an object of 123 levels", nested(123), { ...text(JSON.stringify(nested(123))), structuredContent: nested(123) }],
  ["G14 an object of 124 levels", nested(124), text(JSON.stringify(nested(124)))],
  [
    "an object full of brackets in strings",
    { a: "[".repeat(500) },
    { ...text(`{"a":"${"[".repeat(500)}"}`), structuredContent: { a: "[".repeat(500) } },
  ],
];

describe("R20 H8 H9 toToolResult", () => {
  it.each(table)("%s", (_, value, expected) => {
    expect(toToolResult("t", value)).toEqual(expected);
  });

  it("structured content is a copy: the program may go on changing its object", () => {
    const value = { list: [1] };
    const { structuredContent } = toToolResult("t", value);
    value.list.push(2);
    expect(structuredContent).toEqual({ list: [1] });
  });
});
