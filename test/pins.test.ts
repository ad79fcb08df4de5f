// What users of the packages may rely on by name, pinned as literals: exported names, limits, error
// codes. A change here is a decision, and belongs into a changeset.

import { describe, expect, it } from "vitest";
import * as conformance from "@hawser/conformance";
import * as wire from "@hawser/wire";
import * as wireNode from "@hawser/wire/node";
import pinnedLimits from "./pinned-limits.json" with { type: "json" };

const namesOf = (module: object): string[] => Object.keys(module).toSorted();

const pinnedWireNames = [
  "AGENT_CAPABILITIES",
  "AGENT_PROTOCOL_VERSION",
  "BridgeStartupError",
  "ClaudeCodeError",
  "HawserError",
  "IPCConnectionError",
  "IPCError",
  "IPCMessageSizeError",
  "IPCToolExecutionError",
  "JsonText",
  "RPC_MIN_HOST_SEMVER",
  "RPC_PROTOCOL",
  "RPC_SEMVER",
  "SocketPathTooLong",
  "ToolInputValidationError",
  "ToolNotFoundError",
  "agentProtocol",
  "bridgeProtocol",
  "callData",
  "callItem",
  "callStats",
  "createByteBudget",
  "createCancelController",
  "createInFlightTable",
  "createMemoryPair",
  "createNoiseLog",
  "createPendingTable",
  "createPlaces",
  "createProseRevealer",
  "createTextGap",
  "createWholeCharacters",
  "createWorkQueue",
  "cutText",
  "defineProtocol",
  "defineTool",
  "describeAltered",
  "describeThrown",
  "echoProtocol",
  "errorTable",
  "exceedsDepth",
  "findAlteredNumber",
  "helloData",
  "isKeptNumber",
  "isRecord",
  "isSettledWithin",
  "isStandardSchema",
  "joinTexts",
  "keepNumbers",
  "limitTable",
  "limits",
  "memberSource",
  "nearNames",
  "parseJsonText",
  "parseRetryAfter",
  "parseRetryAfterMs",
  "quoteShort",
  "replaceHalfPairs",
  "retryPauseMs",
  "reveal",
  "revealProse",
  "rpcProtocol",
  "splitText",
  "startDeadline",
  "toHawserError",
  "toIPCError",
  "toJsonText",
  "untilAborted",
  "weighJsonText",
  "whenAborted",
  "withIdSource",
];

describe("exported names", () => {
  it("of @hawser/wire", () => expect(namesOf(wire)).toEqual(pinnedWireNames));

  it("of @hawser/wire/node", () => {
    expect(namesOf(wireNode)).toMatchInlineSnapshot(`
      [
        "LENGTH_PREFIX_SIZE",
        "SCHEMA_FILE_PREFIX",
        "SOCKET_FILE_PREFIX",
        "SOCKET_FILE_SUFFIX",
        "SOCKET_PERMISSIONS",
        "connectSocket",
        "createAccumulator",
        "createHolderName",
        "createLastWords",
        "createLifecycle",
        "createPrivateFolder",
        "createSessionFiles",
        "createSessionNames",
        "createStreamTransport",
        "describeHolder",
        "endOnSignals",
        "guardStdout",
        "hawserCommand",
        "isSilent",
        "isTrustedOwner",
        "judgeHolder",
        "keepGrownHeapSmall",
        "keepHeapSmall",
        "lengthPrefix",
        "listenSocket",
        "logLine",
        "makeFolder",
        "ndjson",
        "onProcessEnd",
        "pidOfHolder",
        "replacePrivateFile",
        "runStdio",
        "serveEcho",
        "startBeat",
        "startChild",
        "staysSilent",
        "temporaryFolder",
        "userFolder",
        "watchParent",
        "withFileLock",
        "withOwnFlags",
        "withSmallHeap",
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
        "selectScenarios",
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
    expect(wire.limits).toEqual(pinnedLimits);
  });

  it("carry their unit in their name", () => {
    for (const name of Object.keys(wire.limits)) {
      expect(name).toMatch(
        /(?:Bytes|Ms|Chars|Depth|Messages|Members|Connections|Descriptors|Entries|Redirects|Codings|Workers|Turns|Lanes|Steps|Calls)$/,
      );
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
        "model_failed IPCError 7 -32603 7",
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
