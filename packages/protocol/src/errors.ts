// One error class with a closed set of codes, and one table that says what each code is in every protocol. A message says what
// happened and what to do; facts are for programs.

import { protocolLimits } from "./limits.ts";
import { cutText } from "./text/cut-text.ts";

interface ErrorRow {
  /** The `type` on the tool bridge's socket. */
  readonly ipcType: string;
  readonly rpcCode: 2 | 6 | 7;
  /** The opening words of an agent's error. */
  readonly agentText: string;
  /** For MCP and ACP. */
  readonly jsonRpcCode: number;
  readonly exitCode: number;
  /** The same request may succeed a little later. */
  readonly retryable?: boolean;
}

// What can't be served as it was asked for, and what was tried and failed.
const refusal = (ipcType: string, agentText: string, jsonRpcCode: number): ErrorRow => ({
  ipcType,
  rpcCode: 2,
  agentText,
  jsonRpcCode,
  exitCode: 2,
});
const failure = (ipcType: string, agentText: string, jsonRpcCode: number, rest: Partial<ErrorRow> = {}): ErrorRow => ({
  ...refusal(ipcType, agentText, jsonRpcCode),
  rpcCode: 7,
  exitCode: 7,
  ...rest,
});

export const errorTable = {
  invalid_json: refusal("IPCError", "Invalid JSON", -32700),
  invalid_utf8: refusal("IPCError", "Invalid UTF-8", -32700),
  too_deep: refusal("IPCError", "Nested too deeply", -32700),
  too_large: refusal("IPCMessageSizeError", "Message too large", -32600),
  invalid_message: refusal("ValueError", "Invalid request", -32600),
  unknown_method: refusal("ValueError", "Unknown request", -32601),
  duplicate_id: refusal("ValueError", "Duplicate id", -32600),
  usage: refusal("ValueError", "Not possible", -32602),
  tool_not_found: refusal("ToolNotFoundError", "No such tool", -32602),
  invalid_arguments: refusal("ToolInputValidationError", "Invalid arguments", -32602),
  tool_failed: failure("IPCToolExecutionError", "Tool failed", -32603),
  model_failed: failure("IPCError", "Model failed", -32603),
  budget_exceeded: failure("IPCError", "Budget used up", -32603),
  not_serializable: failure("IPCToolExecutionError", "Not representable as JSON", -32603, { exitCode: 1 }),
  overloaded: failure("IPCError", "Overloaded", -32000, { retryable: true }),
  cancelled: failure("IPCError", "Cancelled", -32800),
  timeout: failure("IPCError", "Timed out", -32001, { retryable: true }),
  connection_failed: failure("IPCConnectionError", "Connection failed", -32000, { retryable: true }),
  connection_lost: failure("IPCConnectionError", "Connection lost", -32000, { retryable: true }),
  closed: failure("IPCConnectionError", "Connection closed", -32000),
  /** It was sent and may have been done; it is not for a program to send it again. */
  unknown_outcome: failure("IPCConnectionError", "Outcome unknown", -32000),
  path_too_long: refusal("SocketPathTooLong", "Socket path too long", -32603),
  name_taken: refusal("IPCConnectionError", "Socket name taken", -32603),
  start_failed: failure("BridgeStartupError", "Start failed", -32603),
  internal: failure("IPCError", "Internal error", -32603, { exitCode: 1 }),
};

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

/** How a request of the agent protocol ends in an error: the opening words say what kind of failure it is, the rest what happened and what to do. */
export function toErrorEvent(thrown: unknown): { readonly type: "error"; readonly error: string; readonly code: ErrorCode } {
  const { code, message } = toHawserError(thrown);
  const { agentText } = errorTable[code];
  const hasOpening = message.toLowerCase().startsWith(agentText.toLowerCase());
  const text = hasOpening ? message.slice(0, 1).toUpperCase() + message.slice(1) : `${agentText}: ${message}`;
  return { type: "error", error: toErrorText(text), code };
}

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
