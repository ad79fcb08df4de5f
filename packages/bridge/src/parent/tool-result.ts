// What a function returns or throws, as a result that MCP clients understand. A string is one text block; content blocks
// and whole results pass through; any other JSON value becomes its JSON text, and an object also structured content.
// There is always at least one block.

import {
  bridgeProtocol,
  describeThrown,
  errorTable,
  HawserError,
  IPCToolExecutionError,
  isRecord,
  protocolLimits,
} from "@hawser/protocol/internal";
import { exceedsDepth, wireLimits } from "@hawser/wire/internal";
import type { IPCErrorPayload, ToolResult, ToolResultContent } from "../contract/contract.ts";
import { boundedText } from "../contract/notes.ts";

export function toToolResult(toolName: string, value: unknown): ToolResult {
  if (value === undefined) return textResult("");
  if (typeof value === "string") return textResult(value);
  if (isWholeResult(value)) return checked(toolName, value.content.length > 0 ? value : { ...value, ...textResult("") });
  if (Array.isArray(value) && value.every(isContentBlock)) return value.length > 0 ? checked(toolName, { content: value }) : textResult("");
  const text = toText(toolName, value);
  // Deep values would make the whole message unreadable for some peers; as text they arrive whole.
  return text.startsWith("{") && !exceedsDepth(text, maxValueDepth)
    ? { ...textResult(text), structuredContent: JSON.parse(text) as Record<string, unknown> }
    : textResult(text);
}

export function textResult(text: string): ToolResult {
  return { content: [{ type: "text", text }] };
}

/** The answer to a call whose function threw. */
export function toErrorPayload(toolName: string, thrown: unknown): IPCErrorPayload {
  try {
    const type = typeName(thrown);
    const text = HawserError.isInstance(thrown) ? thrown.message : describeChain(thrown);
    const message = namesTheTool.has(type) ? text : `tool "${toolName}" failed: ${text}`;
    return { message: boundedText(message, protocolLimits.maxErrorTextChars), type };
  } catch {
    // An object with hostile getters.
    return { message: `tool "${toolName}" failed; what it threw can't be described`, type: "Error" };
  }
}

// Errors of our own, whose text names the tool.
const namesTheTool = new Set(["ToolNotFoundError", "ToolInputValidationError", "IPCToolExecutionError"]);

/** The class of what was thrown: what a Python peer would call the exception's name. */
function typeName(thrown: unknown): string {
  if (HawserError.isInstance(thrown)) return thrown.name === "HawserError" ? errorTable[thrown.code].ipcType : thrown.name;
  const name: unknown = thrown instanceof Error && (thrown.constructor.name || thrown.name);
  return typeof name === "string" ? name : "Error";
}

// What really happened is often in the cause: "fetch failed" alone doesn't help.
function describeChain(thrown: unknown): string {
  const chain = [describeThrown(thrown)];
  let cause = (thrown as Error | undefined | null)?.cause;
  for (; cause instanceof Error && chain.length < maxChain; cause = cause.cause) chain.push(describeThrown(cause));
  return chain.join("; caused by: ");
}

const maxChain = 4;

// Room for the envelope around the value: result, structuredContent, and the JSON-RPC message of the bridge.
const maxValueDepth = wireLimits.maxWriteDepth - 4;

function toText(toolName: string, value: unknown): string {
  try {
    const text = JSON.stringify(value);
    if (text !== undefined) return text;
  } catch (cause) {
    const reason = describeThrown(cause);
    throw new IPCToolExecutionError(`tool "${toolName}" returned what JSON can't hold: ${reason}. Return plain data`, { cause });
  }
  throw new IPCToolExecutionError(`tool "${toolName}" returned a ${typeof value}, which JSON can't hold. Return plain data`);
}

function isWholeResult(value: unknown): value is ToolResult {
  return isRecord(value) && Array.isArray(value["content"]) && value["content"].every(isResultBlock);
}

/** Refuses what a bridge would refuse, here where the author of the tool reads why. Checked as the bridge sees it, after `toJSON`. */
function checked(toolName: string, value: ToolResult): ToolResult {
  const result = JSON.parse(toText(toolName, value)) as ToolResult;
  try {
    bridgeProtocol.parseResponse({ result });
    for (const member of ["structuredContent", "_meta"] as const)
      if (Array.isArray(result[member])) throw new HawserError("invalid_message", `"result.${member}": expected an object`);
    if (!result.content.every(isResultBlock)) throw new HawserError("invalid_message", '"result.content": a block lacks its members');
    return result;
  } catch (cause) {
    const reason = describeThrown(cause);
    throw new IPCToolExecutionError(`tool "${toolName}" returned an invalid result: ${reason}. Correct its function`, { cause });
  }
}

const blockMembers: Readonly<Record<string, readonly string[]>> = {
  text: ["text"],
  image: ["data", "mimeType"],
  audio: ["data", "mimeType"],
  resource: ["resource"],
  resource_link: ["uri", "name"],
};

const isBlock = (value: unknown): value is ToolResultContent => isRecord(value) && typeof value["type"] === "string";
const isKnown = ({ type }: ToolResultContent): boolean => Object.hasOwn(blockMembers, type);

function isComplete(block: ToolResultContent): boolean {
  const expected = block.type === "resource" ? "object" : "string";
  return (blockMembers[block.type] ?? []).every((member) => typeof (block as Record<string, unknown>)[member] === expected);
}

/** In a whole result: blocks of unknown types pass, the others must have their members. */
const isResultBlock = (value: unknown): boolean => isBlock(value) && (!isKnown(value) || isComplete(value));

/** Stricter in a bare list: an array of rows that have a `type` column is data, not content. */
const isContentBlock = (value: unknown): value is ToolResultContent => isBlock(value) && isKnown(value) && isComplete(value);
