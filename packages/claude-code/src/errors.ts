// What a request to Claude Code can end with. Every class is a ClaudeCodeError, says what to do, and carries
// the facts that a program may want. Those of the bridge (IPCError and its like) come from the protocol.

import { ClaudeCodeError, type ErrorDetails } from "@hawser/protocol/internal";

/** The optional package that starts the command line is not installed. */
export class AgentSDKNotInstalledError extends ClaudeCodeError {
  override readonly name = "AgentSDKNotInstalledError";
  constructor(details: ErrorDetails = {}) {
    super("the Claude Agent SDK is not installed; run: npm install @anthropic-ai/claude-agent-sdk", details, "start_failed");
  }
}

/** There is no command line to run; `facts.searched` lists where it was looked for. */
export class CLINotFoundError extends ClaudeCodeError {
  override readonly name = "CLINotFoundError";
  constructor(message: string, details: ErrorDetails = {}) {
    super(message, details, "start_failed");
  }
}

/** The command line failed, died, or reported an error; `facts.subtype`, `facts.exitCode` and `facts.stderr` say more. */
export class CLIExecutionError extends ClaudeCodeError {
  override readonly name = "CLIExecutionError";
  constructor(message: string, details: ErrorDetails = {}) {
    super(message, details, "internal");
  }
}

/** The caller's signal, or its interrupt handler, ended the request. */
export class CLIInterruptedError extends ClaudeCodeError {
  override readonly name = "CLIInterruptedError";
  constructor(message: string, details: ErrorDetails = {}) {
    super(message, details, "cancelled");
  }
}

/** The request took longer than it may; `facts.timeoutMs` is the limit. */
export class CLITimeoutError extends ClaudeCodeError {
  override readonly name = "CLITimeoutError";
  constructor(message: string, details: ErrorDetails = {}) {
    super(message, details, "timeout");
  }
}

/** The command line ended, but what it wrote is not an answer. */
export class CLIResponseParseError extends ClaudeCodeError {
  override readonly name = "CLIResponseParseError";
  constructor(message: string, details: ErrorDetails = {}) {
    super(message, details, "invalid_message");
  }
}

/** There was an answer, but no object in it that fits the schema; `facts.text` is the beginning of the answer. */
export class StructuredOutputError extends ClaudeCodeError {
  override readonly name = "StructuredOutputError";
  constructor(message: string, details: ErrorDetails = {}) {
    super(message, details, "invalid_message");
  }
}

/** A request named tools, but none were registered. */
export class ToolsetNotRegisteredError extends ClaudeCodeError {
  override readonly name = "ToolsetNotRegisteredError";
  constructor(wanted: readonly string[]) {
    const names = wanted.map((name) => `"${name}"`).join(", ");
    super(`no tools are registered, but the request names ${names}; call setAgentToolsets first`, { facts: { tools: wanted } }, "usage");
  }
}
