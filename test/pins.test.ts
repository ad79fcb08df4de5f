// What users of the packages may rely on by name, pinned as literals: exported names, limits, error
// codes. A change here is a decision, and belongs into a changeset.

import { describe, expect, it } from "vitest";
import * as conformance from "@hawser/conformance";
import * as wire from "@hawser/wire";
import * as wireNode from "@hawser/wire/node";

const namesOf = (module: object): string[] => Object.keys(module).toSorted();

describe("exported names", () => {
  it("of @hawser/wire", () => {
    expect(namesOf(wire)).toMatchInlineSnapshot(`
      [
        "BridgeStartupError",
        "ClaudeCodeError",
        "HawserError",
        "IPCConnectionError",
        "IPCError",
        "IPCMessageSizeError",
        "IPCToolExecutionError",
        "JsonText",
        "ToolInputValidationError",
        "ToolNotFoundError",
        "bridgeProtocol",
        "createInFlightTable",
        "createMemoryPair",
        "createPendingTable",
        "createWorkQueue",
        "defineProtocol",
        "defineTool",
        "describeThrown",
        "echoProtocol",
        "errorTable",
        "exceedsDepth",
        "isStandardSchema",
        "limitTable",
        "limits",
        "memberSource",
        "parseJsonText",
        "startDeadline",
        "toHawserError",
        "toIPCError",
        "toJsonText",
        "untilAborted",
        "whenAborted",
        "withIdSource",
      ]
    `);
  });

  it("of @hawser/wire/node", () => {
    expect(namesOf(wireNode)).toMatchInlineSnapshot(`
      [
        "LENGTH_PREFIX_SIZE",
        "SCHEMA_FILE_PREFIX",
        "SOCKET_FILE_PREFIX",
        "SOCKET_FILE_SUFFIX",
        "SOCKET_PERMISSIONS",
        "connectSocket",
        "createLifecycle",
        "createSessionFiles",
        "createSessionNames",
        "createStreamTransport",
        "endOnSignals",
        "guardStdout",
        "lengthPrefix",
        "listenSocket",
        "logLine",
        "ndjson",
        "onProcessEnd",
        "runStdio",
        "serveEcho",
        "startChild",
        "watchParent",
      ]
    `);
  });

  it("of @hawser/conformance", () => {
    expect(namesOf(conformance)).toMatchInlineSnapshot(`
      [
        "checkSuite",
        "commandSubject",
        "defaultConcurrency",
        "defaultTimeoutMs",
        "formatScenario",
        "formatSummary",
        "runSuite",
        "streamsSubject",
        "subjectFor",
        "suites",
        "toExitCode",
      ]
    `);
  });
});

describe("G15 limits", () => {
  it("have these names and defaults", () => {
    expect(wire.limits).toMatchInlineSnapshot(`
      {
        "batchHeldBytes": 33554432,
        "batchHeldEntries": 1024,
        "bridgeConnections": 8,
        "bridgeEofGraceMs": 2000,
        "callTimeoutMs": 8000,
        "cancelGraceMs": 1500,
        "closeFlushMs": 2000,
        "connectTimeoutMs": 5000,
        "documentMaxAgeMs": 86400000,
        "documentTimeoutMs": 30000,
        "eofGraceMs": 10000,
        "exitFlushMs": 5000,
        "frameDeadlineMs": 30000,
        "halfClosedProbeMs": 250,
        "hostBackoffMs": 100,
        "hostHandshakeMs": 10000,
        "hostMaxBackoffMs": 5000,
        "httpConnectMs": 30000,
        "httpConnections": 64,
        "httpIdleMs": 30000,
        "maxBodyBytes": 4194304,
        "maxBodyJsonBytes": 8388608,
        "maxCacheBytes": 268435456,
        "maxCachedEntries": 32,
        "maxConfigBytes": 1048576,
        "maxConnections": 256,
        "maxContentCodings": 2,
        "maxDiscardBytes": 67108864,
        "maxDocumentBytes": 67108864,
        "maxDocumentDepth": 200,
        "maxDocumentMembers": 5000000,
        "maxDurationMs": 2147483647,
        "maxErrorTextChars": 2000,
        "maxMessageBytes": 10485760,
        "maxOperationBytes": 2097152,
        "maxParameterBytes": 65536,
        "maxReadDepth": 128,
        "maxReadMembers": 600000,
        "maxRedirects": 5,
        "maxRememberedEntries": 256,
        "maxRequestHeadBytes": 262144,
        "maxResultBytes": 4000000,
        "maxRetryBackoffMs": 30000,
        "maxSpillBytes": 268435456,
        "maxStderrBytes": 1048576,
        "maxSweptEntries": 1000,
        "maxTapChars": 2000,
        "maxTokenBytes": 8192,
        "maxUnreadChars": 10485760,
        "maxUnreadMessages": 256,
        "maxUnsentBytes": 33554432,
        "maxWriteDepth": 127,
        "parentPollMs": 1000,
        "progressHeartbeatMs": 15000,
        "refusedHeadBytes": 4096,
        "reservedDescriptors": 40,
        "retryBackoffMs": 250,
        "rpcCancelAnswerMs": 250,
        "rpcErrorTextBytes": 200,
        "rpcMaxIdBytes": 2097152,
        "rpcMaxQueuedMessages": 10000,
        "rpcMaxWorkers": 256,
        "rpcPendingMessages": 64,
        "rpcQueuedBytes": 33554432,
        "rpcUnsentBytes": 33554432,
        "signalGraceMs": 3000,
        "spillPreviewChars": 2000,
        "staleSchemaMs": 3600000,
        "staleSocketMs": 60000,
        "stopInputMs": 2000,
        "stopSignalMs": 3000,
      }
    `);
  });

  it("carry their unit in their name", () => {
    for (const name of Object.keys(wire.limits)) {
      expect(name).toMatch(/(?:Bytes|Ms|Chars|Depth|Messages|Members|Connections|Descriptors|Entries|Redirects|Codings|Workers)$/);
    }
  });
});

describe("H43 errors", () => {
  it("have these codes, and every code has a meaning in every protocol", () => {
    const rows = Object.entries(wire.errorTable).map(([code, row]) =>
      [code, row.ipcType, row.rpcCode, row.jsonRpcCode, row.exitCode].join(" "),
    );
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
        "not_serializable IPCToolExecutionError 7 -32603 1",
        "overloaded IPCError 7 -32000 7",
        "cancelled IPCError 7 -32800 7",
        "timeout IPCError 7 -32001 7",
        "connection_failed IPCConnectionError 7 -32000 7",
        "connection_lost IPCConnectionError 7 -32000 7",
        "closed IPCConnectionError 7 -32000 7",
        "path_too_long SocketPathTooLong 2 -32603 2",
        "name_taken IPCConnectionError 2 -32603 2",
        "start_failed BridgeStartupError 7 -32603 7",
        "internal IPCError 7 -32603 1",
      ]
    `);
    for (const row of Object.values(wire.errorTable)) {
      expect(row.agentText).toMatch(/^[A-Z]/);
      expect([2, 6, 7]).toContain(row.rpcCode);
      expect(row.jsonRpcCode).toBeLessThan(0);
      expect(row.exitCode).toBeGreaterThan(0);
    }
  });
});
