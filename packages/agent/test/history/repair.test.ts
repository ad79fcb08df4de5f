// What a killed process left open is closed, where it belongs.

import { expect, it } from "vitest";
import { repairAnswer, toTitle } from "../../src/history/transcript.ts";
import { answer, lostResult, text, toolResult, toolUse, user } from "./stores.ts";

it.each([
  ["a use at the end", [toolUse("a")], [toolUse("a"), lostResult("a")]],
  [
    "one of three, in the place of its step",
    [toolUse("a"), text("and"), toolUse("b"), toolUse("c"), toolResult("c"), toolResult("a"), text("next"), toolUse("d"), toolResult("d")],
    [
      ...[toolUse("a"), text("and"), toolUse("b"), toolUse("c"), toolResult("c"), toolResult("a"), lostResult("b")],
      ...[text("next"), toolUse("d"), toolResult("d")],
    ],
  ],
  [
    "the second use of an id that was used before",
    [toolUse("a"), toolResult("a"), toolUse("a")],
    [toolUse("a"), toolResult("a"), toolUse("a"), lostResult("a")],
  ],
])("RUN-07 a missing result is added: %s", (_name, parts, expected) => {
  expect(repairAnswer(answer("m", parts), true)).toEqual(answer("m", expected));
  expect(repairAnswer(answer("m", expected), true)).toEqual(answer("m", expected));
});

it("RUN-07 a result that comes after the next text counts, and nothing is added twice", () => {
  const message = answer("m", [toolUse("a"), toolUse("b"), toolResult("a"), text("meanwhile"), toolResult("b")]);
  expect(repairAnswer(message, true)).toBe(message);
});

it("RUN-07 an answer without an end says why; a question, and an answer that has a reason already, stay as they are", () => {
  expect(repairAnswer(answer("m"), false)).toEqual({ ...answer("m"), interrupted: "the process ended before the answer did" });
  expect(repairAnswer(user("m"), false)).toEqual(user("m"));
  const cancelled = { ...answer("m"), interrupted: "cancelled" };
  expect(repairAnswer(cancelled, false)).toBe(cancelled);
});

it.each([
  ["  one\r\n two\tthree\u2028four ", "one two three four"],
  ["\u0000\u001b[31mred\u001b[0m", "[31mred [0m"],
  ["x".repeat(80), "x".repeat(80)],
  ["x".repeat(81), `${"x".repeat(79)}…`],
  ["💥".repeat(100), `${"💥".repeat(79)}…`],
  ["\u202e\u200b", ""],
  ["👩\u200d🚀", "👩\u200d🚀"],
  [`${" ".repeat(100)}late`, "late"],
])("a title is one line of at most 80 characters: %j", (given, expected) => {
  expect(toTitle(given)).toBe(expected);
});
