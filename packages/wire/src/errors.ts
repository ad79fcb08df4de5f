// One error class with a closed set of codes, and one table that says what each code is in
// every protocol: the `type` on the tool bridge's socket, the `code` of igw-rpc-v1, the opening
// words of an agent error, the JSON-RPC code for MCP and ACP, and the exit code of a command.
// A message says what happened and what to do; facts are for programs.

interface ErrorRow {
  readonly ipcType: string;
  readonly rpcCode: 2 | 6 | 7;
  readonly agentText: string;
  readonly jsonRpcCode: number;
  readonly exitCode: number;
  readonly retryable: boolean;
}

const row = (
  ipcType: string,
  rpcCode: ErrorRow["rpcCode"],
  agentText: string,
  jsonRpcCode: number,
  exitCode: number,
  retryable = false,
): ErrorRow => ({ ipcType, rpcCode, agentText, jsonRpcCode, exitCode, retryable });

export const errorTable = {
  invalid_json: row("IPCError", 2, "Invalid JSON", -32700, 2),
  invalid_utf8: row("IPCError", 2, "Invalid UTF-8", -32700, 2),
  too_deep: row("IPCError", 2, "Nested too deeply", -32700, 2),
  too_large: row("IPCMessageSizeError", 2, "Message too large", -32600, 2),
  invalid_message: row("ValueError", 2, "Invalid request", -32600, 2),
  unknown_method: row("ValueError", 2, "Unknown request", -32601, 2),
  duplicate_id: row("ValueError", 2, "Duplicate id", -32600, 2),
  usage: row("ValueError", 2, "Usage", -32602, 2),
  not_serializable: row("IPCToolExecutionError", 7, "Not representable as JSON", -32603, 1),
  overloaded: row("IPCError", 7, "Overloaded", -32000, 7, true),
  cancelled: row("IPCError", 7, "Cancelled", -32800, 7),
  timeout: row("IPCError", 7, "Timed out", -32001, 7, true),
  connection_failed: row("IPCConnectionError", 7, "Connection failed", -32000, 7, true),
  connection_lost: row("IPCConnectionError", 7, "Connection lost", -32000, 7, true),
  closed: row("IPCConnectionError", 7, "Connection closed", -32000, 7),
  path_too_long: row("SocketPathTooLong", 2, "Socket path too long", -32603, 2),
  name_taken: row("IPCConnectionError", 2, "Socket name taken", -32603, 2),
  start_failed: row("BridgeStartupError", 7, "Start failed", -32603, 7),
  internal: row("IPCError", 7, "Internal error", -32603, 1),
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
    return typeof value === "object" && value !== null && brand in value;
  }
}

/** The given error if it is ours, else ours around it. */
export function toHawserError(value: unknown, code: ErrorCode = "internal"): HawserError {
  return HawserError.isInstance(value) ? value : new HawserError(code, describeThrown(value), { cause: value });
}

/** A line about anything that was thrown: errors, strings, null, objects with hostile getters. */
export function describeThrown(value: unknown): string {
  try {
    if (value instanceof Error) return value.message || value.name;
    return typeof value === "string" ? value : `thrown value: ${String(value)}`;
  } catch {
    return "thrown value that can't be described";
  }
}
