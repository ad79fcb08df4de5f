// Numbers that JavaScript can't hold: which ones they are, where they stand, and how they are passed on.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { processorTimeOf } from "../../../test/kit/processor-time.ts";
import { describeAltered, findAlteredNumber, isKeptNumber, keepNumbers, searchAlteredNumber } from "../src/internal.ts";

const find = (text: string, under?: readonly string[]) => {
  const value: unknown = JSON.parse(text);
  const at = (under ?? []).reduce<unknown>((whole, key) => (whole as Record<string, unknown>)[key], value);
  return findAlteredNumber(at, text, under);
};
const kept = (text: string): string => JSON.stringify(keepNumbers(JSON.parse(text), text));

const altered = [
  ...["9007199254740993", "-9007199254740993", "12345678901234567890", "18446744073709551616", "9007199254740993.0"],
  ...["9007199254740993e0", "9007199254740.993e3", "1e400", "-1E+400", "1e-400", "1.5e-999999999999", "100000000000000000001"],
  `1${"0".repeat(400)}`,
  `0.${"0".repeat(400)}1`,
];
const exact = [
  ...["0", "-0", "0.0", "0e5", "-0.0e-9", "1", "0.1", "1.10", "1e2", "1E2", "-1.5e-3", "9007199254740991", "9007199254740992"],
  ...["9007199254740994", "1e23", "100000000000000000000000", "1.7976931348623157e308", "5e-324", "1e21", "123456789012345680000"],
  // Rounded by every reader, and never by a whole number.
  ...["0.1234567890123456789", "3.14159265358979323846", "0.10000000000000001", "9007199254740993.5"],
];

describe("G5 a number that JavaScript alters", () => {
  it.each(altered)("is %s, and it is kept as it was written", (source) => {
    expect(find(source)).toEqual({ pointer: "", source });
    expect(kept(source)).toBe(source);
    expect(isKeptNumber(keepNumbers(JSON.parse(source), source))).toBe(true);
  });

  it.each(exact)("is not %s", (source) => {
    expect(find(source)).toBeUndefined();
    expect(find(`{"a":[0,${source}]}`)).toBeUndefined();
  });

  it.each(["-0", "-0.0", "-0e5"])("is not %s, which is kept as it was written all the same", (source) => {
    expect(find(source)).toBeUndefined();
    expect(kept(`{"a":[0,${source}]}`)).toBe(`{"a":[0,${source}]}`);
  });

  it("is none of the numbers that a program writes, and every whole number that it can't", () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(find(JSON.stringify(value))).toBeUndefined();
      }),
    );
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 80n), max: 2n ** 80n }), (value) => {
        const [text, written] = [String(value), JSON.stringify(Number(value))];
        // As a number of any length: 1e+21 is one with 22 digits.
        const isSame = BigInt(Number(written).toLocaleString("fullwide", { useGrouping: false })) === value;
        expect(find(text) === undefined).toBe(isSame);
      }),
    );
  });

  it("is named by its place, wherever it stands, and only below the place that was asked about", () => {
    const text = String.raw`{"id":9007199254740993,"a\"~/":[{"x":"1e400 \\"},[0,"]",1e400]],"é\u0061":{"":1e-400}}`;
    expect(find(text)).toEqual({ pointer: "/id", source: "9007199254740993" });
    expect(find(text, ['a"~/'])).toEqual({ pointer: "/1/2", source: "1e400" });
    expect(find(text, ["éa"])).toEqual({ pointer: "/", source: "1e-400" });
    expect(find(String.raw`{"a":{"b~/":[[1,{"c":1e400}]]}}`)).toEqual({ pointer: "/a/b~0~1/0/1/c", source: "1e400" });
    expect(find('{"a":0,"b":{"c":0,"d":1e400},"e":[]}', ["e"])).toBeUndefined();
    expect(find('{"b":1e400,"a":{"c":0}}', ["a"])).toBeUndefined();
  });

  it("is kept in place, beside everything else, also under odd names and where a name comes twice", () => {
    const text = '{"a":[9007199254740993,{"__proto__":1e400,"x":[0,-1e-400]}],"b":"1e400","c":12}';
    expect(kept(text)).toBe(text);
    expect(kept('{"a":1e400,"a":2,"b":{"c":1e400},"b":0}')).toBe('{"a":2,"b":0}');
    const value = { list: [1] };
    expect(keepNumbers(value, '{"list":[1]}')).toBe(value);
  });

  it("is told with what would become of it", () => {
    expect(describeAltered("9007199254740993")).toBe(
      "9007199254740993 would become 9007199254740992 as a JavaScript number; send it as a string",
    );
    expect(describeAltered("1e400")).toBe("1e400 is too large for a JavaScript number; send it as a string");
    expect(describeAltered("9".repeat(1_000)).length).toBeLessThan(120);
  });

  it("SEC-05: is looked for in short steps, more of them the more there is to look at", () => {
    /** How many steps it takes, and what is found in the end. */
    const search = (text: string) => {
      const steps = searchAlteredNumber(text);
      for (let count = 1; ; count++) {
        const { value, done } = steps.next();
        if (done) return { count, value };
      }
    };
    const long = (numbers: number, last: string): string => `[${"9007199254740994.0,".repeat(numbers)}${last}]`;
    // A step looks at no more than 250 numbers that need it, or at 65,536 characters.
    expect(search(long(100_000, "0")).count).toBeGreaterThan(400);
    expect(search(`[${"0.25,".repeat(200_000)}0]`).count).toBeGreaterThan(15);
    expect(search(long(1_000, "1e400"))).toEqual({ count: 5, value: { pointer: "/1000", source: "1e400" } });
    expect(search(`[${"0,".repeat(100)}0]`)).toEqual({ count: 1, value: undefined });
  });

  it("takes no longer to find than the text is long", () => {
    const digits = `1${"0".repeat(2_000_000)}1`;
    const milliseconds = processorTimeOf(() => {
      expect(find(digits)?.source).toBe(digits);
      expect(find(`[${"0,".repeat(500_000)}0]`)).toBeUndefined();
    });
    expect(milliseconds).toBeLessThan(2_000);
  });
});
