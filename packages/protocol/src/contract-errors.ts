// The error classes that the tool bridge's contract names. They are HawserErrors with the names
// that Python bridges and parents know, since those names travel on the wire as `type`.

import { errorTable, HawserError, type ErrorCode, type ErrorDetails } from "./errors.ts";

export class ClaudeCodeError extends HawserError {
  /** Unless the constructor is told another one. */
  protected static readonly code: ErrorCode = "internal";
  override readonly name: string = "ClaudeCodeError";
  constructor(message: string, details: ErrorDetails = {}, code: ErrorCode = new.target.code) {
    super(code, message, details);
  }
}

/** Something went wrong between a bridge and its parent. */
export class IPCError extends ClaudeCodeError {
  override readonly name: string = "IPCError";
}

/** The bridge can't reach the program that owns the functions, or lost it. */
export class IPCConnectionError extends IPCError {
  protected static override readonly code = "connection_lost";
  override readonly name = "IPCConnectionError";
}

/** A message is larger than MAX_MESSAGE_SIZE. Raised by its sender, before a byte is written. */
export class IPCMessageSizeError extends IPCError {
  protected static override readonly code = "too_large";
  override readonly name = "IPCMessageSizeError";
}

/** A function failed, or its result can't be sent. */
export class IPCToolExecutionError extends IPCError {
  protected static override readonly code = "tool_failed";
  override readonly name = "IPCToolExecutionError";
}

/** The bridge process did not come up. */
export class BridgeStartupError extends IPCError {
  protected static override readonly code = "start_failed";
  override readonly name = "BridgeStartupError";
}

/** No directory leaves the socket's path short enough for the system; `facts` has the path and both lengths. */
export class SocketPathTooLong extends IPCError {
  protected static override readonly code = "path_too_long";
  override readonly name = "SocketPathTooLong";
}

/** There is no tool of that name. */
export class ToolNotFoundError extends ClaudeCodeError {
  protected static override readonly code = "tool_not_found";
  override readonly name = "ToolNotFoundError";
}

/** The arguments do not fit the tool's input schema; `facts.path` names the field. */
export class ToolInputValidationError extends ClaudeCodeError {
  protected static override readonly code = "invalid_arguments";
  override readonly name = "ToolInputValidationError";
}

const classes: ReadonlyMap<string, typeof ClaudeCodeError> = new Map(
  Object.entries({
    IPCConnectionError,
    IPCMessageSizeError,
    IPCToolExecutionError,
    BridgeStartupError,
    SocketPathTooLong,
    ToolNotFoundError,
    ToolInputValidationError,
  }),
);

/** The class that the contract demands for one of our codes. */
export function toIPCError(error: HawserError): ClaudeCodeError {
  if (error instanceof ClaudeCodeError) return error;
  const ErrorClass = classes.get(errorTable[error.code].ipcType) ?? IPCError;
  return new ErrorClass(error.message, { cause: error, facts: error.facts }, error.code);
}
