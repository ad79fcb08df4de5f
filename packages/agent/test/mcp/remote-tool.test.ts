// What is made of a server's list of tools and of its results, in bounds.

import { describe, expect, it } from "vitest";
import { agentLimits } from "../../src/limits.ts";
import { toServerTools, type RemoteTool } from "../../src/mcp/remote-tool.ts";

const convert = (remote: readonly RemoteTool[]): { names: string[]; leftOut: string[] } => {
  const leftOut: string[] = [];
  const tools = toServerTools(
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
    const { names, leftOut } = convert(Array.from({ length: agentLimits.mcpToolEntries + 5 }, (_, at) => plain(`t${at}`)));
    expect(names).toHaveLength(agentLimits.mcpToolEntries);
    expect(leftOut).toEqual([`only the first ${agentLimits.mcpToolEntries} of its tools are used`]);
  });

  it("G15 are left out when their schema is too large, and their descriptions are cut", () => {
    const large = { ...plain("large"), inputSchema: { type: "object", title: "x".repeat(agentLimits.mcpSchemaChars) } };
    const wordy = { ...plain("wordy"), description: "y".repeat(agentLimits.mcpDescriptionChars * 2) };
    expect(convert([large, wordy])).toEqual({ names: ["s__wordy"], leftOut: ["the schema of its tool s__large is too large"] });
    expect(
      toServerTools(
        "s",
        [wordy],
        () => Promise.resolve(null),
        () => {},
      )[0]?.description,
    ).toHaveLength(agentLimits.mcpDescriptionChars);
  });
});
