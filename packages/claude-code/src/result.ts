// What the messages of a run come to: a text, a value if one was asked for, and everything that is known about how it
// came about. A run that ended without an answer, or with an error, is an error here and never an empty text.

import { isRecord } from "@hawser/protocol/internal";
import type { SdkMessage } from "./agent-sdk.ts";
import { CLIExecutionError, CLIResponseParseError } from "./errors.ts";

export interface ClaudeCodeUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
}

export interface ClaudeCodeMetadata {
  /** For `resume`. */
  readonly sessionId: string;
  readonly model: string | undefined;
  readonly cliVersion: string | undefined;
  /** An estimate of the command line, in US dollars, for the session so far: a resumed one has a past. */
  readonly costUsd: number;
  readonly usage: ClaudeCodeUsage;
  /** By model, as the command line counts it. */
  readonly modelUsage: Readonly<Record<string, unknown>>;
  readonly turns: number;
  readonly durationMs: number;
  readonly stopReason: string | undefined;
  /** Calls that were denied, other retries and limits that the command line met. */
  readonly warnings: readonly string[];
}

export interface ClaudeCodeResult<Output = unknown> {
  readonly text: string;
  /** Fits the schema; undefined where none was given. */
  readonly output: Output;
  readonly sessionId: string;
}

export interface ClaudeCodeResultWithMetadata<Output = unknown> extends ClaudeCodeResult<Output> {
  readonly metadata: ClaudeCodeMetadata;
}

export interface ResultMessage extends SdkMessage {
  readonly result?: string;
  readonly structured_output?: unknown;
}

/** The tool by which the command line has its model give a structured answer. */
export const structuredOutputTool = "StructuredOutput";

export type RunRecord = ReturnType<typeof createRunRecord>;

export function createRunRecord() {
  const warnings: string[] = [];
  let init: SdkMessage | undefined;
  let lastText = "";

  const record = {
    /** What the model gave as its structured answer, whether it was taken or not. */
    lastStructuredInput: undefined as unknown,
    /** The message that ends a run; undefined before it. */
    result: undefined as ResultMessage | undefined,
    add(message: SdkMessage): void {
      if (message.type === "system" && message.subtype === "init") init = message;
      if (message.type === "result") record.result = message as ResultMessage;
      if (message.type === "assistant")
        for (const { name, input, text } of blocksOf(message)) {
          if (name === structuredOutputTool) record.lastStructuredInput = input;
          if (typeof text === "string") lastText = text;
        }
      warnings.push(...warningsIn(message));
    },
    /** The answer in words: that of the result, else what the model said last. */
    text: (): string => (textOf(record.result?.result) ?? lastText).toWellFormed(),
    /** Throws CLIResponseParseError before there is a result. */
    metadata: (): ClaudeCodeMetadata => toMetadata(required(record.result), init, warnings),
  };
  return record;
}

/** Throws what the result says went wrong. */
export function checkResult(ended: ResultMessage | undefined): void {
  const result = required(ended);
  const { subtype, is_error, api_error_status: status, errors, stop_reason } = result;
  if (subtype === "success" && is_error !== true) {
    if (typeof result.result === "string") return;
    throw new CLIResponseParseError("the result of Claude Code has no text", { facts: { subtype } });
  }
  const reasons = [...(Array.isArray(errors) ? (errors as unknown[]) : []), result.result].filter((reason) => typeof reason === "string");
  const meaning = subtype === undefined ? undefined : meanings[subtype];
  const text = [meaning, ...reasons].filter((part) => part !== undefined && part !== "").join(": ") || "it reported an error";
  // Its own advice is for a user in front of it.
  const advice = status === 401 || text.includes("/login") ? "; log in once with `claude`, or set ANTHROPIC_API_KEY" : "";
  throw new CLIExecutionError(`Claude Code: ${text}${advice}`, { facts: { subtype, status, stopReason: stop_reason } });
}

function required(result: ResultMessage | undefined): ResultMessage {
  if (result) return result;
  throw new CLIResponseParseError("Claude Code ended without a result; its output may have been cut off");
}

const meanings: Readonly<Record<string, string>> = {
  error_max_turns: "the limit of turns was reached (`maxTurns`)",
  error_max_budget_usd: "the budget was used up (`maxBudgetUsd`)",
  error_max_structured_output_retries: "no answer that fits the schema",
};

function* warningsIn(message: SdkMessage): Generator<string> {
  if (message.type === "result" && Array.isArray(message["permission_denials"]))
    for (const denial of message["permission_denials"] as unknown[])
      if (isRecord(denial)) yield `a call of ${String(denial["tool_name"])} was denied`;
  if (message.type === "system" && message.subtype === "api_retry")
    yield `the API was asked again: ${textOf(message["error"]) ?? "no answer"}`;
  if (message.type === "rate_limit_event" && isRecord(message["rate_limit_info"]) && message["rate_limit_info"]["status"] !== "allowed")
    yield `rate limit: ${String(message["rate_limit_info"]["status"])}`;
}

function toMetadata(result: ResultMessage, init: SdkMessage | undefined, warnings: readonly string[]): ClaudeCodeMetadata {
  const usage = isRecord(result["usage"]) ? result["usage"] : {};
  return {
    sessionId: result.session_id ?? init?.session_id ?? "",
    model: textOf(init?.["model"]),
    cliVersion: textOf(init?.["claude_code_version"]),
    costUsd: numberOf(result["total_cost_usd"]),
    usage: toUsage(usage),
    modelUsage: isRecord(result["modelUsage"]) ? result["modelUsage"] : {},
    turns: numberOf(result["num_turns"]),
    durationMs: numberOf(result["duration_ms"]),
    stopReason: textOf(result["stop_reason"]),
    warnings: [...warnings],
  };
}

export const toUsage = (usage: Readonly<Record<string, unknown>>): ClaudeCodeUsage => ({
  inputTokens: numberOf(usage["input_tokens"]),
  outputTokens: numberOf(usage["output_tokens"]),
  cacheReadTokens: numberOf(usage["cache_read_input_tokens"]),
  cacheWriteTokens: numberOf(usage["cache_creation_input_tokens"]),
});

/** The blocks of an assistant's or user's message. */
export function blocksOf(message: SdkMessage): readonly Record<string, unknown>[] {
  const { content } = (isRecord(message["message"]) ? message["message"] : {}) as { content?: unknown };
  return Array.isArray(content) ? content.filter(isRecord) : [];
}

const numberOf = (value: unknown): number => (typeof value === "number" && Number.isFinite(value) ? value : 0);
const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);
