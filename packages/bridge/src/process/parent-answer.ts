// What the parent sends on a connection, read by the contract: progress and log while a call runs,
// then its one result or error. Also the two classes of failure that a call can have.

import {
  bridgeProtocol,
  IPCConnectionError,
  IPCError,
  isRecord,
  keepNumbers,
  type BridgeResponse,
  type HawserError,
  type Incoming,
} from "@hawser/wire";
import { logLine } from "@hawser/wire/node";
import type { IPCErrorPayload } from "../contract.ts";

/** An error that the parent sent: `type` is the class it named. The connection is as good as before. */
export class ParentError extends IPCError {
  readonly type: string;
  constructor({ message, type }: IPCErrorPayload) {
    super(message, { facts: { type } }, "tool_failed");
    this.type = type;
  }
}

/** Throws the contract's error for what can't be read; after that nobody knows what the next frame answers. */
export function readAnswer(item: Incoming, socketPath: string): BridgeResponse {
  if (item.kind === "refused") throw refusalOf(item.error, socketPath);
  try {
    // Only passed on, as the arguments are.
    keepNumbers((item.value as { result?: unknown } | null)?.result, item.text, ["result"]);
    return bridgeProtocol.parseResponse(withValidResult(item.value));
  } catch (cause) {
    const message = `the program that offers the tools sent an invalid answer: ${(cause as Error).message}; its socket is ${socketPath}`;
    throw new IPCError(message, { cause }, "invalid_message");
  }
}

function refusalOf(error: HawserError, socketPath: string): IPCError {
  if (error.code === "connection_lost") {
    const message = `the program that offers the tools ended inside a frame, in the middle of its answer; its socket is ${socketPath}`;
    return new IPCConnectionError(message, { cause: error });
  }
  const message = `the program that offers the tools sent what can't be read: ${withoutAdvice(error.message)}; its socket is ${socketPath}`;
  return new IPCError(message, { cause: error }, error.code);
}

// What to do about it is said to whoever sends such a message, and that is not who reads this.
const withoutAdvice = (message: string): string => message.replace(/(?:[;,.] (?:send|flatten|encode)\b.*)$/is, "");

// Some parents answer with no content at all, where an empty text says the same, some write `null` for
// every member they leave out, and some a list where MCP wants an object. None of it is worth the content.
function withValidResult(value: unknown): unknown {
  const { result } = (isRecord(value) ? value : {}) as { result?: unknown };
  if (!isRecord(result) || !Array.isArray(result["content"])) return value;
  const content = result["content"].map((block: unknown) => (isRecord(block) ? without(block, isNull) : block));
  const members = without(result, (member, name) => isNull(member) || isMisplaced(member, name));
  return { ...(value as object), result: { ...members, content: content.length > 0 ? content : [{ type: "text", text: "" }] } };
}

const isNull = (member: unknown): boolean => member === null;

function isMisplaced(member: unknown, name: string): boolean {
  const isOdd = (name === "structuredContent" || name === "_meta") && !isRecord(member);
  if (isOdd) logLine(`[hawser] the program that offers the tools sent \`${name}\` that is no object; it is left out`);
  return isOdd;
}

/** The record itself where nothing has to go. */
function without(record: Record<string, unknown>, isUnfit: (member: unknown, name: string) => boolean): Record<string, unknown> {
  const unfit = Object.keys(record).filter((name) => isUnfit(record[name], name));
  return unfit.length === 0 ? record : Object.fromEntries(Object.entries(record).filter(([name]) => !unfit.includes(name)));
}
