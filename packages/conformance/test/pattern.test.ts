// Patterns: what matches, what does not, and the words for the difference.

import { describe, expect, it } from "vitest";
import { findMismatch, fillIn } from "../src/pattern.ts";

const mismatch = (pattern: unknown, value: unknown, bindings = new Map<string, unknown>()): string | undefined =>
  findMismatch(pattern, value, { bindings, index: 7, text: JSON.stringify(value) });

const cases: readonly [unknown, unknown, string | undefined][] = [
  [{ a: 1 }, { a: 1, b: 2 }, undefined],
  [{ a: 1 }, { a: 2 }, "at a: expected 1, got 2"],
  [{ a: 1 }, {}, "at a: expected 1, got no such member"],
  [{ a: null }, {}, "at a: expected null, got no such member"],
  [{ toString: { $any: true } }, {}, 'at toString: expected {"$any":true}, got no such member'],
  [{ a: { b: [1, { c: 2 }] } }, { a: { b: [1, { c: 2, d: 3 }] } }, undefined],
  [{ a: { b: [1, 2] } }, { a: { b: [1, 3] } }, "at a.b.1: expected 2, got 3"],
  [[1], [1, 2], "expected 1 elements, got [1,2]"],
  [{}, [], "expected an object, got []"],
  [[], {}, "expected an array, got {}"],
  [1, "1", 'expected 1, got "1"'],
  [{ $any: true }, null, undefined],
  [{ a: { $absent: true } }, {}, undefined],
  [{ a: { $absent: true } }, { a: null }, 'at a: expected {"$absent":true}, got null'],
  [{ $type: "null" }, null, undefined],
  [{ $type: "object" }, [], 'expected {"$type":"object"}, got []'],
  [{ $regex: "^.$" }, "💥", undefined],
  [{ $regex: "1" }, 1, 'expected {"$regex":"1"}, got 1'],
  [{ $number: { min: 1, max: 2 } }, 2, undefined],
  [{ $number: { min: 1 } }, 0, 'expected {"$number":{"min":1}}, got 0'],
  [{ $length: 2 }, "💥", undefined],
  [{ $length: { min: 1 } }, [], 'expected {"$length":{"min":1}}, got []'],
  [{ $length: 1 }, { length: 1 }, 'expected {"$length":1}, got {"length":1}'],
  [{ a: { $either: [1, { $absent: true }] } }, {}, undefined],
  [{ a: { $either: [1, { b: 2 }] } }, { a: { b: 2, c: 3 } }, undefined],
  [{ a: { $either: [1, 2] } }, { a: 3 }, 'at a: expected {"$either":[1,2]}, got 3'],
  [{ $some: { a: 1 } }, [{ a: 0 }, { a: 1 }], undefined],
  [{ $some: { a: 1 } }, { a: 1 }, 'expected {"$some":{"a":1}}, got {"a":1}'],
  [{ $type: "integer" }, 3, undefined],
  [{ $type: "integer" }, 3.5, 'expected {"$type":"integer"}, got 3.5'],
  [{ $each: { a: 1 } }, [{ a: 1 }, { a: 1, b: 2 }], undefined],
  [{ x: { $each: { a: 1 } } }, { x: [{ a: 1 }, { a: 2 }] }, "at x.1.a: expected 1, got 2"],
  [{ $each: 1 }, {}, 'expected {"$each":1}, got {}'],
  [
    { $each: { a: { $bind: "x" }, b: { $same: "x" } } },
    [
      { a: 1, b: 1 },
      { a: 2, b: 2 },
    ],
    undefined,
  ],
  [{ $distinct: "id" }, [{ id: 1 }, { id: "1" }, {}], undefined],
  [{ $distinct: "id" }, [{ id: "a" }, { id: "a" }], 'expected {"$distinct":"id"}, got [{"id":"a"},{"id":"a"}]'],
  [{ a: { $optional: { b: 1 } } }, {}, undefined],
  [{ a: { $optional: { b: 1 } } }, { a: { b: 2 } }, "at a.b: expected 1, got 2"],
  [{ a: { $optional: { b: 1 } } }, { a: null }, "at a: expected an object, got null"],
  [{ a: { $nullable: { b: 1 } } }, { a: null }, undefined],
  [{ a: { $nullable: { b: 1 } } }, { a: { b: 2 } }, "at a.b: expected 1, got 2"],
  [{ $not: "a" }, "b", undefined],
  [{ $not: { a: 1 } }, { a: 1, b: 2 }, 'expected {"$not":{"a":1}}, got {"a":1,"b":2}'],
  [{ $cases: { by: "type", of: { text: { text: "x" } } } }, { type: "text", text: "x" }, undefined],
  [{ c: { $cases: { by: "type", of: { text: { text: "x" } } } } }, { c: { type: "text" } }, 'at c.text: expected "x", got no such member'],
  [
    { c: { $cases: { by: "type", of: { text: {}, image: {} } } } },
    { c: { type: "toString" } },
    'at c.type: expected one of text, image, got "toString"',
  ],
  [{ $cases: { by: "v", of: { 1: { a: 1 } }, other: { v: { $type: "integer" } } } }, { v: 1 }, "at a: expected 1, got no such member"],
  [{ $cases: { by: "v", of: { 1: { a: 1 } }, other: { v: { $type: "integer" } } } }, { v: 2 }, undefined],
  [{ $cases: { by: "v", of: { 1: {} }, other: { v: 2 } } }, {}, "at v: expected 2, got no such member"],
  [{ $cases: { by: "type", of: { text: {} } } }, "text", "at type: expected one of text, got no such member"],
  [{ $anywhere: "salt" }, { a: [{ b: "pepper and salt" }] }, undefined],
  [{ $anywhere: "salt" }, { salt: ["pepper", 1, null] }, 'expected {"$anywhere":"salt"}, got {"salt":["pepper",1,null]}'],
  [{ $json: { $equals: [1] } }, " [1]\n", undefined],
  [{ $json: [1] }, "[1", 'expected {"$json":[1]}, got "[1"'],
  [{ $json: { $absent: true } }, 1, undefined],
  [{ $equals: { a: 1 } }, { a: 1 }, undefined],
  [{ $equals: { a: 1 } }, { a: 1, b: 2 }, 'expected {"$equals":{"a":1}}, got {"a":1,"b":2}'],
  [{ $equals: { $any: true } }, { $any: true }, undefined],
  [{ $index: true }, 7, undefined],
  [{ $index: "r" }, "r7", undefined],
  [{ $type: "string", $regex: "b" }, "a", 'expected {"$regex":"b"}, got "a"'],
];

describe("findMismatch", () => {
  it.each(cases)("%j against %j", (pattern, value, expected) => {
    expect(mismatch(pattern, value)).toBe(expected);
  });

  it("binds on a match only, and compares what was bound as a whole", () => {
    const bindings = new Map<string, unknown>();
    expect(mismatch({ a: { $bind: "it" }, b: 1 }, { a: { deep: [1] }, b: 2 }, bindings)).toBeDefined();
    expect(bindings.size).toBe(0);
    expect(mismatch({ a: { $bind: "it" } }, { a: { deep: [1] } }, bindings)).toBeUndefined();
    expect(mismatch({ $same: "it" }, { deep: [1] }, bindings)).toBeUndefined();
    expect(mismatch({ $same: "it" }, { deep: [1], more: 1 }, bindings)).toBeDefined();
    expect(mismatch({ $same: "unbound" }, 1, bindings)).toBeDefined();
  });

  it("keeps of several alternatives only what the matching one bound", () => {
    const bindings = new Map<string, unknown>();
    const pattern = { $either: [{ a: { $bind: "a" }, b: 1 }, { b: { $bind: "b" } }] };
    expect(mismatch(pattern, { a: "no", b: 2 }, bindings)).toBeUndefined();
    expect([...bindings]).toEqual([["b", 2]]);
  });

  it("forgets what is bound in the elements of an array", () => {
    const bindings = new Map<string, unknown>();
    expect(mismatch({ $each: { a: { $bind: "a" } } }, [{ a: 1 }], bindings)).toBeUndefined();
    expect(bindings.size).toBe(0);
  });

  it("G6: compares the source of a member to the letter", () => {
    const text = '{"id":9007199254740993}';
    const context = { bindings: new Map<string, unknown>(), index: 0, text };
    expect(findMismatch({ id: { $source: "9007199254740993" } }, JSON.parse(text), context)).toBeUndefined();
    expect(findMismatch({ id: { $either: [1, { $source: "9007199254740993" }] } }, JSON.parse(text), context)).toBeUndefined();
    expect(findMismatch({ id: { $source: "9007199254740992" } }, JSON.parse(text), context)).toBeDefined();
  });

  it("cuts what it shows and lets no control character through", () => {
    const words = mismatch("x", `\u001b[2J\u202e${"y".repeat(5_000)}`) ?? "";
    expect(words.length).toBeLessThan(400);
    expect(words).not.toMatch(/[\u001b\u202e]/);
  });
});

describe("fillIn", () => {
  it("replaces what is known only while a scenario runs, and nothing else", () => {
    const bindings = new Map<string, unknown>([["a", { b: 1 }]]);
    const value = { x: { $same: "a" }, y: [{ $index: true }, { $index: "n" }], z: { $other: 1 }, same: { $same: "a", more: 1 } };
    expect(fillIn(value, { bindings, index: 3 })).toEqual({ x: { b: 1 }, y: [3, "n3"], z: { $other: 1 }, same: { $same: "a", more: 1 } });
  });

  it("keeps a member called __proto__", () => {
    const filled = fillIn(JSON.parse('{"__proto__":1}'), { bindings: new Map(), index: 0 });
    expect(JSON.stringify(filled)).toBe('{"__proto__":1}');
  });
});
