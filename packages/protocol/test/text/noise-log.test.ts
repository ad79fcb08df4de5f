// What becomes of lines that aren't messages in a log: shown harmlessly, and bounded.

import { expect, it } from "vitest";
import { createNoiseLog } from "../../src/text/noise-log.ts";
import { protocolLimits } from "../../src/limits.ts";

it("R132 G15 a line is shown on one line, cut, with what would hide or act on a terminal made visible", () => {
  const told: string[] = [];
  const note = createNoiseLog((words) => told.push(words));
  note("\u001b]52;c;aGk=\u0007 \u202e\u200b\u009b2J\u007f two\nlines \ud83d");
  note("x".repeat(1_000_000));
  expect(told[0]).toBe(
    String.raw`skipped a line on stdout that isn't a message: "\u001b]52;c;aGk=\u0007 ⟨U+202E⟩⟨U+200B⟩⟨U+009B⟩2J⟨U+007F⟩ two\nlines \ud83d"`,
  );
  expect(told[1]).toBe(`skipped a line on stdout that isn't a message: "${"x".repeat(protocolLimits.shownNoiseChars - 1)}…"`);
});

it("G15 after the first few, only their number is told, each time that it has doubled", () => {
  const told: string[] = [];
  const note = createNoiseLog((words) => told.push(words));
  for (let count = 0; count < 100_000; count++) note("noise");
  expect(told).toHaveLength(protocolLimits.shownNoiseEntries + 13);
  expect(told.at(-1)).toBe("skipped 65536 lines on stdout so far that aren't messages");
});

it("a secret is taken out before a line is cut", () => {
  const told: string[] = [];
  const secret = "canary".repeat(100);
  createNoiseLog(
    (words) => told.push(words),
    (text) => text.replaceAll(secret, "[redacted]"),
  )(`the token is ${secret}`);
  expect(told[0]).toContain('"the token is [redacted]"');
});
