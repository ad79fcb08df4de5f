// What a tool returned, as a JSON value that fits on a line, in the history, and in what a model reads. A value that is too
// long or too deep is cut, and says so. Tools that speak MCP return whole results, blocks of content: the value or the
// text in them is what counts; where there is more than text, an image for example, the blocks themselves are the result.

import { cutText, describeThrown, HawserError, isRecord, toErrorText } from "@hawser/protocol/internal";
import { exceedsDepth, wireLimits } from "@hawser/wire/internal";
import { agentLimits } from "./limits.ts";

export type McpBlock = Readonly<Record<string, unknown>> & { readonly type: string };

export interface McpContent {
  readonly content: readonly McpBlock[];
}

/** A whole result: an object whose `content` is a list of blocks. */
export const isMcpResult = (value: unknown): value is McpContent & Readonly<Record<string, unknown>> =>
  isRecord(value) &&
  Array.isArray(value["content"]) &&
  value["content"].every((block) => isRecord(block) && typeof block["type"] === "string");

/** A result as a JSON value; throws `tool_failed` when the server says that it is an error. */
export function fromMcpResult(result: McpContent & Readonly<Record<string, unknown>>): unknown {
  const { content, structuredContent } = result;
  if (result["isError"] === true) {
    const text = describeContent(result);
    const said = text === "" && structuredContent !== undefined ? JSON.stringify(structuredContent) : text;
    throw new HawserError("tool_failed", toErrorText(said) || "the tool failed, and its server does not say why");
  }
  return content.every(({ type }) => type === "text") ? (structuredContent ?? describeContent(result)) : { content: withinBounds(content) };
}

/** What a result says, for those who read text only. */
export const describeContent = ({ content }: McpContent): string => content.map(describeBlock).join("\n");

/** Text as it is; of anything else, what it is. */
export function describeBlock({ type, text, mimeType, data, resource, uri }: McpBlock): string {
  if (type === "text" && typeof text === "string") return text;
  if (typeof data === "string") return `[${type}, ${String(mimeType)}, ${Math.floor((data.length * 3) / 4)} bytes]`;
  if (isRecord(resource)) return typeof resource["text"] === "string" ? resource["text"] : `[resource ${String(resource["uri"])}]`;
  return typeof uri === "string" ? `[link to ${uri}]` : `[${type}]`;
}

/** Media and the rest, each up to their bound. Media that does not fit is described; of the rest, what does not fit is left out. */
function withinBounds(content: readonly McpBlock[]): McpBlock[] {
  let mediaLeft = agentLimits.agentToolMediaChars;
  let restLeft = agentLimits.agentToolResultChars;
  const fitting: McpBlock[] = [];
  for (const block of content) {
    const size = JSON.stringify(block).length;
    const isShown = typeof block["data"] === "string" && size <= mediaLeft;
    if (isShown) mediaLeft -= size;
    const kept = isShown || typeof block["data"] !== "string" ? block : toTextBlock(`${describeBlock(block)} is too large to be shown`);
    if (!isShown) restLeft -= kept === block ? size : JSON.stringify(kept).length;
    if (restLeft < 0) return [...fitting, toTextBlock("[the rest of the result is too long to be shown]")];
    fitting.push(kept);
  }
  return fitting;
}

const toTextBlock = (text: string): McpBlock => ({ type: "text", text });

/** Room for what is around a value: in a response, in a journal and in `load_conversation`. */
export const envelopeDepth = 8;

/** Plain JSON, within bounds. What speaks MCP is taken out of its envelope; with media it has a bound of its own. */
export function toToolValue(returned: unknown): unknown {
  const value = isMcpResult(returned) ? fromMcpResult(returned) : returned;
  const text = toJson(value);
  if (text.length > (isMcpResult(value) ? mcpChars : agentLimits.agentToolResultChars)) {
    const long = typeof value === "string" ? value : text;
    return { text: cutText(long, agentLimits.agentToolResultChars / 2, "").toWellFormed(), truncated: true, chars: long.length };
  }
  return exceedsDepth(text, wireLimits.maxWriteDepth - envelopeDepth) ? text : (JSON.parse(text) as unknown);
}

// The blocks fit by themselves; this is for what is around them.
const mcpChars = agentLimits.agentToolResultChars + agentLimits.agentToolMediaChars + 65_536;

function toJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "null";
  } catch (error) {
    return JSON.stringify(`(what the tool returned can't be written as JSON: ${describeThrown(error)})`);
  }
}
