// How examples are found in a document and compared with what was printed.

import { describe, expect, it } from "vitest";
import { findExamples, toPattern } from "./examples.ts";

describe("findExamples", () => {
  it("finds every command of the marked blocks with its line and output, and no other block", () => {
    const document = "# Title\n\n```console run\n$ one --two\nfirst\nsecond\n$ three\n```\n\n```console\n$ not this\n```\n";
    expect(findExamples(document)).toEqual([
      { line: 4, command: "one --two", output: "first\nsecond" },
      { line: 7, command: "three", output: "" },
    ]);
  });

  it("finds programs that are followed by their output", () => {
    const document = "```ts run\none();\n```\n\n```text\n1\n2\n```\n\n```ts\nnotThis();\n```\n";
    expect(findExamples(document)).toEqual([{ line: 1, command: expect.stringMatching(/^node .* -$/), input: "one();\n", output: "1\n2" }]);
    expect(findExamples("```ts run until Ctrl-C\nserve();\n```\n\n```text\n1\n```\n")).toMatchObject([
      { input: "serve();\n", isLasting: true },
    ]);
    expect(findExamples("```python run\none()\n```\n\n```text\n1\n```\n")).toEqual([
      { line: 1, command: "python3 -", input: "one()\n", output: "1" },
    ]);
    expect(findExamples("```rust run\nfn main() {}\n```\n\n```text\n1\n```\n")).toEqual([
      { line: 1, command: expect.stringContaining("rustc"), input: "fn main() {}\n", output: "1" },
    ]);
  });
});

describe("toPattern", () => {
  it.each([
    ["a (b)", "a (b)\n", true],
    ["a (b)", "a b\n", false],
    ["a", "a\nb\n", false],
    ["took … ms", "took 12 ms\n", true],
    ["took … ms", "took 12\n ms\n", false],
    ["first\n…\nlast", "first\nlast\n", true],
    ["first\n…\nlast", "first\none\ntwo\nlast\n", true],
    ["first\n…\nlast", "first\none\n", false],
  ])("%j, shown for %j: %s", (shown, printed, isMatch) => {
    expect(toPattern(shown).test(printed)).toBe(isMatch);
  });
});
