// A parent's result as MCP clients can take it: the members that a tool result has, blocks that MCP knows, and
// structured content where some clients can't do without.

import { isCallToolResult } from "@modelcontextprotocol/server";
import { cutText, exceedsDepth, HawserError, keepNumbers, limits } from "@hawser/wire";
import type { ToolResult, ToolResultContent } from "../contract.ts";

/** Only what a tool result has; blocks that MCP does not know would cost the client the whole answer. */
export function toClientResult(toolName: string, { content, isError, structuredContent, _meta }: ToolResult): ToolResult {
  const result: ToolResult = {
    content,
    ...(isError !== undefined && { isError }),
    ...(structuredContent !== undefined && { structuredContent }),
    ...(_meta !== undefined && { _meta }),
  };
  if (content.every(isPlainText) || isCallToolResult(result)) return result;
  const types = [...new Set(content.map(({ type }) => cutText(type, 64)))].join(", ");
  throw new HawserError(
    "invalid_message",
    `"${toolName}" returned content that MCP clients can't read (blocks of type ${types}); correct the tool`,
  );
}

const isPlainText = (block: ToolResultContent): boolean =>
  block.type === "text" && typeof (block as { text?: unknown }).text === "string" && Object.keys(block).length === 2;

// Most texts are no JSON or an object, and need no second look.
const startOfOtherJson = /^\s*(?:[-["\d]|true|false|null)/;
// A longer text costs more than the courtesy is worth: parsed it takes up to fifty times its length, and the line has it twice.
const maxCopiedChars = 262_144;
// The message, its result, the structured content and one to spare.
const maxCopiedDepth = limits.maxWriteDepth - 4;

/** Some clients fail a call whose only text is JSON but no object; structured content keeps them content. */
export function withStructuredValue(result: ToolResult): ToolResult {
  const text = onlyTextOf(result);
  if (text === undefined || result.structuredContent !== undefined || !startOfOtherJson.test(text)) return result;
  if (text.length > maxCopiedChars || exceedsDepth(text, maxCopiedDepth)) return result;
  try {
    return { ...result, structuredContent: { result: keepNumbers(JSON.parse(text), text) } };
  } catch {
    return result;
  }
}

/** The text of a result whose content is one text. */
export function onlyTextOf({ content }: ToolResult): string | undefined {
  const [only] = content;
  const { text } = (only ?? {}) as { text?: unknown };
  return content.length === 1 && only?.type === "text" && typeof text === "string" ? text : undefined;
}
