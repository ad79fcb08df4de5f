// The calculator of the offline model: right answers, plain refusals, and no way to make it work long.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { calculate, formatNumber, isArithmetic } from "../../src/offline/arithmetic.ts";

describe("offline: arithmetic", () => {
  it.each([
    ["12 * 34", 408],
    ["1 + 2 * 3", 7],
    ["(1 + 2) * 3", 9],
    ["10 - 4 - 3", 3],
    ["2 ^ 3 ^ 2", 512],
    ["-2 ^ 2", -4],
    ["2 ^ -1", 0.5],
    ["7 % 4", 3],
    [".5 * 4", 2],
    ["- - 3 + 1", 4],
    ["7 times 6", 42],
    ["3 x 4", 12],
    ["9 divided by 3 plus 1", 4],
    ["5 squared", 25],
    ["2 to the power of 8", 256],
    ["6 × 7 ÷ 2", 21],
    ["12*34 =", 408],
  ])("%s is %d", (expression, value) => {
    expect(calculate(expression)).toEqual({ ok: true, value });
  });

  it.each([
    ["1 / 0", "nothing can be divided by zero"],
    ["1 % (2 - 2)", "nothing can be divided by zero"],
    ["1 +", "it ends too early"],
    ["(1 + 2", "a parenthesis is not closed"],
    ["1 + 2)", "`)` is not expected there"],
    ["* 2", "a number is missing before `*`"],
    ["2 3 + 1", "`3` is not expected there"],
    ["10 ^ 1000", "the result is not a number that I can hold"],
    [`${"(".repeat(200)}1${")".repeat(200)}`, "it is nested more than 100 times"],
  ])("%s is refused, and it says why", (expression, problem) => {
    expect(calculate(expression)).toEqual({ ok: false, problem });
  });

  it.each(["", "5", "hello", "2 apples + 3", "process.exit()", "constructor + 1", "1 + __proto__", `1${"+1".repeat(600)}`])(
    "%s is not taken for arithmetic",
    (text) => {
      expect(isArithmetic(text)).toBe(false);
    },
  );

  it("agrees with JavaScript on sums and products of random numbers", () => {
    const operator = fc.constantFrom("+", "-", "*");
    fc.assert(
      fc.property(fc.array(fc.tuple(operator, fc.integer({ min: 0, max: 999 })), { minLength: 1, maxLength: 12 }), (rest) => {
        const expression = `1${rest.map(([sign, number]) => ` ${sign} ${number}`).join("")}`;
        // Terms of products, added with their signs: a second way to the same number.
        const terms = expression.replaceAll(" ", "").replaceAll("-", "+-").split("+");
        const expected = terms.reduce((sum, term) => sum + term.split("*").reduce((product, factor) => product * Number(factor), 1), 0);
        expect(calculate(expression)).toEqual({ ok: true, value: expected });
      }),
    );
  });

  it("writes numbers without the noise of binary fractions, and says when a large one is rounded", () => {
    expect([0.1 + 0.2, 1 / 3, 408, -4, 2 ** 100].map(formatNumber)).toEqual([
      "0.3",
      "0.333333333333333",
      "408",
      "-4",
      "about 1.26765060022823e+30",
    ]);
  });
});
