// Whole results of tools that speak MCP: the value or the text in them, or the error that they say.

import { describe, expect, it } from "vitest";
import { protocolLimits } from "@hawser/protocol/internal";
import { describeContent, fromMcpResult, isMcpResult, toToolValue } from "../src/tool-value.ts";

describe("results", () => {
  it.each([
    [{ content: [] }, ""],
    [{ content: [{ type: "text", text: "a" }] }, "a"],
    [{ content: [], structuredContent: [1, 2] }, [1, 2]],
  ])("%j is %j", (result, value) => {
    expect(fromMcpResult(result)).toEqual(value);
  });

  it.each([
    [{ type: "resource", resource: { uri: "file:///a", text: "inside" } }, "inside"],
    [{ type: "resource", resource: { uri: "file:///a", blob: "AAAA" } }, "[resource file:///a]"],
    [{ type: "image", data: "AAAA", mimeType: "image/png" }, "[image, image/png, 3 bytes]"],
    [{ type: "resource_link", uri: "file:///a" }, "[link to file:///a]"],
    [{ type: "hologram" }, "[hologram]"],
  ])("with more than text are the blocks themselves, for a page to show: %j, which is %j for those who read text", (block, described) => {
    const text = { type: "text", text: "see:" };
    const result = { content: [text, block], structuredContent: { a: 1 } };
    expect(fromMcpResult(result)).toEqual({ content: [text, block] });
    expect(describeContent({ content: [text, block] })).toBe(`see:\n${described}`);
  });

  it("G2: media that is too large is described, and a text that is too long is left out, with a note", () => {
    const image = { type: "image", data: "A".repeat(3_000_000), mimeType: "image/png" };
    const note = { type: "text", text: "[image, image/png, 2250000 bytes] is too large to be shown" };
    expect(fromMcpResult({ content: [image, image] })).toEqual({ content: [image, note] });
    const long = { type: "text", text: "x".repeat(2_000_000) };
    const rest = { type: "text", text: "[the rest of the result is too long to be shown]" };
    expect(fromMcpResult({ content: [image, long] })).toEqual({ content: [image, rest] });
    expect(toToolValue({ content: [image, { ...long, text: "x".repeat(1_000_000) }] })).toMatchObject({
      content: [image, { type: "text" }],
    });
  });

  it("that are errors are thrown, with their words in bounds, or with words of ours when they have none", () => {
    expect(() => fromMcpResult({ isError: true, content: [] })).toThrow("the tool failed, and its server does not say why");
    expect(() => fromMcpResult({ isError: true, content: [], structuredContent: { reason: "ebb" } })).toThrow('{"reason":"ebb"}');
    try {
      fromMcpResult({ isError: true, content: [{ type: "text", text: "z".repeat(1_000_000) }] });
      expect.unreachable();
    } catch (error) {
      expect((error as Error).message).toHaveLength(protocolLimits.maxErrorTextChars);
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
