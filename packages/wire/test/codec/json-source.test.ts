// The source of a member: to the letter in a whole text, as far as possible in a broken one, and
// never anything that would break the answer it is put into.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { memberSource, withIdSource } from "../../src/codec/json-source.ts";
import { JsonText, toJsonText } from "../../src/codec/json-text.ts";
import { ndjson } from "../../src/codec/ndjson.ts";
import { asRefused, decodeAll } from "../framing.ts";

const idSources = [
  "9007199254740992", // 2^53
  "-9007199254740992",
  "9007199254740993",
  "1e400",
  "1.5",
  "1.0",
  "-0",
  "0",
  "1E+2",
  '""',
  '" "',
  '"💥"',
  '"\\u0041\\/\\ud83d\\udca5"',
  "null",
  "true",
  "false",
  "{}",
  "[]",
  '{"a" : [1, "]", {"b":"}"}]}',
  '[ "\\"", "\\\\" ]',
  `"${"x".repeat(1_048_576)}"`,
];

describe("a whole text", () => {
  it.each(idSources.map((source) => [source.length > 40 ? `${source.slice(0, 20)}… (1 MB)` : source, source]))(
    "WIR-10 G6 the id %s is found and put into an answer byte for byte",
    (_, source) => {
      for (const text of [`{"id":${source},"op":"x"}`, `{"op":"x","id":${source}}`, ` {\t"op" : [1] ,\r\n "id"\n:\n ${source} } `]) {
        expect(memberSource(text, "id")).toBe(source);
      }
      expect(toJsonText(withIdSource(source, { ok: true }))).toBe(`{"id":${source},"ok":true}`);
    },
  );

  it("WIR-12 the last of several wins, as it does in the value", () => {
    const text = '{"id":1,"a":{"id":2},"id":3.0,"\\u0069d":4e0}';
    expect(memberSource(text, "id")).toBe("4e0");
    expect((JSON.parse(text) as { id: number }).id).toBe(4);
  });

  it("an escaped name is the same name; a name with the same letters in it is not", () => {
    expect(memberSource('{"\\u0069\\u0064":7}', "id")).toBe("7");
    expect(memberSource('{"xid":1,"ID":2,"id ":3,"":4}', "id")).toBeUndefined();
    expect(memberSource('{"a\\"id":1}', "id")).toBeUndefined();
    expect(memberSource('{"":4}', "")).toBe("4");
    expect(memberSource('{"__proto__":5}', "__proto__")).toBe("5");
  });

  it("an id further in, or inside a string, is not taken", () => {
    expect(memberSource('{"a":{"id":1},"b":[{"id":2}],"c":"\\",\\"id\\":3"}', "id")).toBeUndefined();
    expect(memberSource('[{"id":1}]', "id")).toBeUndefined();
  });

  it.each(["", "   ", "1", '"id"', "null", "[]", "{}"])("there is none in %j", (text) => {
    expect(memberSource(text, "id")).toBeUndefined();
  });

  it("finds the source of every member that JSON.parse finds, for any object", () => {
    const anyObject = fc.dictionary(fc.string({ unit: "binary", maxLength: 5 }), fc.jsonValue({ stringUnit: "binary" }), { maxKeys: 6 });
    const run = fc.property(anyObject, fc.constantFrom(undefined, 1, "\t"), (value, indent) => {
      const text = JSON.stringify(value, null, indent);
      const parsed = JSON.parse(text) as Record<string, unknown>;
      for (const name of Object.keys(parsed)) {
        expect(JSON.parse(memberSource(text, name) ?? "missing")).toEqual(parsed[name]);
      }
    });
    fc.assert(run, { numRuns: 150 });
  });
});

describe("a broken text", () => {
  it.each([
    ['{"id":"a","b":', '"a"'],
    ['{"id":"a","b', '"a"'],
    ['{"id":"a"', '"a"'],
    ['{"id":12,"b":}', "12"],
    ['{"id":12 "b":1}', "12"],
    ['{"id":{"x":[1,2]},,', '{"x":[1,2]}'],
    ['{"b":1,"id":true,nonsense', "true"],
    ['{"id":1,"id":', "1"],
  ])("H40 the id of %s is %s", (text, source) => {
    expect(memberSource(text, "id")).toBe(source);
  });

  it.each([
    '{"id":12',
    '{"id":"a',
    '{"id":tru',
    '{"id":[1,2',
    '{"id":{"a":"}',
    '{"id"',
    '{"id":',
    '{"i',
    "{",
    '{"id":-',
    '{"id":01,',
    '{"id":+1,',
    '{"id":nul,',
  ])("an id that is cut off or no value is not guessed: %s", (text) => {
    expect(memberSource(text, "id")).toBeUndefined();
  });

  it.each([
    '{"id":"a\tb",',
    '{"id":"a\u0000b",',
    '{"id":"\\x41",',
    '{"id":"\\u12",',
    '{"id":{a:b},',
    '{"id":[1 2],',
    '{"id":[1}],',
    '{"id":"\\ud800",',
    '{"id":["\\udc00"],',
  ])("G5 an id that no strict reader would take is not returned: %j", (text) => {
    expect(memberSource(text, "id")).toBeUndefined();
  });

  it("an id nested too deeply to be sent is not returned", () => {
    expect(memberSource(`{"id":${"[".repeat(129)}${"]".repeat(129)},`, "id")).toBeUndefined();
  });

  it("whatever the text, the answer with its id is JSON again", () => {
    const pieces = [
      '{"id":',
      '"id"',
      ":",
      ",",
      "{",
      "}",
      "[",
      "]",
      '"',
      "\\",
      "\\u",
      "d800",
      "1",
      "-",
      "e5",
      "true",
      "nul",
      " ",
      "\n",
      "\u0001",
      "é",
      "💥",
    ];
    const run = fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 25 }), (parts) => {
      for (const text of [parts.join(""), `{"id":${parts.join("")}`]) {
        const answer = ndjson.encode(withIdSource(memberSource(text, "id"), { type: "error" })).toString();
        expect(JSON.parse(answer)).toMatchObject({ type: "error" });
        expect(answer.indexOf("\n")).toBe(answer.length - 1);
      }
    });
    fc.assert(run, { numRuns: 600 });
  });

  it("G1 the head of a refused line is enough to find a leading id", () => {
    const tooLong = Buffer.from(`{"id":"a-1","text":"${"x".repeat(10_485_760)}"}\n`);
    const tooDeep = Buffer.from(`{"id":"a-1","deep":${"[".repeat(5_000)}\n`);
    const notUtf8 = Buffer.concat([Buffer.from('{"id":"a-1","b":"'), Buffer.from([0xff]), Buffer.from('"}\n')]);
    for (const bytes of [tooLong, tooDeep, notUtf8]) {
      expect(memberSource(asRefused(decodeAll(ndjson, [bytes])[0]).head, "id")).toBe('"a-1"');
    }
  });
});

describe("an answer", () => {
  it("without an id is sent as it is, and with one has it first", () => {
    expect(withIdSource(undefined, { a: 1 })).toEqual({ a: 1 });
    expect(withIdSource("1", {})).toEqual(new JsonText('{"id":1}'));
    expect(toJsonText(withIdSource("[1, 2]", { a: "é", b: undefined, c: null }))).toBe('{"id":[1, 2],"a":"é","c":null}');
  });
});
