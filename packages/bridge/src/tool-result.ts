// Whatever a function returns or throws, as a result that MCP clients understand. A string is one
// text block; content blocks and whole results pass through; any other JSON value becomes its JSON
// text, and an object also structured content. There is always at least one block.

import { describeThrown, errorTable, exceedsDepth, HawserError, IPCToolExecutionError, limits } from "@hawser/wire";
import type { IPCErrorPayload, ToolResult, ToolResultContent } from "./contract.ts";

export function toToolResult(toolName: string, value: unknown): ToolResult {
  if (value === undefined) return textResult("");
  if (typeof value === "string") return textResult(value);
  if (isWholeResult(value)) return value.content.length > 0 ? value : { ...value, content: textResult("").content };
  if (Array.isArray(value) && value.length > 0 && value.every(isContentBlock)) return { content: value };
  const text = toText(toolName, value);
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  // Deep values would make the whole message unreadable for some peers; as text they arrive whole.
  return isObject && !exceedsDepth(text, maxValueDepth)
    ? { ...textResult(text), structuredContent: JSON.parse(text) as Record<string, unknown> }
    : textResult(text);
}

export function textResult(text: string): ToolResult {
  return { content: [{ type: "text", text }] };
}

/** The answer to a call whose function threw. */
export function toErrorPayload(toolName: string, thrown: unknown): IPCErrorPayload {
  if (HawserError.isInstance(thrown)) {
    // Our own errors already say what to do, and carry the contract's name where it has one.
    return { message: bounded(thrown.message), type: thrown.name === "HawserError" ? errorTable[thrown.code].ipcType : thrown.name };
  }
  const message = `tool "${toolName}" failed: ${describeThrown(thrown)}`;
  return { message: bounded(message), type: typeName(thrown) };
}

/** The class of what was thrown: what a Python peer would call the exception's name. */
function typeName(thrown: unknown): string {
  try {
    if (thrown instanceof Error) return thrown.constructor.name || thrown.name;
  } catch {
    // An object with hostile getters is not worth more thought.
  }
  return "Error";
}

const bounded = (text: string): string =>
  text.length <= limits.maxErrorTextChars ? text : `${text.slice(0, limits.maxErrorTextChars)}… (${text.length} characters)`;

// Room for the envelope around the value: result, structuredContent, and the JSON-RPC message of the bridge.
const maxValueDepth = limits.maxWriteDepth - 4;

function toText(toolName: string, value: unknown): string {
  try {
    const text = JSON.stringify(value);
    if (text !== undefined) return text;
  } catch (cause) {
    throw new IPCToolExecutionError(`tool "${toolName}" returned what JSON can't hold: ${describeThrown(cause)}. Return plain data`, {
      cause,
    });
  }
  throw new IPCToolExecutionError(`tool "${toolName}" returned a ${typeof value}, which JSON can't hold. Return plain data`);
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

function isWholeResult(value: unknown): value is ToolResult {
  return (
    isRecord(value) &&
    Array.isArray(value["content"]) &&
    value["content"].every((block) => isRecord(block) && typeof block["type"] === "string")
  );
}

const blockMembers: Readonly<Record<string, readonly string[]>> = {
  text: ["text"],
  image: ["data", "mimeType"],
  audio: ["data", "mimeType"],
  resource: ["resource"],
  resource_link: ["uri", "name"],
};

/** Stricter than for whole results: an array of rows that have a `type` column is data, not content. */
function isContentBlock(value: unknown): value is ToolResultContent {
  if (!isRecord(value) || typeof value["type"] !== "string") return false;
  const members = blockMembers[value["type"]];
  return members !== undefined && members.every((member) => value[member] !== undefined);
}
