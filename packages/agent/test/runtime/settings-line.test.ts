// The answer with what is set, where servers have more tools than one line takes.

import { describe, expect, it } from "vitest";
import type { SettingsData } from "@hawser/protocol";
import { wireLimits } from "@hawser/wire";
import type { Reply } from "../../src/runtime/reply.ts";
import { createSettingsAnswers } from "../../src/runtime/settings-answers.ts";
import { agentLimits } from "../../src/limits.ts";
import { withinSettingsLine } from "../../src/runtime/settings-line.ts";

type Server = SettingsData["mcpServers"][number];

const nothing = { file: "agent.json", allowedCommands: [], permissions: [], agents: [], openaiServers: [], keys: [] };
// Each letter of it takes six bytes of a line.
const tool = { name: "\u0001".repeat(256), description: "\u0001".repeat(150), on: true };
const server = (count: number, name = "tides"): Server => ({
  ...{ name, state: "connected", place: "tides", secrets: [] },
  tools: Array.from({ length: count }, () => tool),
});
const bytesOf = (data: SettingsData): number => Buffer.byteLength(JSON.stringify(data));

describe("what is set", () => {
  it("is told as it is where one line takes it", () => {
    const data = { ...nothing, mcpServers: [server(3)] };
    expect(withinSettingsLine(data)).toBe(data);
  });

  it("leaves out tools that one line has no room for, and counts them; what one server does not need is for the others", () => {
    const many = Array.from({ length: agentLimits.mcpServerEntries - 1 }, () => server(agentLimits.mcpToolEntries));
    const folderServers = Array.from({ length: 40 }, () => ({ ...server(agentLimits.mcpToolEntries), folder: "/quay" }));
    const shown = withinSettingsLine({ ...nothing, mcpServers: [server(2, "small"), ...many], folderServers });
    expect(bytesOf(shown)).toBeLessThanOrEqual(agentLimits.agentListedBytes + 100_000);
    expect(bytesOf(shown)).toBeGreaterThan(agentLimits.agentListedBytes * 0.9);
    expect(bytesOf(shown)).toBeLessThan(wireLimits.maxMessageBytes);
    expect(shown.mcpServers[0]).toEqual(server(2, "small"));
    const cut = [...shown.mcpServers.slice(1), ...(shown.folderServers ?? [])];
    expect(cut).toHaveLength(71);
    for (const { tools, toolsLeftOut = 0 } of cut) {
      expect(tools.length).toBeGreaterThan(10);
      expect(tools.length + toolsLeftOut).toBe(agentLimits.mcpToolEntries);
    }
  });

  it("has room for the servers of the configuration, whatever folders bring along", () => {
    const folderServers = Array.from({ length: 64 }, () => ({ ...server(1), place: "x".repeat(500_000), folder: "/quay" }));
    const shown = withinSettingsLine({ ...nothing, mcpServers: [server(10)], folderServers });
    expect(shown.mcpServers).toEqual([server(10)]);
    expect(shown.folderServers).toHaveLength(4);
  });

  it("is the answer to a change that was made, however many tools there are", async () => {
    const mcpServers = Array.from({ length: 9 }, () => server(agentLimits.mcpToolEntries));
    const settings = { read: () => ({ ...nothing, mcpServers }), change: async () => {} };
    const answers = createSettingsAnswers({ parts: { settings } } as unknown as Parameters<typeof createSettingsAnswers>[0]);
    const sent: { readonly type: string }[] = [];
    const reply = {
      emit: async (event: { readonly type: string }) => void sent.push(event),
      done: async () => void sent.push({ type: "done" }),
    };
    const request = { id: "1", kind: "set_settings", changes: {} } as const;
    await answers.set_settings(request, reply as unknown as Reply, new AbortController().signal);
    expect(sent.map(({ type }) => type)).toEqual(["settings", "done"]);
    expect(Buffer.byteLength(JSON.stringify(sent[0]))).toBeLessThan(wireLimits.maxMessageBytes);
  });
});
