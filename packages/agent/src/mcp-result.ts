// Tools that speak MCP, in this process or behind a server, return whole results: blocks of content. What
// people and models want to see is the value or the text in them.

import { describeThrown, HawserError, isRecord, limits } from "@hawser/wire";

/** A whole result: an object whose `content` is a list of blocks. */
export const isMcpResult = (value: unknown): value is Record<string, unknown> =>
  isRecord(value) &&
  Array.isArray(value["content"]) &&
  value["content"].every((block) => isRecord(block) && typeof block["type"] === "string");

/** A result as a plain JSON value; throws `tool_failed` when the server says that it is an error. */
export function fromMcpResult(result: Readonly<Record<string, unknown>>): unknown {
  const text = (result["content"] as readonly unknown[]).map(describeBlock).join("\n");
  if (result["isError"] === true) {
    const said = text === "" && result["structuredContent"] !== undefined ? JSON.stringify(result["structuredContent"]) : text;
    throw new HawserError(
      "tool_failed",
      said.slice(0, limits.maxErrorTextChars).toWellFormed() || "the tool failed, and its server does not say why",
    );
  }
  return result["structuredContent"] ?? text;
}

/** Text as it is; of anything else, what it is. */
function describeBlock(block: unknown): string {
  if (!isRecord(block)) return describeThrown(block);
  const { type, text, mimeType, data, resource, uri } = block;
  if (type === "text" && typeof text === "string") return text;
  if (typeof data === "string") return `[${String(type)}, ${String(mimeType)}, ${Math.floor((data.length * 3) / 4)} bytes]`;
  if (isRecord(resource)) return typeof resource["text"] === "string" ? resource["text"] : `[resource ${String(resource["uri"])}]`;
  return typeof uri === "string" ? `[link to ${uri}]` : `[${String(type)}]`;
}
