// How messages become requests: many ways to say the same thing, several requests in one message, and
// bounded work for any text.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { agentLimits } from "../../src/limits.ts";
import { parseRequest } from "../../src/offline/parse-request.ts";
import { requestTable, type RequestKind } from "../../src/offline/request-table.ts";
import { processorMs } from "../processor-time.ts";

const shortly = (text: string): unknown[] => parseRequest(text).map(({ kind, captures }) => [kind, ...Object.values(captures).toSorted()]);

describe("offline: phrases", () => {
  const examples = Object.entries(requestTable).flatMap(([kind, row]) =>
    row.examples.map((example) => [example, kind as RequestKind] as const),
  );

  it.each(examples)("the documented %s is understood as %s", (example, kind) => {
    expect(parseRequest(example).map((request) => request.kind)).toEqual([kind]);
  });

  it.each([
    "list the files here",
    "List the files here.",
    "LIST THE FILES",
    "please list the files",
    "Could you please list all the files here, please?",
    "show me the files",
    "ls",
    "dir",
    "what files are here?",
    "which files are there",
    "what's here?",
    "hey, can you show me my files for me",
    "list the files in this folder",
    "list the files in the current directory",
  ])("%s lists the files here", (text) => {
    expect(shortly(text)).toEqual([["list"]]);
  });

  it.each([
    "list the files in src",
    "ls src",
    "list files in the folder src",
    "list the files in the src folder",
    'show me the files in "src"!',
  ])("%s lists the files in src", (text) => {
    expect(shortly(text)).toEqual([["list", "src"]]);
  });

  it.each([
    ["list the files in ..", [["list", ".."]]],
    ["list the files in .", [["list", "."]]],
    ["cat a.txt", [["read", "a.txt"]]],
    ["Read the file `My Notes.txt`.", [["read", "My Notes.txt"]]],
    ["what is in the file a.txt?", [["read", "a.txt"]]],
    ["What does a.txt say?", [["read", "a.txt"]]],
    ["search for Salt", [["search", "Salt"]]],
    ["find TODO in src", [["search", "TODO", "src"]]],
    ["search for salt and pepper", [["search", "salt and pepper"]]],
    ['write "a; b and c" to x.txt', [["write", "a; b and c", "x.txt"]]],
    ["write hello there to x.txt", [["write", "hello there", "x.txt"]]],
    ["write “hello” to x.txt", [["write", "hello", "x.txt"]]],
    ['create a file called x.txt with "hello"', [["write", "hello", "x.txt"]]],
    ["replace 'a' with 'b' in x.txt", [["replace", "a", "b", "x.txt"]]],
    ["run git status -s", [["run", "git status -s"]]],
    ["call me Ada", [["nameTold", "Ada"]]],
    ["call getPet with petId=7 name='a b'", [["call", "getPet", "petId=7 name='a b'"]]],
    ['use x with {"a": 1, "b": "and then; help"}', [["use", "x", '{"a": 1, "b": "and then; help"}'].toSorted()]],
    ["calculate (1 + 2) * 3", [["calculate", "(1 + 2) * 3"]]],
    ["list the files again", [["list"]]],
  ])("%s", (text, expected) => {
    expect(shortly(text).map((request) => (request as string[]).toSorted())).toEqual(expected.map((request) => request.toSorted()));
  });
});

describe("offline: several requests in one message", () => {
  it.each([
    "list the files here and read the README",
    "ls; cat README",
    "List the files. Then read README.",
    "ls\n&& cat README",
    "ls, then cat README",
  ])("%s lists and reads", (text) => {
    expect(shortly(text)).toEqual([["list"], ["read", "README"]]);
  });

  it("what is not understood stays one thing, between what is", () => {
    expect(parseRequest("ls and tell me a story, a long one; help").map(({ kind, said }) => [kind, said])).toEqual([
      ["list", "ls"],
      ["unknown", "tell me a story, a long one"],
      ["help", "help"],
    ]);
  });

  it("G15 no more requests are taken from a message than the limit, and one to show that there are more", () => {
    expect(parseRequest("ls; ".repeat(1_000))).toHaveLength(agentLimits.offlineRequestEntries + 1);
  });
});

describe("offline: any text", () => {
  it("never throws", () => {
    const words = fc.constantFrom(
      "list",
      "write",
      "to",
      "and",
      "in",
      '"',
      "'",
      "{",
      "}",
      "replace",
      "with",
      "?",
      "..",
      "\0",
      "😀",
      "\uD800",
      "<x>",
      "[a]",
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: "binary" }),
          fc.array(words).map((parts) => parts.join(" ")),
        ),
        (text) => {
          expect(Array.isArray(parseRequest(text))).toBe(true);
        },
      ),
      { numRuns: 150 },
    );
  });

  const size = agentLimits.offlineMessageChars;
  const hostile = {
    blanks: " ".repeat(size),
    "quotes that never close": `"${" 'x".repeat(size / 3)}`,
    "braces that never close": "use x with " + "{ ".repeat(size / 2),
    "the same joiner": "search for a " + "and b ".repeat(size / 6),
    "words that could end a text": "write " + "to ".repeat(size / 3),
    "two texts that could end anywhere": "replace " + "with in ".repeat(size / 8),
    "one long word": "x".repeat(size),
    punctuation: ". ".repeat(size / 2),
  };
  it.each(Object.entries(hostile))("%s take no time that grows faster than the text", async (_, text) => {
    // Far more than needed; going over the text again for each word would take minutes.
    expect(await processorMs(() => parseRequest(text))).toBeLessThan(5_000);
  });
});
