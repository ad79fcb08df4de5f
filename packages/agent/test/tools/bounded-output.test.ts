// The beginning and the end of an output, wherever the cut falls.

import { describe, expect, it } from "vitest";
import { createBoundedOutput } from "../../src/tools/command/bounded-output.ts";

const text = "aä€😀".repeat(40);

describe("bounded output", () => {
  it("CMD-03: cuts between characters, for every bound and every size of a chunk", () => {
    for (let maxBytes = 20; maxBytes < 60; maxBytes++) {
      for (const chunkBytes of [1, 7, 1_000]) {
        const output = createBoundedOutput(maxBytes);
        const bytes = Buffer.from(text);
        for (let at = 0; at < bytes.length; at += chunkBytes) output.add(bytes.subarray(at, at + chunkBytes));
        const { text: kept, isCut, isLossy } = output.take();
        const [head, tail] = kept.split(/\n\[… \d+ bytes left out …\]\n/) as [string, string];
        expect({ isCut, isLossy }).toEqual({ isCut: true, isLossy: false });
        expect(text.startsWith(head) && text.endsWith(tail)).toBe(true);
        expect(Buffer.byteLength(head) + Buffer.byteLength(tail)).toBeGreaterThan(maxBytes - 7);
        expect(Buffer.byteLength(head) + Buffer.byteLength(tail)).toBeLessThanOrEqual(maxBytes);
      }
    }
  });

  it("keeps all of what fits, to the byte", () => {
    const output = createBoundedOutput(Buffer.byteLength(text));
    for (const byte of Buffer.from(text)) output.add(Uint8Array.of(byte));
    expect(output.take()).toEqual({ text, isCut: false, isLossy: false });
  });
});
