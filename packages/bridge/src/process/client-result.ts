// A parent's result as MCP clients can take it: members and blocks that MCP knows, structured content where some clients need it,
// and no longer than a client reads. A larger one is put into a file that only this user can read, in the session's private
// directory or one of our own; the client gets its beginning and a link.

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { isCallToolResult, type CallToolResult } from "@modelcontextprotocol/server";
import { cutText, describeThrown, HawserError } from "@hawser/protocol/internal";
import { exceedsDepth, keepNumbers, toJsonText, wireLimits } from "@hawser/wire/internal";
import { createSessionNames, onProcessEnd, SOCKET_FILE_PREFIX, startBeat, type NameOptions } from "@hawser/wire/internal/node";
import type { BridgeOptions } from "../contract/bridge-options.ts";
import type { ToolResult, ToolResultContent } from "../contract/contract.ts";
import { bridgeLimits } from "../limits.ts";
import type { ParentResult } from "./connection.ts";

/** Throws for content that clients can't read. */
export type FitResult = (given: GivenResult) => CallToolResult;

interface GivenResult {
  readonly toolName: string;
  /** The client was promised structured content. */
  readonly isStructured: boolean;
  readonly answer: ParentResult;
  readonly privateDirectory: string | undefined;
}

// What JSON may grow by when it is read and written again: `1e20` has 21 digits then, U+2028 is escaped.
const maxGrowth = 6;

export function createFitResult({ socketPath, maxResultBytes }: Pick<BridgeOptions, "socketPath" | "maxResultBytes">): FitResult {
  let ownDirectory: string | undefined;
  let spilledBytes = 0;

  function write(name: string, content: string, privateDirectory: string | undefined): string {
    const writeTo = (directory: string): string => {
      const path = join(directory, name);
      try {
        writeFileSync(path, content, { mode: 0o600, flag: "wx" });
      } catch (error) {
        // Half a result would keep a full disk full.
        rmSync(path, { force: true });
        throw error;
      }
      return path;
    };
    try {
      if (privateDirectory !== undefined) return writeTo(privateDirectory);
    } catch {
      // The session is over, or its directory isn't visible here; ours will do.
    }
    return writeTo((ownDirectory ??= makeOwnDirectory(socketPath)));
  }

  function spill(result: ToolResult, json: string, privateDirectory: string | undefined): ToolResult {
    const text = readableTextOf(result);
    const content = text ?? json;
    const size = Buffer.byteLength(content);
    const written = size > maxResultBytes ? "" : ` (${Buffer.byteLength(json)} as JSON)`;
    const note = `The result has ${size} bytes${written}, more than the ${maxResultBytes} that are sent to a client.`;
    if (spilledBytes + size > bridgeLimits.maxSpillBytes) return failure(`${note} No room is left to keep it in a file; ask for less.`);
    const name = `result-${crypto.randomUUID()}.${text === undefined ? "json" : "txt"}`;
    let path: string;
    try {
      path = write(name, content, privateDirectory);
    } catch (error) {
      return failure(`${note} It can't be kept in a file either: ${describeThrown(error)}; ask for less.`);
    }
    spilledBytes += size;
    const preview = cutText(content, bridgeLimits.spillPreviewChars, "").toWellFormed();
    const mimeType = text === undefined ? "application/json" : "text/plain";
    return {
      content: [
        { type: "text", text: `${note} The whole is in the file ${path}; it begins:\n\n${preview}` },
        { type: "resource_link", uri: pathToFileURL(path).href, name, mimeType, size },
      ],
      ...(result.isError === true && { isError: true }),
    };
  }

  /** The result itself when it fits, else a preview with a link to the whole. */
  function bounded(result: ToolResult, { bytes, isTooDeep }: ParentResult, privateDirectory: string | undefined): ToolResult {
    if (bytes * maxGrowth <= maxResultBytes && !isTooDeep) return result;
    const fitting = isTooDeep ? asJsonText(result) : result;
    const json = toJsonText(fitting);
    return Buffer.byteLength(json) <= maxResultBytes ? fitting : spill(fitting, json, privateDirectory);
  }

  /** With the value of a JSON text beside that text, if both fit. */
  function withValue(result: ToolResult, bytes: number): ToolResult {
    const copied = withStructuredValue(result);
    if (copied === result) return result;
    const fits = bytes * 2 * maxGrowth <= maxResultBytes || Buffer.byteLength(toJsonText(copied)) <= maxResultBytes;
    return fits ? copied : result;
  }

  return ({ toolName, isStructured, answer, privateDirectory }) => {
    const plain = toPlainResult(toolName, answer.result);
    const fitted = bounded(plain, answer, privateDirectory);
    const result = isStructured || fitted !== plain ? fitted : withValue(plain, answer.bytes);
    // A client that was promised structured content takes a result without it only as an error.
    const lacksPromised = isStructured && result.structuredContent === undefined;
    return (lacksPromised ? { ...result, isError: true } : result) as CallToolResult;
  };
}

/** Only what a tool result has; blocks that MCP does not know would cost the client the whole answer. */
function toPlainResult(toolName: string, given: ToolResult): ToolResult {
  const { content } = given;
  const result = withKnownMembers(given);
  if (content.every(isPlainText) || isCallToolResult(result)) return result;
  const types = [...new Set(content.map(({ type }) => cutText(type, 64)))].join(", ");
  const message = `"${toolName}" returned content that MCP clients can't read (blocks of type ${types}); correct the tool`;
  throw new HawserError("invalid_message", message);
}

const memberNames: ReadonlySet<string> = new Set(["content", "isError", "structuredContent", "_meta"]);

/** The result itself when it has no others. */
function withKnownMembers(result: ToolResult): ToolResult {
  for (const name in result)
    if (!memberNames.has(name))
      return Object.fromEntries(Object.entries(result).filter(([member]) => memberNames.has(member))) as object as ToolResult;
  return result;
}

const isPlainText = (block: ToolResultContent): boolean =>
  block.type === "text" && typeof (block as { text?: unknown }).text === "string" && Object.keys(block).length === 2;

// Most texts are either not JSON or an object, and need no second look.
const startOfOtherJson = /^\s*(?:[-["\d]|true|false|null)/;
// Parsed, a text takes up to fifty times its length, and the line has it twice: for a longer one that costs too much.
const maxCopiedChars = 262_144;
// The message, its result, the structured content and one to spare.
const maxCopiedDepth = wireLimits.maxWriteDepth - 4;

/** Some clients fail a call whose only text is JSON but not an object, unless there is structured content too. */
function withStructuredValue(result: ToolResult): ToolResult {
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
function onlyTextOf({ content }: ToolResult): string | undefined {
  const [only] = content;
  const { text } = (only ?? {}) as { text?: unknown };
  return content.length === 1 && only?.type === "text" && typeof text === "string" ? text : undefined;
}

/** A result that is nested too deeply for some readers arrives whole as its JSON text. */
function asJsonText(result: ToolResult): ToolResult {
  return { content: [{ type: "text", text: JSON.stringify(result) }], ...(result.isError === true && { isError: true }) };
}

/** The text of a result that says nothing more than that text: what people and models can read best. */
function readableTextOf(result: ToolResult): string | undefined {
  const text = onlyTextOf(result);
  const { structuredContent } = result;
  if (text === undefined || structuredContent === undefined) return text;
  const isSaidTwice = [structuredContent, structuredContent["result"]].some((value) => JSON.stringify(value) === text);
  return isSaidTwice ? text : undefined;
}

const failure = (text: string): ToolResult => ({ content: [{ type: "text", text }], isError: true });

// Named and placed like a session's directory, so that the next session sweeps it away if we are killed; until then it
// must not look old.
function makeOwnDirectory(socketPath: string): string {
  const make = (options: NameOptions): string => {
    const { privateDirectory: path } = createSessionNames(options);
    mkdirSync(path, { mode: 0o700 });
    onProcessEnd(() => rmSync(path, { recursive: true, force: true }));
    startBeat(path);
    return path;
  };
  // Beside a socket of another name, no session sweeps.
  if (!basename(socketPath).startsWith(SOCKET_FILE_PREFIX)) return make({});
  try {
    return make({ directories: [dirname(resolve(socketPath))] });
  } catch {
    return make({});
  }
}
