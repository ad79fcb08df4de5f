// Diffs are what `patch` takes: applied to the old text, they give the new one.

import fc from "fast-check";
import { expect, test } from "vitest";
import { diffLines } from "../../src/changes/thread/unified-diff.ts";

/** Takes the hunks of a diff: context and removed lines must be there. */
function applyDiff(before: string, diff: string): string {
  const old = before.split(/(?<=\n)/).filter((line) => line !== "");
  const result: string[] = [];
  let at = 0;
  const lines = diff.split(/(?<=\n)/);
  for (const [index, line] of lines.entries()) {
    const head = /^@@ -(\d+),(\d+) \+\d+,\d+ @@/.exec(line);
    const isCut = lines[index + 1]?.startsWith("\\") === true;
    const text = isCut ? line.slice(1, -1) : line.slice(1);
    if (head) {
      const from = Number(head[1]) - (head[2] === "0" ? 0 : 1);
      result.push(...old.slice(at, from));
      at = from;
    } else if (line.startsWith("+")) result.push(text);
    else if (line.startsWith("-") || line.startsWith(" ")) {
      expect(old[at]).toBe(text);
      at++;
      if (line.startsWith(" ")) result.push(text);
    }
  }
  return [...result, ...old.slice(at)].join("");
}

const text = fc
  .array(fc.constantFrom("a\n", "b\n", "c\n", "\n", "longer line\n", "no end"), { maxLength: 40 })
  .map((lines) => lines.join(""));

test("a diff that is applied to the old text gives the new one, and counts its lines", () => {
  fc.assert(
    fc.property(text, text, (before, after) => {
      const { text: diff, additions, deletions } = diffLines(before, after);
      expect(applyDiff(before, diff)).toBe(after);
      expect(additions).toBe(diff.split("\n").filter((line) => line.startsWith("+")).length);
      expect(deletions).toBe(diff.split("\n").filter((line) => line.startsWith("-")).length);
    }),
    { numRuns: 500 },
  );
});

test("it is as short as `diff -u` makes it, and has the same hunks", () => {
  const [before, after] = ["a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl\n", "a\nb\nX\nd\ne\nf\ng\nh\ni\nj\nl\nm\n"];
  const first = "@@ -1,6 +1,6 @@\n a\n b\n-c\n+X\n d\n e\n f\n";
  expect(diffLines(before, after).text).toBe(`${first}@@ -8,5 +8,5 @@\n h\n i\n j\n-k\n l\n+m\n`);
});

test("texts that have nothing in common cost no more than a bounded effort", () => {
  const lines = (word: string): string => Array.from({ length: 20_000 }, (_, at) => `${word} ${at}\n`).join("");
  const { additions, deletions, text: diff } = diffLines(lines("one"), lines("two"));
  expect([additions, deletions]).toEqual([20_000, 20_000]);
  expect(diff.length).toBeGreaterThan(300_000);
});
