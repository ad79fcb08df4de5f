// What a tool returned or threw, as a JSON value that fits: on a line with the rest of its response, in
// the history, and in what a model reads. What is too long or too deep is cut, and says so.

import { cutText, describeThrown, exceedsDepth, limits } from "@hawser/wire";
import { fromMcpResult, isMcpResult } from "../mcp-result.ts";

/** Room for what is around a value: in a response, in a journal and in `load_conversation`. */
export const envelopeDepth = 8;

/** Plain JSON, within bounds. What speaks MCP is taken out of its envelope; with media it has a bound of its own. */
export function toToolValue(returned: unknown): unknown {
  const value = isMcpResult(returned) ? fromMcpResult(returned) : returned;
  const text = toJson(value);
  if (text.length > (isMcpResult(value) ? mcpChars : limits.agentToolResultChars)) return cut(typeof value === "string" ? value : text);
  return exceedsDepth(text, limits.maxWriteDepth - envelopeDepth) ? text : (JSON.parse(text) as unknown);
}

// The blocks fit by themselves; this is for what is around them.
const mcpChars = limits.agentToolResultChars + limits.agentToolMediaChars + 65_536;

/** A line about what a tool threw, within bounds. */
export function toToolError(thrown: unknown): string {
  return cutText(describeThrown(thrown), limits.maxErrorTextChars);
}

function toJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "null";
  } catch (error) {
    return JSON.stringify(`(what the tool returned can't be written as JSON: ${describeThrown(error)})`);
  }
}

function cut(text: string): { text: string; truncated: true; chars: number } {
  return { text: cutText(text, limits.agentToolResultChars / 2, "").toWellFormed(), truncated: true, chars: text.length };
}
