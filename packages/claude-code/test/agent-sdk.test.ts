// Our description of the Agent SDK against the package itself: the settings that we send have names that it knows, and
// what passes between us has the shapes that it declares.

import type * as theirs from "@anthropic-ai/claude-agent-sdk";
import { describe, expect, expectTypeOf, it } from "vitest";
import type { SdkMessage, AgentQuery, AgentUserMessage, McpServerConfig, SpawnedProcess, SpawnRequest } from "../src/agent-sdk.ts";
import type { ClaudeCodeModelOptions, PermissionMode } from "../src/options.ts";
import { toQueryOptions } from "../src/query-options.ts";
import { createToolset, selectTools } from "../src/toolset.ts";

/** Checked by the compiler against the package. */
const known = [
  "allowDangerouslySkipPermissions",
  "allowedTools",
  "canUseTool",
  "continue",
  "cwd",
  "disallowedTools",
  "env",
  "forkSession",
  "hooks",
  "includePartialMessages",
  "maxBudgetUsd",
  "maxTurns",
  "model",
  "outputFormat",
  "permissionMode",
  "persistSession",
  "resume",
  "settingSources",
  "strictMcpConfig",
  "systemPrompt",
  "tools",
  "verbatimPrompts",
] as const satisfies readonly (keyof theirs.Options)[];

const everything: ClaudeCodeModelOptions = {
  model: "opus",
  cwd: "/srv",
  maxTurns: 3,
  maxBudgetUsd: 1,
  allowedTools: ["Read", "Bash(git log:*)", "count", "mcp__other__x"],
  disallowedTools: ["hide", "WebFetch"],
  toolRestrictions: { Read: { file_path: ["/srv/a"] } },
  permissionMode: "bypassPermissions",
  canUseTool: () => Promise.resolve({}),
  forkSession: true,
  continue: true,
  persistSession: true,
  systemPrompt: { append: "Be brief." },
  settingSources: ["project"],
  env: { EXTRA: "1", PATH: undefined },
};

describe("settings for the Agent SDK", () => {
  it("have names that it knows", () => {
    const schema = { type: "object" };
    const settings = toQueryOptions({ options: everything, selection: undefined, system: undefined, schema, includePartialMessages: true });
    const resumed = toQueryOptions({ options: everything, selection: undefined, system: undefined, resume: "id" });
    expect(Object.keys({ ...settings, ...resumed }).toSorted()).toEqual([...known]);
    expect(resumed["continue"]).toBeUndefined();
  });

  it("are handed on as they were given", () => {
    const { canUseTool, ...plain } = everything;
    const given = {
      maxTurns: 3,
      maxBudgetUsd: 1,
      model: "opus",
      cwd: "/srv",
      permissionMode: "bypassPermissions",
      settingSources: ["project"],
    };
    const begun = toQueryOptions({ options: everything, selection: undefined, system: undefined });
    expect(begun).toMatchObject({ ...given, continue: true, canUseTool });
    const kept = toQueryOptions({ options: { ...plain, persistSession: false }, selection: undefined, system: undefined, resume: "id" });
    expect(kept).toMatchObject({ ...given, resume: "id", forkSession: true, persistSession: false });
    expect(toQueryOptions({ options: { resume: "own" }, selection: undefined, system: undefined })).toMatchObject({ resume: "own" });
  });

  it("call registered tools by the names of the command line, and ask for its own where they are allowed", () => {
    const tools = ["count", "hide"].map((name) => ({ name, description: "", input: { type: "object" }, run: () => "" }));
    const selection = selectTools(createToolset(tools));
    const settings = toQueryOptions({ options: everything, selection, system: "And kind." });
    expect(settings).toMatchObject({
      tools: ["Read", "Bash"],
      allowedTools: ["mcp__hawser__count", "mcp__hawser__hide", "Read", "Bash(git log:*)", "mcp__hawser__count", "mcp__other__x"],
      disallowedTools: ["mcp__hawser__hide", "WebFetch"],
      systemPrompt: { type: "preset", preset: "claude_code", append: "Be brief.\n\nAnd kind." },
      strictMcpConfig: false,
      env: { EXTRA: "1" },
    });
    expect(settings["env"]).not.toHaveProperty("PATH");
  });

  it("keep to themselves unless something is asked for", () => {
    const { env: _, ...settings } = toQueryOptions({ options: {}, selection: undefined, system: undefined });
    expect(settings).toEqual({
      tools: [],
      allowedTools: [],
      disallowedTools: [],
      permissionMode: "dontAsk",
      settingSources: [],
      strictMcpConfig: true,
      verbatimPrompts: true,
    });
    expect(toQueryOptions({ options: { builtinTools: "all" }, selection: undefined, system: undefined })["tools"]).toEqual({
      type: "preset",
      preset: "claude_code",
    });
  });
});

it("shapes are those of the Agent SDK", () => {
  expectTypeOf<PermissionMode>().toExtend<theirs.PermissionMode>();
  expectTypeOf<SpawnedProcess>().toExtend<theirs.SpawnedProcess>();
  expectTypeOf<theirs.SpawnOptions>().toExtend<SpawnRequest>();
  expectTypeOf<theirs.SDKMessage>().toExtend<SdkMessage>();
  expectTypeOf<theirs.Query>().toExtend<AgentQuery>();
  expectTypeOf<AgentUserMessage["type"]>().toExtend<theirs.SDKUserMessage["type"]>();
  expectTypeOf<McpServerConfig["type"]>().toExtend<theirs.McpServerConfig["type"]>();
});
