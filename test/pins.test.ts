// What users of the packages may rely on by name, pinned as literals: exported names, limits, error
// codes. A change here is a decision, and belongs into a changeset.

import { describe, expect, it } from "vitest";
import { errorTable } from "@hawser/protocol";
import { globSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { readLimits } from "../scripts/protocols/limit-tables.ts";
import pinnedLimits from "./pinned-limits.json" with { type: "json" };

const root = resolve(import.meta.dirname, "..");
const maxPublicValues = 110;

/** Every entry that users may import, and the values in it. `internal` entries are for our own packages and not pinned. */
const publicValues: Readonly<Record<string, readonly string[]>> = {
  "@hawser/agent": [
    "connectMcpServers",
    "createAttachmentReader",
    "createAuditLog",
    "createBuiltinTools",
    "createFileStore",
    "createMemoryStore",
    "createModelCatalog",
    "createOfflineModel",
    "createOneWorkspace",
    "createPolicy",
    "createRoots",
    "loadAgentConfig",
    "serveAgent",
  ],
  "@hawser/agent/host": ["createAgentClient", "createProcessLink", "spawnAgent"],
  "@hawser/agent/host/link": ["agentHostLimits", "createAgentClient", "parseRules"],
  "@hawser/bridge": [
    "BridgeStartupError",
    "ClaudeCodeError",
    "DEFAULT_TRANSPORT",
    "IPCConnectionError",
    "IPCError",
    "IPCMessageSizeError",
    "IPCToolExecutionError",
    "LENGTH_PREFIX_SIZE",
    "MAX_MESSAGE_SIZE",
    "SCHEMA_FILE_PREFIX",
    "SOCKET_FILE_PREFIX",
    "SOCKET_FILE_SUFFIX",
    "SOCKET_PERMISSIONS",
    "SocketPathTooLong",
    "ToolInputValidationError",
    "ToolNotFoundError",
    "createIPCSession",
    "defineTool",
    "printClientConfig",
  ],
  "@hawser/claude-code": [
    "AgentSDKNotInstalledError",
    "BridgeStartupError",
    "CLIExecutionError",
    "CLIInterruptedError",
    "CLINotFoundError",
    "CLIResponseParseError",
    "CLITimeoutError",
    "ClaudeCodeError",
    "ClaudeCodeModel",
    "DEFAULT_TRANSPORT",
    "IPCConnectionError",
    "IPCError",
    "IPCMessageSizeError",
    "IPCToolExecutionError",
    "LENGTH_PREFIX_SIZE",
    "MAX_MESSAGE_SIZE",
    "SCHEMA_FILE_PREFIX",
    "SOCKET_FILE_PREFIX",
    "SOCKET_FILE_SUFFIX",
    "SOCKET_PERMISSIONS",
    "SocketPathTooLong",
    "StructuredOutputError",
    "ToolInputValidationError",
    "ToolNotFoundError",
    "ToolsetNotRegisteredError",
    "claudeCode",
    "createClaudeCode",
    "defineTool",
    "isClaudeCodeAvailable",
  ],
  "@hawser/conformance": [
    "checkSuite",
    "commandSubject",
    "formatSummary",
    "runSuite",
    "streamsSubject",
    "subjectFor",
    "suites",
    "toExitCode",
  ],
  "@hawser/gateway": ["createCallCore", "gatewayTools", "rpcCodec", "runBatch", "serveRpc", "startDemoApi"],
  "@hawser/gateway/host": ["startGatewayHost"],
  "@hawser/protocol": [
    "AGENT_CAPABILITIES",
    "AGENT_PROTOCOL_VERSION",
    "HawserError",
    "RPC_MIN_HOST_SEMVER",
    "RPC_PROTOCOL",
    "RPC_SEMVER",
    "agentProtocol",
    "bridgeProtocol",
    "describeThrown",
    "echoProtocol",
    "errorTable",
    "reveal",
    "rpcProtocol",
    "toHawserError",
  ],
  "@hawser/shell": ["startShell"],
  "@hawser/tools": ["defineTool"],
  "@hawser/wire": ["createMemoryPair", "createPendingTable", "wireLimits"],
  "@hawser/wire/node": [
    "connectSocket",
    "createSessionFiles",
    "createSessionNames",
    "createStreamTransport",
    "lengthPrefix",
    "listenSocket",
    "ndjson",
    "runStdio",
    "startChild",
  ],
};

interface Manifest {
  readonly name: string;
  readonly exports?: Readonly<Record<string, unknown>>;
}

function publicEntries(): string[] {
  const manifests = globSync("packages/*/package.json", { cwd: root }).map(
    (path) => JSON.parse(readFileSync(join(root, path), "utf8")) as Manifest,
  );
  return manifests.flatMap(({ name, exports = {} }) =>
    Object.keys(exports)
      .filter((entry) => !/^\.\/internal(?:\/|$)/.test(entry))
      .map((entry) => `${name}${entry.slice(1)}`),
  );
}

describe("public entries", () => {
  it("are these", () => {
    expect(publicEntries().toSorted()).toEqual(Object.keys(publicValues).toSorted());
  });

  it.each(Object.entries(publicValues))("%s exports these values", async (entry, names) => {
    expect(Object.keys((await import(entry)) as object).toSorted()).toEqual(names);
  });

  it(`have at most ${maxPublicValues} values in all`, () => {
    expect(Object.values(publicValues).flat().length).toBeLessThanOrEqual(maxPublicValues);
  });
});

describe("G15 limits", () => {
  it("have these names and defaults", () => {
    expect(readLimits()).toEqual(pinnedLimits);
  });

  it("carry their unit in their name", () => {
    for (const name of Object.keys(pinnedLimits)) {
      expect(name).toMatch(
        /(?:Bytes|Ms|Chars|Depth|Messages|Members|Connections|Descriptors|Entries|Redirects|Codings|Workers|Turns|Lanes|Steps|Calls|Tokens|Percent|Frames)$/,
      );
    }
  });
});

describe("H43 errors", () => {
  it("have these codes, and every code has a meaning in every protocol", () => {
    const rows = Object.entries(errorTable).map(([code, row]) => [code, row.ipcType, row.rpcCode, row.jsonRpcCode, row.exitCode].join(" "));
    expect(rows).toMatchInlineSnapshot(`
      [
        "invalid_json IPCError 2 -32700 2",
        "invalid_utf8 IPCError 2 -32700 2",
        "too_deep IPCError 2 -32700 2",
        "too_large IPCMessageSizeError 2 -32600 2",
        "invalid_message ValueError 2 -32600 2",
        "unknown_method ValueError 2 -32601 2",
        "duplicate_id ValueError 2 -32600 2",
        "usage ValueError 2 -32602 2",
        "tool_not_found ToolNotFoundError 2 -32602 2",
        "invalid_arguments ToolInputValidationError 2 -32602 2",
        "tool_failed IPCToolExecutionError 7 -32603 7",
        "model_failed IPCError 7 -32603 7",
        "budget_exceeded IPCError 7 -32603 7",
        "not_serializable IPCToolExecutionError 7 -32603 1",
        "overloaded IPCError 7 -32000 7",
        "cancelled IPCError 7 -32800 7",
        "timeout IPCError 7 -32001 7",
        "connection_failed IPCConnectionError 7 -32000 7",
        "connection_lost IPCConnectionError 7 -32000 7",
        "closed IPCConnectionError 7 -32000 7",
        "unknown_outcome IPCConnectionError 7 -32000 7",
        "path_too_long SocketPathTooLong 2 -32603 2",
        "name_taken IPCConnectionError 2 -32603 2",
        "start_failed BridgeStartupError 7 -32603 7",
        "internal IPCError 7 -32603 1",
      ]
    `);
    for (const row of Object.values(errorTable)) {
      expect(row.agentText).toMatch(/^[A-Z]/);
      expect([2, 6, 7]).toContain(row.rpcCode);
      expect(row.jsonRpcCode).toBeLessThan(0);
      expect(row.exitCode).toBeGreaterThan(0);
    }
  });
});
