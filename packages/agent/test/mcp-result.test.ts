// Whole results of tools that speak MCP: the value or the text in them, or the error that they say.

import { describe, expect, it } from "vitest";
import { limits } from "@hawser/wire";
import { fromMcpResult, isMcpResult } from "../src/mcp-result.ts";

describe("results", () => {
  it.each([
    [{ content: [] }, ""],
    [{ content: [{ type: "text", text: "a" }] }, "a"],
    [{ content: [], structuredContent: [1, 2] }, [1, 2]],
    [{ content: [{ type: "resource", resource: { uri: "file:///a", text: "inside" } }] }, "inside"],
    [{ content: [{ type: "resource", resource: { uri: "file:///a", blob: "AAAA" } }] }, "[resource file:///a]"],
    [{ content: [{ type: "audio", data: "AAAA", mimeType: "audio/wav" }] }, "[audio, audio/wav, 3 bytes]"],
    [{ content: [{ type: "hologram" }] }, "[hologram]"],
  ])("%j is %j", (result, value) => {
    expect(fromMcpResult(result)).toEqual(value);
  });

  it("that are errors are thrown, with their words in bounds, or with words of ours when they have none", () => {
    expect(() => fromMcpResult({ isError: true, content: [] })).toThrow("the tool failed, and its server does not say why");
    expect(() => fromMcpResult({ isError: true, content: [], structuredContent: { reason: "ebb" } })).toThrow('{"reason":"ebb"}');
    try {
      fromMcpResult({ isError: true, content: [{ type: "text", text: "z".repeat(1_000_000) }] });
      expect.unreachable();
    } catch (error) {
      expect((error as Error).message).toHaveLength(limits.maxErrorTextChars);
    }
  });
});

it.each([
  [{ content: [] }, true],
  [{ content: [{ type: "text", text: "a" }], isError: true }, true],
  [{ content: "a file's text", path: "a.txt" }, false],
  [{ content: [1, 2] }, false],
  [{ content: [{ kind: "row" }] }, false],
  [{ isError: true }, false],
  ["text", false],
  [null, false],
])("%j is a whole result: %s", (value, isOne) => {
  expect(isMcpResult(value)).toBe(isOne);
});
