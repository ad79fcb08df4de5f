// The end of a process's stderr, kept in whole characters.

import { expect, it } from "vitest";
import { createLastWords, describeExit } from "../src/internal-node.ts";

it("G5 keeps the end, whole characters of it, however the bytes come", () => {
  const bytes = Buffer.from("lost 😀é😀 end");
  for (let size = 1; size <= bytes.length; size++) {
    // The shorter one would begin with the second half of a pair.
    for (const [maxChars, kept] of [
      [7, "é😀 end"],
      [5, " end"],
    ] as const) {
      const words = createLastWords(maxChars);
      for (let at = 0; at < bytes.length; at += size) words.add(bytes.subarray(at, at + size));
      expect(words.text).toBe(kept);
    }
  }
});

it("are told with the end of the process: their last line, where there is one", () => {
  expect(describeExit({ code: 3, signal: null }, "starting\nno wind\n")).toBe("ended with exit code 3; its last words: no wind");
  expect(describeExit({ code: null, signal: "SIGKILL" }, " \n")).toBe("ended with SIGKILL");
});
