// The error classes that the tool bridge's contract names. They are HawserErrors with the names
// that Python bridges and parents know, since those names travel on the wire as `type`.

import { errorTable, HawserError, type ErrorCode, type ErrorDetails } from "./errors.ts";

export class ClaudeCodeError extends HawserError {
  override readonly name: string = "ClaudeCodeError";
  constructor(message: string, details: ErrorDetails = {}, code: ErrorCode = "internal") {
    super(code, message, details);
  }
}

/** Something went wrong between a bridge and its parent. */
export class IPCError extends ClaudeCodeError {
  override readonly name: string = "IPCError";
}

/** The bridge can't reach the program that owns the functions, or lost it. */
export class IPCConnectionError extends IPCError {
  override readonly name = "IPCConnectionError";
  constructor(message: string, details: ErrorDetails = {}, code: ErrorCode = "connection_lost") {
    super(message, details, code);
  }
}

/** A message is larger than MAX_MESSAGE_SIZE. Raised by its sender, before a byte is written. */
export class IPCMessageSizeError extends IPCError {
  override readonly name = "IPCMessageSizeError";
  constructor(message: string, details: ErrorDetails = {}) {
    super(message, details, "too_large");
  }
}

/** A function failed, or its result can't be sent. */
export class IPCToolExecutionError extends IPCError {
  override readonly name = "IPCToolExecutionError";
  constructor(message: string, details: ErrorDetails = {}, code: ErrorCode = "tool_failed") {
    super(message, details, code);
  }
}

/** The bridge process did not come up. */
export class BridgeStartupError extends IPCError {
  override readonly name = "BridgeStartupError";
  constructor(message: string, details: ErrorDetails = {}) {
    super(message, details, "start_failed");
  }
}

/** No directory leaves the socket's path short enough for the system; `facts` has the path and both lengths. */
export class SocketPathTooLong extends IPCError {
  override readonly name = "SocketPathTooLong";
  constructor(message: string, details: ErrorDetails = {}) {
    super(message, details, "path_too_long");
  }
}

/** There is no tool of that name. */
export class ToolNotFoundError extends ClaudeCodeError {
  override readonly name = "ToolNotFoundError";
  constructor(message: string, details: ErrorDetails = {}) {
    super(message, details, "tool_not_found");
  }
}

/** The arguments do not fit the tool's input schema; `facts.path` names the field. */
export class ToolInputValidationError extends ClaudeCodeError {
  override readonly name = "ToolInputValidationError";
  constructor(message: string, details: ErrorDetails = {}) {
    super(message, details, "invalid_arguments");
  }
}

/** The class that the contract demands for one of our codes. */
export function toIPCError(error: HawserError): ClaudeCodeError {
  if (error instanceof ClaudeCodeError) return error;
  const details = { cause: error, facts: error.facts };
  switch (errorTable[error.code].ipcType) {
    case "IPCMessageSizeError":
      return new IPCMessageSizeError(error.message, details);
    case "IPCConnectionError":
      return new IPCConnectionError(error.message, details, error.code);
    case "BridgeStartupError":
      return new BridgeStartupError(error.message, details);
    case "IPCToolExecutionError":
      return new IPCToolExecutionError(error.message, details, error.code);
    case "SocketPathTooLong":
      return new SocketPathTooLong(error.message, details);
    case "ToolNotFoundError":
      return new ToolNotFoundError(error.message, details);
    case "ToolInputValidationError":
      return new ToolInputValidationError(error.message, details);
    default:
      return new IPCError(error.message, details, error.code);
  }
}
