// One error class with a closed set of codes, and one table that says what each code is in
// every protocol: the `type` on the tool bridge's socket, the `code` of igw-rpc-v1, the opening
// words of an agent error, the JSON-RPC code for MCP and ACP, and the exit code of a command.
// A message says what happened and what to do; facts are for programs.

import { protocolLimits } from "./limits.ts";
import { cutText } from "./text/cut-text.ts";

interface ErrorRow {
  readonly ipcType: string;
  readonly rpcCode: 2 | 6 | 7;
  readonly agentText: string;
  readonly jsonRpcCode: number;
  readonly exitCode: number;
  /** The same request may succeed a little later. */
  readonly retryable?: boolean;
}

export const errorTable = {
  invalid_json: { ipcType: "IPCError", rpcCode: 2, agentText: "Invalid JSON", jsonRpcCode: -32700, exitCode: 2 },
  invalid_utf8: { ipcType: "IPCError", rpcCode: 2, agentText: "Invalid UTF-8", jsonRpcCode: -32700, exitCode: 2 },
  too_deep: { ipcType: "IPCError", rpcCode: 2, agentText: "Nested too deeply", jsonRpcCode: -32700, exitCode: 2 },
  too_large: { ipcType: "IPCMessageSizeError", rpcCode: 2, agentText: "Message too large", jsonRpcCode: -32600, exitCode: 2 },
  invalid_message: { ipcType: "ValueError", rpcCode: 2, agentText: "Invalid request", jsonRpcCode: -32600, exitCode: 2 },
  unknown_method: { ipcType: "ValueError", rpcCode: 2, agentText: "Unknown request", jsonRpcCode: -32601, exitCode: 2 },
  duplicate_id: { ipcType: "ValueError", rpcCode: 2, agentText: "Duplicate id", jsonRpcCode: -32600, exitCode: 2 },
  usage: { ipcType: "ValueError", rpcCode: 2, agentText: "Not possible", jsonRpcCode: -32602, exitCode: 2 },
  tool_not_found: { ipcType: "ToolNotFoundError", rpcCode: 2, agentText: "No such tool", jsonRpcCode: -32602, exitCode: 2 },
  invalid_arguments: { ipcType: "ToolInputValidationError", rpcCode: 2, agentText: "Invalid arguments", jsonRpcCode: -32602, exitCode: 2 },
  tool_failed: { ipcType: "IPCToolExecutionError", rpcCode: 7, agentText: "Tool failed", jsonRpcCode: -32603, exitCode: 7 },
  model_failed: { ipcType: "IPCError", rpcCode: 7, agentText: "Model failed", jsonRpcCode: -32603, exitCode: 7 },
  not_serializable: {
    ipcType: "IPCToolExecutionError",
    rpcCode: 7,
    agentText: "Not representable as JSON",
    jsonRpcCode: -32603,
    exitCode: 1,
  },
  overloaded: { ipcType: "IPCError", rpcCode: 7, agentText: "Overloaded", jsonRpcCode: -32000, exitCode: 7, retryable: true },
  cancelled: { ipcType: "IPCError", rpcCode: 7, agentText: "Cancelled", jsonRpcCode: -32800, exitCode: 7 },
  timeout: { ipcType: "IPCError", rpcCode: 7, agentText: "Timed out", jsonRpcCode: -32001, exitCode: 7, retryable: true },
  connection_failed: {
    ipcType: "IPCConnectionError",
    rpcCode: 7,
    agentText: "Connection failed",
    jsonRpcCode: -32000,
    exitCode: 7,
    retryable: true,
  },
  connection_lost: {
    ipcType: "IPCConnectionError",
    rpcCode: 7,
    agentText: "Connection lost",
    jsonRpcCode: -32000,
    exitCode: 7,
    retryable: true,
  },
  closed: { ipcType: "IPCConnectionError", rpcCode: 7, agentText: "Connection closed", jsonRpcCode: -32000, exitCode: 7 },
  path_too_long: { ipcType: "SocketPathTooLong", rpcCode: 2, agentText: "Socket path too long", jsonRpcCode: -32603, exitCode: 2 },
  name_taken: { ipcType: "IPCConnectionError", rpcCode: 2, agentText: "Socket name taken", jsonRpcCode: -32603, exitCode: 2 },
  start_failed: { ipcType: "BridgeStartupError", rpcCode: 7, agentText: "Start failed", jsonRpcCode: -32603, exitCode: 7 },
  internal: { ipcType: "IPCError", rpcCode: 7, agentText: "Internal error", jsonRpcCode: -32603, exitCode: 1 },
} as const satisfies Record<string, ErrorRow>;

export type ErrorCode = keyof typeof errorTable;

const brand = Symbol.for("hawser.error");

export interface ErrorDetails {
  readonly cause?: unknown;
  /** What a program may want to know: sizes, paths, positions. Never a secret. */
  readonly facts?: Readonly<Record<string, unknown>>;
}

/** What Hawser throws. `code` is one of a closed set, `facts` carries the numbers. */
export class HawserError extends Error {
  override readonly name: string = "HawserError";
  readonly code: ErrorCode;
  readonly facts: Readonly<Record<string, unknown>>;
  readonly [brand] = true;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.facts = details.facts ?? {};
  }

  /** True also for an instance that another copy of this module made. */
  static isInstance(value: unknown): value is HawserError {
    try {
      return typeof value === "object" && value !== null && (value as { [brand]?: unknown })[brand] === true;
    } catch {
      // A proxy that throws, or was revoked.
      return false;
    }
  }
}

/** The given error if it is ours, else ours around it. */
export function toHawserError(value: unknown, code: ErrorCode = "internal"): HawserError {
  return HawserError.isInstance(value) ? value : new HawserError(code, describeThrown(value), { cause: value });
}

/** A line about anything that was thrown: errors, strings, null, objects with hostile getters. */
export function describeThrown(value: unknown): string {
  try {
    // A message may be anything: nothing keeps a program from assigning to it.
    if (value instanceof Error) {
      const { message, name } = value as { message: unknown; name: unknown };
      return String(message) || String(name) || "error without a message";
    }
    return typeof value === "string" ? value : `thrown value: ${String(value)}`;
  } catch {
    return "thrown value that can't be described";
  }
}

/** What an error says, as well-formed text of bounded length. */
export const toErrorText = (text: string): string => cutText(text, protocolLimits.maxErrorTextChars).toWellFormed();

/** A piece of foreign text, for a message: on one line, in quotes that it can't end, and cut to `maxChars`, the ellipsis included. */
export function quoteShort(text: string, maxChars: number): string {
  return JSON.stringify(cutText(text, maxChars));
}

/** The one refusal of everything that is larger than its limit. */
export function tooLarge(what: "line" | "frame" | "message", bytes: number, maxBytes: number): HawserError {
  return new HawserError("too_large", `${what} of ${bytes} bytes; the limit is ${maxBytes}. Send less, or a path to a file`, {
    facts: { bytes, maxBytes },
  });
}
