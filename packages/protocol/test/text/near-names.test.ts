// Names that somebody may have meant.

import { expect, it } from "vitest";
import { nearNames } from "../../src/text/near-names.ts";

it("suggests what is a few edits away, then what contains the text, and nothing else", () => {
  const names = ["listLogs", "clearLogs", "getTag"];
  expect(nearNames("listLog", names)).toEqual(["listLogs"]);
  expect(nearNames("LOGS", names)).toEqual(["listLogs", "clearLogs"]);
  expect(nearNames("zzzzzz", names)).toEqual([]);
  expect(nearNames(" ", names)).toEqual([]);
});

it("suggests quickly among many long names, and for a long one not at all", () => {
  const names = Array.from({ length: 2_000 }, (_, at) => `operation-${at}-${"x".repeat(60)}`);
  expect(nearNames("operation", names)).toHaveLength(3);
  expect(nearNames("x".repeat(100_000), names)).toEqual([]);
});
