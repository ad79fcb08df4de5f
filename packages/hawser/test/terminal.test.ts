// Lines of others as they are put on a terminal.

import { describe, expect, it } from "vitest";
import { fitLine } from "../src/command-line/output.ts";

describe("a line that somebody else wrote", () => {
  it("hides nothing and gives no orders", () => {
    expect(fitLine("a\u001b[2Jb\u0007c\u009b31m \u202eexe\u200b\r", 80)).toBe(
      "a⟨U+001B⟩[2Jb⟨U+0007⟩c⟨U+009B⟩31m ⟨U+202E⟩exe⟨U+200B⟩⟨U+000D⟩",
    );
  });

  it("is one line, and as long as it may be", () => {
    expect(fitLine("a\n\n\tb\r\nc", 80)).toBe("a b c");
    expect(fitLine("abcdef", 4)).toBe("abc…");
    expect(fitLine("x".repeat(1_000_000), 10)).toBe("xxxxxxxxx…");
  });

  it("is never cut within a character", () => {
    expect(fitLine("abc👩‍💻def", 6)).toMatch(/^abc👩…$/u);
    expect(fitLine("🚢".repeat(10), 4)).toBe("🚢…");
  });
});
