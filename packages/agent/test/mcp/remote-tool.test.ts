// What is made of a server's list of tools and of its results, in bounds.

import { describe, expect, it } from "vitest";
import { limits } from "@hawser/wire";
import { fromToolResult, toTools, type RemoteTool } from "../../src/mcp/remote-tool.ts";

const convert = (remote: readonly RemoteTool[]): { names: string[]; leftOut: string[] } => {
  const leftOut: string[] = [];
  const tools = toTools(
    "s",
    remote,
    () => Promise.resolve(null),
    (problem) => leftOut.push(problem),
  );
  return { names: tools.map(({ name }) => name), leftOut };
};

const plain = (name: string): RemoteTool => ({ name, inputSchema: { type: "object" } });

describe("tools that a server lists", () => {
  it("G15 are as many as the limit says, and the rest is told of", () => {
    const { names, leftOut } = convert(Array.from({ length: limits.mcpToolEntries + 5 }, (_, at) => plain(`t${at}`)));
    expect(names).toHaveLength(limits.mcpToolEntries);
    expect(leftOut).toEqual([`only the first ${limits.mcpToolEntries} of its tools are used`]);
  });

  it("G15 are left out when their schema is too large, and their descriptions are cut", () => {
    const large = { ...plain("large"), inputSchema: { type: "object", title: "x".repeat(limits.mcpSchemaChars) } };
    const wordy = { ...plain("wordy"), description: "y".repeat(limits.mcpDescriptionChars * 2) };
    expect(convert([large, wordy])).toEqual({ names: ["s__wordy"], leftOut: ["the schema of its tool s__large is too large"] });
    expect(
      toTools(
        "s",
        [wordy],
        () => Promise.resolve(null),
        () => {},
      )[0]?.description,
    ).toHaveLength(limits.mcpDescriptionChars);
  });
});

describe("results", () => {
  it.each([
    [{ content: [] }, ""],
    [{ content: [{ type: "text", text: "a" }] }, "a"],
    [{ content: [], structuredContent: [1, 2] }, [1, 2]],
    [{ toolResult: { old: true } }, { old: true }],
    [{ content: [{ type: "resource", resource: { uri: "file:///a", text: "inside" } }] }, "inside"],
    [{ content: [{ type: "resource", resource: { uri: "file:///a", blob: "AAAA" } }] }, "[resource file:///a]"],
    [{ content: [{ type: "audio", data: "AAAA", mimeType: "audio/wav" }] }, "[audio, audio/wav, 3 bytes]"],
    [{ content: [{ type: "hologram" }] }, "[hologram]"],
    [undefined, null],
  ])("%j is %j", (result, value) => {
    expect(fromToolResult(result)).toEqual(value);
  });

  it("that are errors are thrown, with their words in bounds, or with words of ours when they have none", () => {
    expect(() => fromToolResult({ isError: true, content: [] })).toThrow("the tool failed, and its server does not say why");
    expect(() => fromToolResult({ isError: true, content: [], structuredContent: { reason: "ebb" } })).toThrow('{"reason":"ebb"}');
    try {
      fromToolResult({ isError: true, content: [{ type: "text", text: "z".repeat(1_000_000) }] });
      expect.unreachable();
    } catch (error) {
      expect((error as Error).message).toHaveLength(limits.maxErrorTextChars);
    }
  });
});
