// The surface that the contract names, as far as it needs no command line: constants, classes, what registering tools
// does and does not do, and the choice of tools.

import fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { tool as agentSdkTool } from "@anthropic-ai/claude-agent-sdk";
import { tool as aiSdkTool } from "ai";
import { describe, expect, expectTypeOf, it, onTestFinished } from "vitest";
import { z } from "zod";
import * as claudeCode from "../src/index.ts";
import {
  ClaudeCodeModel,
  defineTool,
  type ClaudeCodeModelOptions,
  type IPCErrorPayload,
  type McpStdioServerConfig,
  type TransportType,
} from "../src/index.ts";

const input = { type: "object" } as const;
const tools = ["a", "b", "c"].map((name) => defineTool({ name, description: `Tool ${name}`, input, run: () => name }));

function makeModel(options: ClaudeCodeModelOptions = {}): { model: ClaudeCodeModel; directory: string } {
  const directory = fs.mkdtempSync(join(tmpdir(), "hawser-cc-"));
  onTestFinished(() => fs.rmSync(directory, { recursive: true, force: true }));
  return { model: new ClaudeCodeModel({ directory, ...options }), directory };
}

/** The same for every session. */
const withoutIds = (value: unknown): unknown => JSON.parse(JSON.stringify(value).replaceAll(/[0-9a-f]{32}/g, "<uuid>"));

describe("the provider function", () => {
  it("makes models by name, with the options of the provider and its own, and refuses what Claude Code is not", () => {
    expect(claudeCode.claudeCode("sonnet")).toBeInstanceOf(ClaudeCodeModel);
    expect(claudeCode.claudeCode("sonnet").modelId).toBe("sonnet");
    expect(claudeCode.claudeCode().modelId).toBe("default");
    const provider = claudeCode.createClaudeCode({ maxTurns: 3, cwd: "/a" });
    expect(provider.languageModel("opus", { cwd: "/b" }).options).toEqual({ model: "opus", maxTurns: 3, cwd: "/b" });
    expect(() => provider.embeddingModel("x")).toThrow("No such embeddingModel: x");
  });
});

describe("the contract's names", () => {
  it("R65: TransportType is auto, stdio or sdk, and DEFAULT_TRANSPORT is auto", () => {
    expectTypeOf<TransportType>().toEqualTypeOf<"auto" | "stdio" | "sdk">();
    expect(claudeCode.DEFAULT_TRANSPORT).toBe("auto");
  });

  it("R74: the classes are what the contract says they are", () => {
    const { ClaudeCodeError, IPCError, IPCConnectionError, IPCMessageSizeError, IPCToolExecutionError, BridgeStartupError } = claudeCode;
    for (const Class of [IPCConnectionError, IPCMessageSizeError, IPCToolExecutionError, BridgeStartupError]) {
      const error = new Class("said");
      expect([error instanceof IPCError, error instanceof ClaudeCodeError, error.name]).toEqual([true, true, Class.name]);
    }
    const { CLINotFoundError, CLIExecutionError, CLIInterruptedError, CLITimeoutError, CLIResponseParseError, StructuredOutputError } =
      claudeCode;
    for (const Class of [
      CLINotFoundError,
      CLIExecutionError,
      CLIInterruptedError,
      CLITimeoutError,
      CLIResponseParseError,
      StructuredOutputError,
    ]) {
      const error = new Class("said");
      expect([error instanceof ClaudeCodeError, error instanceof IPCError, error.name]).toEqual([true, false, Class.name]);
    }
  });

  it("R75: what crosses the wire is IPCErrorPayload, a structure and no class", () => {
    expectTypeOf<IPCErrorPayload>().toEqualTypeOf<{ message: string; type: string }>();
    expect(Object.keys(claudeCode)).not.toContain("IPCErrorPayload");
  });

  it("R76: the seven constants have their values", () => {
    const constants = Object.entries(claudeCode).filter(([name]) => /^[A-Z_]+$/.test(name));
    expect(Object.fromEntries(constants)).toEqual({
      MAX_MESSAGE_SIZE: 10_485_760,
      SOCKET_PERMISSIONS: 0o600,
      SCHEMA_FILE_PREFIX: "claudecode_ipc_schema_",
      SOCKET_FILE_PREFIX: "claudecode_ipc_",
      SOCKET_FILE_SUFFIX: ".sock",
      LENGTH_PREFIX_SIZE: 4,
      DEFAULT_TRANSPORT: "auto",
    });
  });
});

describe("setAgentToolsets", () => {
  it("R60 R66: auto is stdio, with the members of the contract and no more", () => {
    const configs = (["auto", "stdio"] as const).map((transport) => {
      const { model, directory } = makeModel();
      model.setAgentToolsets(tools, { transport });
      return withoutIds(JSON.parse(JSON.stringify(model.getMcpServers()).replaceAll(directory, "<directory>")));
    });
    expect(configs[0]).toEqual(configs[1]);
    expect(configs[0]).toEqual({ hawser: { type: "stdio", command: process.execPath, args: expect.any(Array) as string[] } });
  });

  it("connections and reconnect of the model become options of its bridge", () => {
    const { model } = makeModel({ connections: 2, reconnect: "never" });
    model.setAgentToolsets(tools);
    const { args } = model.getMcpServers()["hawser"] as McpStdioServerConfig;
    expect(args.slice(-6, -2)).toEqual(["--connections", "2", "--reconnect", "never"]);
  });

  it("R67: sdk is a server in this process, without socket or schema file", () => {
    const { model, directory } = makeModel();
    model.setAgentToolsets(tools, { transport: "sdk", serverName: "harbour" });
    const { harbour } = model.getMcpServers();
    expect(harbour).toMatchObject({ type: "sdk", name: "harbour" });
    expect(fs.readdirSync(directory)).toEqual([]);
  });

  it("R68 H13: prepares paths and configuration, and starts nothing", () => {
    const { model, directory } = makeModel();
    model.setAgentToolsets(tools);
    const { args } = model.getMcpServers()["hawser"] as McpStdioServerConfig;
    const [socketPath, schemaPath] = args.slice(-2);
    expect(socketPath).toMatch(/claudecode_ipc_[0-9a-f]{32}\.sock$/);
    expect(schemaPath).toMatch(/claudecode_ipc_schema_[0-9a-f]{32}/);
    expect(fs.readdirSync(directory)).toEqual([]);
  });

  it("takes tools of all three kinds, and calling it again replaces them", () => {
    const { model } = makeModel();
    model.setAgentToolsets([agentSdkTool("theirs", "", { word: z.string() }, () => Promise.resolve({ content: [] }))]);
    expect([...model.processFunctionTools()!.names.values()]).toEqual(["theirs"]);
    model.setAgentToolsets({ ai: aiSdkTool({ inputSchema: z.object({}), execute: () => "x" }) }, { serverName: "two" });
    expect(Object.keys(model.getMcpServers())).toEqual(["two"]);
    expect([...model.processFunctionTools()!.names]).toEqual([["mcp__two__ai", "ai"]]);
    model.setAgentToolsets(tools);
    expect([...model.processFunctionTools()!.names.values()]).toEqual(["a", "b", "c"]);
  });

  it.for([
    [() => ({ tools: [{}] }), "isn't a tool"],
    [() => ({ tools, options: { serverName: "a__b" } }), "a server name has"],
    [() => ({ tools, options: { transport: "pigeon" as TransportType } }), "there is no transport"],
    [() => ({ tools: [tools[0], tools[0]] }), 'two tools are called "a"'],
  ] as const)("refuses at once what could never work: %#", ([make, reason]) => {
    const { tools: given, options } = make() as { tools: readonly unknown[]; options?: object };
    expect(() => makeModel().model.setAgentToolsets(given, options)).toThrow(reason);
  });
});

describe("processFunctionTools", () => {
  it("R70 R73: chooses tools in one synchronous step; functions and names are of the same choice", () => {
    const { model, directory } = makeModel();
    model.setAgentToolsets(tools);
    const selection = model.processFunctionTools(["c", "a"]);
    expect(selection).not.toBeInstanceOf(Promise);
    expect(selection!.toolset.tools.map(({ name }) => name)).toEqual(["a", "c"]);
    expect([...selection!.names]).toEqual([
      ["mcp__hawser__a", "a"],
      ["mcp__hawser__c", "c"],
    ]);
    expect(fs.readdirSync(directory)).toEqual([]);
  });

  it("refuses a name that is not registered, and any name where nothing is", () => {
    const { model } = makeModel();
    expect(() => model.processFunctionTools(["a"])).toThrow(claudeCode.ToolsetNotRegisteredError);
    expect(model.processFunctionTools()).toBeUndefined();
    expect(model.processFunctionTools([])).toBeUndefined();
    model.setAgentToolsets(tools);
    expect(() => model.processFunctionTools(["a", "d"])).toThrow(claudeCode.ToolNotFoundError);
    expect(() => model.processFunctionTools(["d"])).toThrow("registered are: a, b, c");
  });
});

describe("new ClaudeCodeModel", () => {
  it.for([
    [{ timeoutMs: 0 }, "timeoutMs must be a number above 0"],
    [{ maxTurns: Number.NaN }, "maxTurns must be a number above 0"],
    [{ resume: "x", continue: true }, "exclude each other"],
    [{ env: { MY_KEY: "a\0b" } }, "env.MY_KEY must be a text without a zero byte"],
    [{ env: { PORT: 80 as unknown as string } }, "env.PORT must be a text"],
  ] as const)("refuses %j", ([options, reason]) => {
    expect(() => new ClaudeCodeModel(options)).toThrow(reason);
  });

  it("takes an environment that takes variables away", () => {
    expect(() => new ClaudeCodeModel({ env: { GONE: undefined, EMPTY: "" } })).not.toThrow();
  });
});
