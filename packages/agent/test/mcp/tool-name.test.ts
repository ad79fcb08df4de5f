// Names of MCP tools: what models take, unique, and always the same.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { agentLimits } from "../../src/limits.ts";
import { connectMcpServers } from "../../src/mcp/connect-servers.ts";
import { toToolName } from "../../src/mcp/remote-tool.ts";

describe("names of MCP tools", () => {
  it("are server and tool, where both are plain", () => {
    expect(toToolName("git-hub", "list_issues")).toBe("git-hub__list_issues");
  });

  it.each([
    ["my server", "a.b"],
    ["server", "x".repeat(100)],
    ["a__b", "c"],
    ["", ""],
    ["häfen", "größe"],
  ])("for %s and %s are readable, short enough, and end in a digest", (server, tool) => {
    expect(toToolName(server, tool)).toMatch(/^[A-Za-z0-9_-]{1,53}_[0-9a-f]{10}$/);
  });

  it("are different for different tools, and take only what models take", () => {
    const part = fc.oneof(fc.string({ unit: fc.constantFrom("a", "_", "-", " ", ".", "ä"), maxLength: 8 }), fc.string({ maxLength: 80 }));
    fc.assert(
      fc.property(part, part, part, part, (server, tool, otherServer, otherTool) => {
        const name = toToolName(server, tool);
        expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
        const isSame = server === otherServer && tool === otherTool;
        expect(toToolName(otherServer, otherTool) === name).toBe(isSame);
      }),
      { numRuns: 2_000 },
    );
  });

  it("G15 more servers than the limit are refused before one is started", () => {
    const many = Object.fromEntries(Array.from({ length: agentLimits.mcpServerEntries + 1 }, (_, at) => [`s${at}`, { command: "false" }]));
    expect(() => connectMcpServers(many)).toThrow("33 MCP servers; at most 32 are possible");
  });
});
